"""Loops that could not be read: kept apart from the others, and read by a better reader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.errors import LoadFailed
from iosonde.loads import LOADS
from iosonde.loads.fio import Fio
from iosonde.measure.again import UnreadLoop, read_again, read_loop
from iosonde.measure.growing import GrowingTrial
from iosonde.measure.sheet import sheet
from iosonde.records.load import LoadResult, RawOutput
from iosonde.records.run import Loop, Run, RunState
from iosonde.report.raw import raw_outputs
from iosonde.store import open_store
from tests.unit.measure import build

NEW = b'{"fio version": "fio-9.0", "what came later": [1, 2]}\n\xff'


def unread(index: int) -> Loop:
    loop = replace(build.loop(index, {}), raw=RawOutput(0, NEW, b"a warning\n"))
    with pytest.raises(UnreadLoop) as caught:
        read_loop(LOADS.load("fio")(), loop, where="node1")
    assert caught.value.where == "node1"
    return caught.value.loop


def falls_over(_: Fio, raw: RawOutput) -> LoadResult:
    figures: dict[str, float] = {}
    return LoadResult({"read.iops": figures["nothing"]}, {})


@pytest.fixture
def stored(tmp_path: Path) -> Run:
    """A run of two loops and one between them that nobody could read."""
    store = open_store(str(tmp_path / "store.sqlite"))
    run = store.begin("study", {}, created=1.0, owner="").id
    store.add_trial(run, build.trial([]))
    for loop in (build.loop(0, {"read.iops": 10.0}), unread(1), build.loop(2, {"read.iops": 12.0})):
        store.add_loop(run, "t1", loop)
    store.finish(run, RunState.FAILED)
    (line,) = store.runs()
    assert line.loops == 2  # the unread one is none
    stored_run = store.load(run)
    store.close()
    return stored_run


def test_an_unread_loop_is_kept_and_is_no_part_of_any_figure(stored: Run) -> None:
    (trial,) = stored.trials
    assert [loop.index for loop in trial.loops] == [0, 2]
    (loop,) = trial.unread
    assert loop.raw == RawOutput(0, NEW, b"a warning\n")
    assert loop.result.unread
    (shown,) = sheet(read_again(stored)).trials
    assert [metric.loops for metric in shown.metrics] == [(10.0, 12.0)]
    (fault,) = shown.trial.faults
    assert fault.startswith("loop 2 gave no result: ")
    assert f"its raw output is kept: `iosonde export {stored.id} --raw`" in fault


def test_a_better_reader_reads_it(stored: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def better(_: Fio, raw: RawOutput) -> LoadResult:
        if raw.stdout != NEW:
            raise LoadFailed("something else")
        return LoadResult({"read.iops": 11.0}, {"read.iops": "1/s"})

    monkeypatch.setattr(Fio, "parse", better)
    (shown,) = sheet(read_again(stored)).trials
    assert [metric.loops for metric in shown.metrics] == [(10.0, 11.0, 12.0)]
    assert shown.trial.faults == ()
    assert shown.trial.unread == ()


def test_a_reader_that_falls_over_it_leaves_it(
    stored: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fio, "parse", falls_over)
    (trial,) = read_again(stored).trials
    assert len(trial.loops) == 2
    assert "KeyError" in trial.unread[0].result.unread


def test_a_run_without_unread_loops_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fio, "parse", falls_over)
    run = build.run([build.trial(build.speeds([1.0, 2.0]))])
    assert read_again(run) is run


def test_the_next_loop_gets_a_number_of_its_own(stored: Run) -> None:
    trial = GrowingTrial(stored.trials[0])
    assert (trial.next_index, len(trial)) == (3, 2)
    trial.add_unread(unread(3))
    assert (trial.next_index, len(trial), trial.spent) == (4, 2, 120.0)
    assert [loop.index for loop in trial.trial.unread] == [1, 3]
    nothing = GrowingTrial(build.trial([]))
    assert not nothing.has_run
    nothing.add_unread(unread(0))
    assert nothing.has_run


def test_the_raw_output_is_given_byte_by_byte(stored: Run) -> None:
    written = raw_outputs([stored])
    assert NEW in written
    assert b"== run " + stored.id.encode() + b", t1, loop 2, status 0, not read: " in written
    assert b"=== standard error, 10 bytes\na warning\n" in written
