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
