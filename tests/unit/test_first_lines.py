"""What a person sees first: the answer before its evidence, within the terminal's columns."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from iosonde.change.build import Report, State
from iosonde.cli.import_answer import ResultRanges, TrialFigure
from iosonde.cli.imported import rows_and_figures
from iosonde.cli.output import print_next
from iosonde.cli.settings import _print
from iosonde.cli.steps import StepsAnswer, print_steps
from iosonde.cli.trend import _ends
from iosonde.errors import UsageError
from iosonde.settings.declared import Needs
from iosonde.text.document import of_bytes
from iosonde.text.find import find
from iosonde.verbs.settings import HostSetting, HostSettings
from iosonde.verbs.up import StackSteps


def setting(
    name: str, value: str, allowed: tuple[str, ...], *, needs: Needs = "nothing"
) -> HostSetting:
    return HostSetting(
        layer="local", name=name, value=value, boot=value, kept="", allowed=allowed, unit="",
        needs=needs, risk="none", unsafe=(), settable=True, why_not="", tentative=False,
        mechanism="", address="", full_name=f"net.ipv4.{name}",
    )  # fmt: skip


def interrupts(count: int) -> str:
    rows = "".join(f" {24 + n}:  {n}  0  PCI-MSI {n}-edge  virtio0\n" for n in range(count))
    return f"           CPU0       CPU1\n{rows}"


@pytest.mark.parametrize(("count", "rows"), [(4, 4), (5, 5), (6, 5), (40, 5)])
def test_of_many_counters_the_first_are_shown_and_how_many_more(count: int, rows: int) -> None:
    outputs = list(find(of_bytes("i.txt", interrupts(count).encode())))
    shown = [row for output in outputs for row in rows_and_figures(output).rows]
    assert len(shown) == rows
    assert (shown[-1].what == f"… {count - 4} more") == (count > 5)


def test_what_is_next_is_one_line_where_it_fits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns, lines in ((34, 1), (33, 2)):
        monkeypatch.setenv("COLUMNS", str(columns))
        print_next("iosonde report a", "iosonde b")
        shown = capsys.readouterr().out.splitlines()
        assert len(shown) == lines, shown
        assert max(map(len, shown)) <= columns


def test_where_nothing_is_next_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_next()
    assert capsys.readouterr().out == ""


_ANSWER = StepsAnswer("s is built", "s stands as declared", ("iosonde down s",))


@pytest.mark.parametrize(
    ("states", "lines"),
    [
        (("done", "unchanged"), ["s is built (2 steps: 1 done, 1 unchanged)",
                                 "next: iosonde down s"]),
        (("unchanged", "found"), ["s stands as declared (2 steps: 1 unchanged, 1 found)"]),
        ((), ["s stands as declared"]),
    ],
)  # fmt: skip
def test_what_became_of_the_steps_is_said_first(
    states: tuple[State, ...], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def verb(progress: Callable[[Report], None]) -> StackSteps:
        for state in states:
            progress(Report("d", "here", "make it", "make --it", state, 0.0, ""))
        return StackSteps(())

    assert print_steps(verb, _ANSWER, as_json=False) == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_planned_steps_stand_below_how_many_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    step = Report("d", "here", "make it", "make --it", "planned", 0.0, "")

    def planned(progress: object) -> StackSteps:
        assert callable(progress)
        progress(step)
        progress(step)
        raise UsageError("no more")

    with pytest.raises(UsageError):
        print_steps(planned, _ANSWER, as_json=False)
    assert capsys.readouterr().out.splitlines()[:2] == ["2 steps: 2 planned", "d on here: make it"]


@pytest.mark.parametrize("columns", [60, 80])
def test_settings_fit_the_terminal_and_no_name_is_broken(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    name = "tcp_slow_start_after_idle"
    settings = (
        setting(name, value="mq-deadline", allowed=("none", "mq-deadline", "kyber")),
        setting("atime", value="relatime", allowed=("noatime", "strictatime"), needs="remount"),
    )
    _print(HostSettings(settings), fixed=False)
    first, *rows = capsys.readouterr().out.splitlines()
    assert first == "2 settings"
    assert max(map(len, rows)) <= columns
    assert any(row.startswith(f"net.ipv4.{name} ") and "mq-deadline" in row for row in rows)
    assert ("remount" in "\n".join(rows)) == (columns == 80)


@pytest.mark.parametrize(
    ("means", "shown"),
    [((4810.0,), "4,810 IOPS"), ((4810.0, 5.0, 4050.0), "4,810 IOPS … 4,050 IOPS")],
)
def test_a_line_of_bars_has_its_first_and_last_figure(means: list[float], shown: str) -> None:
    assert _ends(means, "1/s") == shown


@pytest.mark.parametrize(("latencies", "said"), [
    ((3e-6, 8e-6), "write 5,000 IOPS in each of 2 trials, mean latency 3 … 8 µs, lowest in “a”"),
    ((3e-6, 3e-6), "write 5,000 IOPS in each of 2 trials, mean latency 3 µs"),
    ((3e-6, None), "write 5,000 IOPS in each of 2 trials"),
])  # fmt: skip
def test_trials_of_one_rate_are_told_apart_by_their_latency(
    latencies: tuple[float, float | None], said: str
) -> None:
    ranges = ResultRanges()
    ranges.add(
        TrialFigure("fio", "write.iops", "1/s", 5000.0, label, "", "1–9", (), (), None, latency)
        for label, latency in zip("ab", latencies, strict=True)
    )
    assert ranges.sentence().startswith(f"fio: {said}")
    assert latencies[1] or "latency" not in ranges.sentence()
