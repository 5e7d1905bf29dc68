"""A steady state on a page and in the terminal: its window, its criterion, its matrix."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde.cli.steady import print_grids
from iosonde.measure.sheet import sheet
from iosonde.records.load import Load
from iosonde.records.run import Run, Trial
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Json
from iosonde.report.blocks import Badge, Cells, Title
from iosonde.report.grid import grids_of
from iosonde.report.html import page_of
from iosonde.report.markdown import MarkdownFormat
from iosonde.report.steady import steady_figures
from iosonde.sentences import shortened_sentence, window_sentence
from tests.unit.measure.build import loop, run, trial

WRITES = (900.0, 500.0, 110.0, 105.0, 100.0, 95.0, 90.0)  # the last five: range 20 %, slope −20 %
STUDY: dict[str, Json] = {
    "study": "s", "targets": [{"path": "/dev/x"}], "seconds": 60,
    "loads": [{"name": "matrix", "fio": {"bs": ["64k", "4k"], "direct": True}}],
    "prepare": {"discard": True, "precondition": 2, "bs": 131072},
    "until": {"steady": True, "passes": 25, "track": {"bs": 4096, "rwmixread": 0},
              "metric": "iops"},
}  # fmt: skip


def point(block: int, reads: int, rates: tuple[float, ...]) -> Trial:
    name = f"matrix rwmixread={reads} bs={block}"
    way = "read" if reads else "write"
    loops = [
        loop(at, {f"{way}.iops": rate, f"{way}.bandwidth": rate * block,
                  f"{way}.latency.mean": 1 / rate, f"{way}.latency.max": 9 / rate})
        for at, rate in enumerate(rates)
    ]  # fmt: skip
    made = trial(loops, name=name, probe="/dev/x", ident=f"{name}@/dev/x")
    matrix = {"rwmixread": reads, "bs": block}
    return replace(made, load=Load("fio", name, {}, matrix=matrix, varied_from="matrix"))


def measured(writes: tuple[float, ...] = WRITES) -> RunSheet:
    rates = {100: tuple(9000.0 + at for at in range(len(writes))), 0: writes}
    trials = [point(block, reads, rates[reads]) for reads in rates for block in (65536, 4096)]
    whole: Run = replace(run(trials), plan={"study": STUDY})
    return sheet(whole)


def test_the_window_table_says_which_limit_is_passed() -> None:
    whole = measured()
    (window,) = whole.windows
    assert not window.reached
    assert window.range == pytest.approx(0.2)
    assert window.slope == pytest.approx(-0.2)
    assert "is not steady within 7 passes: 100 IOPS (range 20 %" in window_sentence(window)
    tables = [title for title in page_of([whole]).blocks if isinstance(title, Cells)]
    judged = next(table for table in tables if table.head[-1] == "criterion")
    badges = {row[0]: cell for row in judged.rows if isinstance(cell := row[-1], Badge)}
    assert badges["largest − smallest"].text == "within"  # just at the limit
    assert badges["rise of the fitted line"].text == "beyond"


def test_the_matrix_holds_the_means_of_the_window() -> None:
    steady = (900.0, 500.0, 102.0, 101.0, 100.0, 99.0, 98.0)
    whole = measured(steady)
    (grid,) = grids_of(whole)
    assert (grid.names, grid.heads) == (("64 KiB", "4 KiB"), ("100/0", "0/100"))
    assert grid.cells[1] == (9004.0, 100.0)
    page = page_of([whole])
    assert page.answer.startswith("matrix rwmixread=0 bs=4096 is steady in passes 3 to 7: 100 IOPS")
    titles = [block.text for block in page.blocks if isinstance(block, Title)]
    assert titles[:2] == ["Test set-up", "Steady state: matrix rwmixread=0 bs=4096"]
    setup = next(block for block in page.blocks if isinstance(block, Cells))
    rows = {row[0]: row[1] for row in setup.rows}
    assert rows["purge"] == "discard of the whole device"
    assert rows["workload-independent preconditioning"] == (
        "2 × the capacity, sequential writes of 128 KiB"
    )
    assert rows["load matrix"] == "bs=64k,4k direct=1"
    assert rows["test software"] == "iosonde with fio"
    assert "shorter than the standard" not in rows
    assert "| 4 KiB | 9,000 | 100 |" in MarkdownFormat().serialize([whole]).decode()
    assert [figure.title for figure in steady_figures(whole)][1] == "matrix: IOPS"


def test_a_study_shorter_than_the_standard_says_so() -> None:
    assert shortened_sentence(STUDY) == ""
    assert shortened_sentence({**STUDY, "seconds": 2.0}) == "2 s a point instead of 1 min"
    fewer = {**STUDY, "prepare": {"discard": True, "precondition": 0}}
    assert shortened_sentence(fewer) == "0 × the capacity written before instead of 2 ×"
    assert shortened_sentence({"seconds": 2.0, "until": {"written": 4}}) == ""


def test_the_terminal_shows_the_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    print_grids(measured())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "matrix: IOPS, by reads/writes"
    assert lines[-2].split() == ["4", "KiB", "9,000", "100"]


def test_too_few_passes_are_no_window() -> None:
    whole = measured(WRITES[:4])
    assert whole.windows == ()
    assert all(len(trial.metrics[0].loops) == 4 for trial in whole.trials)


def test_write_saturation_is_told_from_the_first_loop_to_the_last() -> None:
    rates = [900.0] * 10 + [300.0, 200.0]
    written = 4096 * sum(rates) * 60 / (1 << 30)
    made = trial([loop(at, {"write.iops": rate, "write.bandwidth": rate * 4096})
                  for at, rate in enumerate(rates)], probe="/dev/x")  # fmt: skip
    plan: dict[str, Json] = {"study": {**STUDY, "until": {"written": 4}}}
    page = page_of([sheet(replace(run([made]), plan=plan))])
    assert page.answer == (
        "certification: 900 IOPS in the first loop, 200 IOPS in the last tenth, after "
        f"{written:.3g} GiB written."
    )
    assert page.figures[0].title == "certification: writes a second"
    assert page_of([sheet(run([made]))]).figures[0].title != page.figures[0].title
