"""Arrays of md that are being filled or do not run, told from those that lack members."""

from __future__ import annotations

import pytest

from iosonde.layers.md import findings as md_findings
from iosonde.records.finding import Finding
from tests.unit.explain.cases import case_of, findings_named

CREATED = """
```
# mdadm --create /dev/md0 --level=5 --raid-devices=3 /dev/sdc /dev/sdd /dev/sde
mdadm: Defaulting to version 1.2 metadata
mdadm: array /dev/md0 started.
```
"""
MDSTAT = """
```
# cat /proc/mdstat
Personalities : [raid6] [raid5] [raid4]
md0 : active {level} {members}
      20953088 blocks super 1.2 level 5, 512k chunk, algorithm 2 {places}
      [==>..................]  {work}

unused devices: <none>
```
"""
WORK = "recovery = 12.9% (1351543/10476544) finish=0.7min speed=109673K/sec"
STOPPED = """
```
# cat /proc/mdstat
Personalities : [raid6] [raid5] [raid4]
md126 : inactive sdb3[4]{mark} sdc3[0]{mark}
      45751787520 blocks super {metadata}

unused devices: <none>
```
"""


def mdstat(
    members: str, places: str = "[3/2] [UU_]", work: str = WORK, level: str = "raid5"
) -> str:
    return MDSTAT.format(members=members, places=places, work=work, level=level)


def degraded(text: str) -> list[Finding]:
    return findings_named(md_findings.RULES, case_of(text), "degraded")


def test_a_new_array_is_built_and_lacks_nothing() -> None:
    (said,) = degraded(CREATED + mdstat("sde[3] sdd[1] sdc[0]"))
    assert said.severity == "warning"
    assert said.message.startswith("md0 (RAID 5) is being built: all of its 3 members are there")
    assert "as `mdadm --create` begins. Until that is done the next loss may take" in said.message
    assert "there is nothing to add" in said.remedy
    assert [(evidence.what, evidence.value) for evidence in said.evidence] == [
        ("members not in sync", 1), ("done", 0.129),
    ]  # fmt: skip


def test_a_rebuild_with_all_members_is_said_once() -> None:
    (said,) = degraded(mdstat("sde[3] sdd[1] sdc[0]"))
    assert "is being built or rebuilt: all of its 3 members are there, and one of" in said.message
    (said,) = degraded(mdstat("sdf[4] sde[3] sdd[1] sdc[0]", "[4/3] [UUU_]", level="raid6"))
    assert "Until that is done one more may be lost" in said.message
    rebuilt = CREATED + mdstat("sde[2] sdd[1] sdc[0]", "[3/3] [UUU]", "check = 1.0% (1/1000)")
    *_, said = degraded(rebuilt + mdstat("sdf[3] sdd[1] sdc[0]"))
    assert "is being built or rebuilt" in said.message


@pytest.mark.parametrize(
    ("members", "work"),
    [
        ("sde[3](F) sdd[1] sdc[0]", WORK),
        ("sdd[1] sdc[0]", WORK),
        ("sde[3](S) sdd[1] sdc[0]", WORK),
        ("sde[3](R) sdd[1] sdc[0]", WORK),
        ("sde[3] sdd[1] sdc[0]", "recovery=DELAYED"),
        ("sde[3] sdd[1] sdc[0]", ""),
    ],
)
def test_an_array_that_lacks_a_member_is_said_to(members: str, work: str) -> None:
    assert "lacks 1 of its 3 members" in degraded(mdstat(members, work=work))[0].message


@pytest.mark.parametrize("mark", ["", "(S)"])
def test_an_inactive_array_does_not_run(mark: str) -> None:
    (said,) = degraded(STOPPED.format(mark=mark, metadata="1.2"))
    assert (said.severity, said.subject) == ("error", "md126")
    assert "md126 is inactive: md holds its members (sdb3 sdc3), but does not run" in said.message
    assert "mdadm --examine" in said.remedy


@pytest.mark.parametrize("metadata", ["external:imsm", "external:ddf"])
def test_a_container_is_inactive_by_nature(metadata: str) -> None:
    assert degraded(STOPPED.format(mark="(S)", metadata=metadata)) == []


def _findings(text: str) -> list[Finding]:
    return findings_named(md_findings.RULES, case_of(text))


def test_a_raid_5_that_becomes_a_raid_6_lacks_nothing() -> None:
    text = mdstat(
        "sdf1[6] sdd1[4] sda1[5] sde1[3]", "[4/3] [UUU_]",
        "reshape = 12.9% (1351543/10476544) finish=0.7min speed=109673K/sec", "raid6",
    ).replace("level 5, 512k chunk, algorithm 2", "level 6, 512k chunk, algorithm 18")  # fmt: skip
    (said,) = degraded(text)
    assert said.severity == "warning"
    assert "md0 (RAID 6) is made of a RAID 5: all of its 4 members are there" in said.message
    assert "(reshape), as `mdadm --grow --level=6` begins" in said.message
    (lacks,) = [each for each in degraded(text.replace("algorithm 18", "algorithm 2"))
                if each.severity == "error"]  # fmt: skip
    assert "lacks 1 of its 4 members" in lacks.message


@pytest.mark.parametrize(("work", "rules"), [
    ("reshape = 22.1% (2315316/10476544) finish=2322382.1min speed=1K/sec", ["resync-stuck"]),
    ("reshape =  0.0% (12/10476544) finish=113621.8min speed=1K/sec", ["background-work"]),
    ("reshape =  0.0% (12/10476544)", ["background-work"]),
])  # fmt: skip
def test_work_without_end_is_no_work_to_wait_for(work: str, rules: list[str]) -> None:
    text = mdstat("sde[3] sdd[1] sdc[0]", "[3/3] [UUU]", work)
    assert [said.rule for said in _findings(text)] == rules
    bar = f"[==>..................]  {WORK}\n"
    idle = mdstat("sde[3] sdd[1] sdc[0]", "[3/3] [UUU]").replace(bar, "")
    assert _findings(text + idle) == []


def test_an_array_that_is_shown_again_on_a_named_host_is_one() -> None:
    lacking = mdstat("sdd[1] sdc[0]").replace(f"[==>..................]  {WORK}\n", "")
    named = lacking.replace("# cat", "root@nas7:~# cat")
    assert len(degraded(lacking + named)) == 1
    assert len(degraded(lacking + named.replace("md0", "md1"))) == 2


def test_a_rebuild_that_stands_still_is_not_to_be_waited_for() -> None:
    work = WORK.replace("109673K", "0K")
    (said,) = _findings(mdstat("sde[3] sdd[1] sdc[0]", work=work))
    assert said.rule == "resync-stuck"
    assert "goes on without end with its recovery" in said.message
