"""Lines of /etc/mtab that a mail broke before the options. Oracle: the line as it was."""

from __future__ import annotations

import pytest

from tests.mangle import subjects_in

LINE = "/dev/sdx2 /mnt/stick f2fs rw,{first},background_gc=on,discard,compress_mode=fs 0 0\n"


@pytest.mark.parametrize("first", ["lazytime", "relatime", "noatime"])
def test_a_break_before_the_options(first: str) -> None:
    whole = LINE.format(first=first)
    torn = whole.replace(" rw,", "\nrw,").replace(" 0 0", "\n0 0")
    given, expected = (
        [(thing.name, dict(thing.values)) for thing in subjects_in(f"$ cat /etc/mtab\n{text}")]
        for text in (torn, whole)
    )
    assert given == expected
    assert given[0][1]["compress_mode"] == "fs"


def test_options_without_a_mount_are_none() -> None:
    assert list(subjects_in("It is mounted with\nrw,relatime,discard\nsince Monday.\n")) == []


def test_columns_and_file_systems_in_user_space() -> None:
    text = (
        "$ mount | column -t\n"
        "proc        on  /proc           type  proc             (rw,relatime)\n"
        "/dev/sdq1   on  /srv            type  xfs              (rw,relatime)\n"
        "/dev/sdq2   on  /mnt/stick      type  fuseblk          (rw,relatime,user_id=0)\n"
        "gl1:/pond   on  /mnt/pond       type  fuse.glusterfs   (rw,relatime)\n"
        "lxcfs       on  /var/lib/lxcfs  type  fuse.lxcfs       (rw,relatime)\n"
    )
    said = [(thing.kind, thing.name) for thing in subjects_in(text)]
    assert said == [("xfs", "/srv"), ("fuse", "/mnt/stick"), ("glusterfs", "/mnt/pond")]
