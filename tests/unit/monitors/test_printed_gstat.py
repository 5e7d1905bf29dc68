"""gstat of FreeBSD. Oracle: gstat.c: kBps are KiB/s, ms/r milliseconds; rates add up."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

TEXT = (Path(__file__).parents[2] / "outputs/freebsd-composed/gstat.txt").read_text()


def test_devices_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        rows = {thing.name: thing.values for thing in counters(given)}
        assert list(rows) == ["cd0", "ada0", "gpt/tank0"], shape
        disk = rows["ada0"]
        assert (disk["queue"], disk["iops"]) == (3, 100 + 23), shape
        assert (disk["read.bandwidth"], disk["write.bandwidth"]) == (6400 * 1024, 920 * 1024)
        assert disk["read.await"] == pytest.approx(0.0042)
        assert disk["util"] == pytest.approx(0.971), shape
        assert disk["discard.iops"] == 0, shape
        assert rows["gpt/tank0"]["read.await"] == pytest.approx(1.802)


def test_a_screen_has_a_stroke_before_the_name_and_o_another_kind() -> None:
    text = (
        "dT: 0.501s  w: 0.500s\n"
        " L(q)  ops/s    r/s     kB   kBps   ms/r    w/s     kB   kBps   ms/w "
        "   o/s   ms/o   %busy Name\n"
        "    1      9      4     16     64    0.4      4      8     32    0.5 "
        "     1   20.5    8.0| da2\n"
    )  # fmt: skip
    (disk,) = counters(text)
    assert disk.values == {
        "report": 1, "interval": 0.501, "queue": 1, "iops": 9, "read.iops": 4,
        "read.size": 16384, "read.bandwidth": 65536, "read.await": pytest.approx(4e-4),
        "write.iops": 4, "write.size": 8192, "write.bandwidth": 32768,
        "write.await": pytest.approx(5e-4), "other.iops": 1, "other.await": pytest.approx(0.0205),
        "util": 0.08,
    }  # fmt: skip


def test_several_reports() -> None:
    body = "".join(TEXT.splitlines(keepends=True)[1:])
    assert [c.values["report"] for c in counters(body + body)] == [1, 1, 1, 2, 2, 2]


def test_what_is_none() -> None:
    head = TEXT.splitlines()[2]
    assert not [e for e in read(f"{head}\n\nAnd now?\n") if not isinstance(e, Unread)]
    assert counters("L(q) is how many wait, %busy Name is what it says.\n") == []
