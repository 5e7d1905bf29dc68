"""pg_test_fsync. Oracle: the time that an operation takes, which it prints beside its rate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, trials

TEXT = (Path(__file__).parents[2] / "outputs/postgresql-composed/pg_test_fsync.txt").read_text()
NEW, OLD = TEXT.split("\n\n$ /usr")
_ROW = re.compile(r"(\d+\.\d+) ops/sec +(\d+) usecs/op")


def test_both_generations_in_every_shape() -> None:
    times = [int(match[2]) for match in _ROW.finditer(NEW)]
    for shape, given in mangled(TEXT, wraps=False):
        each = trials(given)
        assert len(each) == 16 + 4, shape
        assert {trial.elapsed for trial in each} == {(2.0,), None}, shape
        for trial, time in zip(each, times, strict=False):
            metrics = trial.loops[0].metrics
            call = trial.options.get("fsync") or trial.options.get("fdatasync")
            writes = 1 + trial.label.startswith("two")
            if (counted := re.match(r"\d+", trial.label)) is not None:
                writes = int(counted[0])
            rate = metrics["sync.iops"] if call else metrics["write.iops"] / writes
            assert rate * time == pytest.approx(1e6, rel=1e-3), (shape, trial.label)


def test_what_makes_the_writes_durable() -> None:
    each = {trial.label: trial for trial in trials(NEW)}
    trial = each["one 8kB write, fdatasync"]
    load = {"rw": "write", "bs": 8192, "fdatasync": 1, "test": "one 8kB write, fdatasync"}
    assert (trial.options, trial.elapsed) == (load, (2.0,))
    assert each["two 8kB writes, fsync"].options["fsync"] == 2
    assert each["one 8kB write, open_datasync"].options == {
        "test": "one 8kB write, open_datasync",
        "rw": "write", "bs": 8192, "sync": "dsync", "direct": True,
    }  # fmt: skip
    assert each["4 * 4kB open_sync writes"].options["bs"] == 4096
    assert each["4 * 4kB open_sync writes"].loops[0].metrics == {"write.iops": 400.0}
    assert each["write, close, fsync"].options == {
        "rw": "write",
        "bs": 8192,
        "fsync": 1,
        "test": "write, close, fsync",
    }
    assert each["not synced, write"].options == {
        "rw": "write",
        "bs": 8192,
        "test": "not synced, write",
    }
    assert "sync.iops" not in each["not synced, write"].loops[0].metrics
    assert not any(trial.options.get("direct") for trial in trials(f"$ /usr{OLD}"))


def test_no_rate_and_what_looks_alike() -> None:
    head = NEW.partition("        open_datasync")[0]
    (unread,) = read(head + "        open_datasync  n/a\n")
    assert isinstance(unread, Unread)
    assert unread.reason == "no rate follows"
    assert not trials("Compare file sync methods using one 8kB write: see the manual.\n")
    assert not trials("        fsync                   500.000 ops/sec    2000 usecs/op\n")
