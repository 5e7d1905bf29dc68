"""Of what a text shows several times the last state counts."""

from __future__ import annotations

from pathlib import Path

from iosonde.verbs.explain import explain

WHOLE = """\
{prompt} cat /proc/mdstat
Personalities : [raid1]
md0 : active raid1 sdb1[1] sda1[0]
      1048512 blocks super 1.2 [2/2] [UU]

unused devices: <none>
"""
LACKING = WHOLE.replace("sda1[0]", "sda1[0](F)").replace("[2/2] [UU]", "[2/1] [_U]")


def _rules(tmp_path: Path, *parts: str) -> list[tuple[str, str]]:
    page = tmp_path / "page.txt"
    page.write_text("\n".join(parts))
    return [(finding.rule, finding.subject) for finding in explain(str(page)).findings]


def test_what_is_over_below_is_not_said(tmp_path: Path) -> None:
    before, after = (text.format(prompt="root@a:~#") for text in (LACKING, WHOLE))
    assert not _rules(tmp_path, before, after)
    assert _rules(tmp_path, after, before) == [("degraded", "a: md0")]
    other = WHOLE.format(prompt="root@b:~#")
    assert _rules(tmp_path, before, other) == [("degraded", "a: md0")]


def test_another_view_that_does_not_say_it_changes_nothing(tmp_path: Path) -> None:
    before = LACKING.format(prompt="root@a:~#")
    listed = "root@a:~# mdadm --detail --scan\nARRAY /dev/md0 metadata=1.2 name=a:0\n"
    assert _rules(tmp_path, before, listed) == [("degraded", "a: md0")]


def test_a_count_that_is_not_known_replaces_none(tmp_path: Path) -> None:
    detail = """\
root@a:~# mdadm -D /dev/md0
/dev/md0:
           Version : 1.2
        Raid Level : raid5
        Array Size : 8380416 (7.99 GiB 8.58 GB)
      Raid Devices : 4
             State : clean, degraded, reshaping
    Active Devices : 4
   Working Devices : 4
"""
    mdstat = """\
root@a:~# cat /proc/mdstat
Personalities : [raid6] [raid5] [raid4]
md0 : active raid5 sdw[4] sdv[2] sdu[1] sdt[0]
      8380416 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/3] [UUU_]
      [===================>.]  reshape = 99.9% (2790000/2793472) finish=9.9min speed=0K/sec

unused devices: <none>
"""
    said = _rules(tmp_path, mdstat, detail)
    assert ("degraded", "a: md0") in said
    assert len(said) == 2  # and that it stands still, but not that it takes bandwidth
    whole = detail.replace("clean, degraded, reshaping", "clean")
    assert ("degraded", "a: md0") not in _rules(tmp_path, mdstat, whole)


def test_the_last_health_of_a_cluster_counts(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text("HEALTH_WARN 5 pgs stale\n\nlater:\n\nHEALTH_ERR 6 pgs degraded; 11 pgs down\n")
    (finding,) = explain(str(page)).findings
    assert "11" in finding.message
    assert finding.severity == "error"
