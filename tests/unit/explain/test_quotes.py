"""Lines of rates that a page quotes from the outputs below them."""

from __future__ import annotations

from iosonde.explain.quotes import without_quotes
from iosonde.records.evidence import TrialEvidence
from tests.unit.explain.cases import case_of, trial

RUN = {"read.iops": [43_100.0], "read.bandwidth": [1.768e8], "elapsed": [18.228]}
WHOLE = RUN | {"cpu.user": [0.1]}


def printed(figures: dict[str, list[float]], seconds: float = 18.228, **more: str) -> TrialEvidence:
    return trial(figures, printed=True, elapsed=(seconds,), **more)  # type: ignore[arg-type]


def test_a_quoted_line_is_no_second_run() -> None:
    line, whole = printed(RUN), printed(WHOLE, job="test")
    assert without_quotes([line, whole]) == [whole]
    assert without_quotes([whole, line]) == [whole]
    assert without_quotes([line, line]) == [line]


def test_runs_with_a_figure_of_their_own_are_runs() -> None:
    """Of two whole outputs with the same figures each is a run, as where a limit makes them."""
    whole, other = printed(WHOLE, job="a"), printed(WHOLE, job="b")
    assert without_quotes([whole, other]) == [whole, other]
    slower = printed(RUN | {"read.iops": [43_000.0]})
    assert without_quotes([whole, slower]) == [whole, slower]
    later = printed(RUN, seconds=18.229)
    assert without_quotes([whole, later]) == [whole, later]
    timed = printed(RUN, seconds=60.001)
    assert without_quotes([timed, timed]) == [timed, timed]
    assert without_quotes([timed, printed(WHOLE, 60.001, job="a")]) != [timed]
    rounded = printed(RUN, seconds=18.0)
    assert without_quotes([rounded, rounded]) == [rounded, rounded]


def test_the_head_and_a_line_of_an_output_are_of_one_process() -> None:
    details = {"pid": 2883}
    parts = [
        trial(figures, printed=True, elapsed=(18.228,), job="a", started=9.0, details=details)
        for figures in (WHOLE, RUN)
    ]
    assert without_quotes(parts) == parts[:1]
    assert without_quotes(parts[::-1]) == parts[:1]
    assert without_quotes([parts[0], parts[0]]) == parts[:1]


def test_on_a_page_each_run_counts_once() -> None:
    line = "read: IOPS=43.1k, BW=168MiB/s (177MB/s)(3070MiB/18228msec)\n"
    other = "read:\tIOPS=41.3k, BW=161MiB/s (169MB/s)(3070MiB/19030msec)\n"
    page = f"## One\n```\n{line}```\n---\n## Two\n```\n{other}```\n## Again\n\n```\n{line}```\n"
    said = [(trial.label, trial.mean("read.iops")) for trial in case_of(page).trials]
    assert said == [("One", 43_100.0), ("Two", 41_300.0)]
