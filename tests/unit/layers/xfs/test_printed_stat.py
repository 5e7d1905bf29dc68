"""/proc/fs/xfs/stat. Oracle: the order of struct __xfsstats, sectors of 512 bytes."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

TEXT = (
    Path(__file__).parents[3] / "outputs" / "xfsprogs-composed" / "stat.txt"
).read_text()  # fmt: skip


def test_every_group_in_every_shape() -> None:
    for shape, text in mangled(TEXT, wraps=False):
        (counted,) = counters(text)
        values = counted.values
        assert (counted.kind, counted.name) == ("xfs", ""), shape
        assert [values[name] for name in (
            "extent_alloc.blocks_freed", "ig.misses", "log.write_bytes", "push_ail.flush",
            "rw.writes", "rw.reads", "vnodes.active", "buf.get_read", "abtb2.moves",
            "xpc.write_bytes", "xpc.read_bytes", "defer_relog.count",
        )] == [
            131002, 15734, 39925 * 512, 73, 159567, 104688, 62578, 809, 13, 67735504884757,
            19760115252482, 9,
        ], shape  # fmt: skip
        figures = sum(len(line.split()) - 1 for line in TEXT.splitlines()[1:])
        assert len(values) == figures, shape


def test_the_file_of_one_file_system_names_it() -> None:
    text = TEXT.replace("/proc/fs/xfs/stat", "/sys/fs/xfs/sdb1/stats/stats")
    assert [each.name for each in counters(text)] == ["sdb1"]


def test_a_line_that_lacks_figures_is_unread() -> None:
    text = TEXT.replace("rw 159567 104688", "rw 159567")
    (counted,) = counters(text)
    assert "rw.writes" not in counted.values
    assert counted.values["attr.remove"] == 7
    assert [output.reason for output in read(text) if isinstance(output, Unread)] == [
        "its line rw has not 2 figures"
    ]


def test_the_name_alone_is_none() -> None:
    assert not counters("The line extent_alloc 1 2 says how many extents were allocated.\n")
