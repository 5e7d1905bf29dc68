"""A comparison as a person reads it: the answer, what changed, what is proven, what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from shlex import join
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import err, out, print_next, styled
from iosonde.cli.table import TableColumn, fitted
from iosonde.sentences import curve_name, loops_words, metric_words, short_knee, verdict_words

if TYPE_CHECKING:
    from rich.text import Text

    from iosonde.records.comparison import ComparedMetric
    from iosonde.verbs.compare import ComparedRuns

_COLOURS = {"better": "green", "worse": "red", "equivalent": "cyan", "undecided": "yellow"}
_PROVEN = {"better", "worse"}
_SETTINGS = 6  # that differ, as many as one reads at once
_COLUMNS = (
    TableColumn("trial", name=True), TableColumn("metric"),
    TableColumn("baseline", right=True, rank=2), TableColumn("candidate", right=True, rank=1),
    TableColumn("change", right=True), TableColumn("interval", right=True, rank=3),
    TableColumn("verdict"), TableColumn("loops", right=True, rank=4),
)  # fmt: skip


def print_comparison(compared: ComparedRuns, runs: Sequence[str], *, everything: bool) -> None:
    """The answer in the first line, then the rows that carry it.

    Args:
        compared: the verdicts.
        runs: as they were named on the command line, the baseline first.
        everything: also metrics without a proven change, and all settings that differ.
    """
    console = out()
    pairs = [list(pair) for _, pair in groupby(compared.verdicts, _pair)]
    console.print(comparison_answer(compared))
    _print_settings(compared, everything=everything)
    print_knees(compared)
    console.print()
    shown = [_shown(pair, everything=everything) for pair in pairs]
    console.print(fitted(_COLUMNS, [
        row for pair in shown for row in _rows(pair, compared)
    ]))  # fmt: skip
    console.print()
    hidden = len(compared.verdicts) - sum(map(len, shown))
    if hidden:
        metrics = "metric has" if hidden == 1 else "metrics have"
        console.print(f"{hidden} other {metrics} no proven change, or the same: --all")
    console.print(styled("[dim]{}[/dim]", _certainty(compared)))
    for finding in compared.findings:
        console.print(styled("[yellow]{}[/yellow]: {}", finding.rule, finding.message))
    for gate in compared.gates:
        colour = {"passed": "green", "failed": "red", "missing": "red"}.get(gate.state, "yellow")
        line = styled("gate {} {}, {}: ", gate.metric, units.show_fraction(gate.limit), gate.label)
        console.print(line.append(gate.state, style=colour))
    if compared.in_turns:
        console.print(styled("drift: measure both in turns: [bold]{}[/bold]", compared.in_turns))
    ids = dict.fromkeys(name.partition("/")[0] for name in runs)
    print_next(join(["iosonde", "report", *ids]))


def print_knees(compared: ComparedRuns) -> None:
    """Where the knee of each response curve was and is, with intervals."""
    several = len({pair.candidate for pair in compared.curves}) > 1
    for pair in compared.curves:
        knees = " → ".join(map(short_knee, pair.curves))
        if any(curve.knee for curve in pair.curves):
            knees += " I/Os in flight"
        else:
            knees = "none in either run"
        run = f" ({pair.candidate})" if several else ""
        name = curve_name(pair.curves[0], [pair.curves[0]])
        out().print(styled("knee: [bold]{}[/bold] {}{}", name, knees, run))


def print_warnings(compared: ComparedRuns) -> None:
    """What was not compared, and gates that decide nothing, on standard error."""
    for trial in compared.alone:
        err().print(
            styled("{} of {} is compared with nothing: {}", trial.label, trial.of, trial.why),
            style="yellow",
        )
    for gate in compared.gates:
        if gate.state == "undecided":
            advice = loops_words(gate.more_loops)
            err().print(
                f"gate {gate.metric} is not failed, but undecided: {gate.reason}"
                f"{f'; {advice}' if advice else ''}",
                style="yellow",
            )
        elif gate.state == "missing":
            err().print(
                styled("gate {} fails, {}: {}", gate.metric, gate.label, gate.reason), style="red"
            )


def _pair(verdict: ComparedMetric) -> tuple[str, str, tuple[str, str]]:
    return verdict.baseline, verdict.candidate, verdict.trials


def comparison_answer(compared: ComparedRuns) -> Text:
    """One sentence: the verdict on the only trial, or how many trials are better and worse."""
    pairs = [list(pair) for _, pair in groupby(compared.verdicts, _pair)]
    first = pairs[0][0]
    if len(pairs) == 1:
        heads = _heads(pairs[0])
        sentence = "; ".join(
            verdict_words(verdict, compared.margin, verdict.reason)
            for verdict in (*heads, *_proven(pairs[0], heads)[:1])
        )
        return styled(
            "[bold]{} against {}[/bold]{}: {}", _name(first, first.candidate),
            _name(first, first.baseline), _turns(first), sentence,
        )  # fmt: skip
    sentences = [
        f"{_name(first, candidate)} {_counts([_heads(pair)[0] for pair in group], compared.margin)}"
        for candidate, group in groupby(pairs, lambda pair: pair[0].candidate)
    ]
    return styled("[bold]against {}[/bold]{}: {}", _name(first, first.baseline), _turns(first),
                  "; ".join(sentences))  # fmt: skip


def _name(verdict: ComparedMetric, name: str) -> str:
    """What a run is called: its arm alone where both are arms of one run."""
    return name.partition("/")[2] if verdict.pairs is not None else name


def _turns(verdict: ComparedMetric) -> str:
    """The run whose loops were taken in turns, and how many pairs they are; else nothing."""
    if verdict.pairs is None:
        return ""
    return f" (in turns, {verdict.pairs} pairs, run {verdict.candidate.partition('/')[0]})"


def _counts(verdicts: Sequence[ComparedMetric], margin: float) -> str:
    """In how many trials the headline is better, worse …, and by how much."""
    phrases = {
        "better": "is better in {}", "worse": "is worse in {}",
        "equivalent": f"makes no difference beyond {units.show_fraction(margin)} in {{}}",
        "undecided": "has no proven change in {}",
    }  # fmt: skip
    parts = []
    for outcome, phrase in phrases.items():
        alike = [verdict for verdict in verdicts if verdict.outcome.value == outcome]
        if not alike:
            continue
        part = phrase.format(f"{len(alike)} of {len(verdicts)} trials")
        changes = [verdict.change for verdict in alike if verdict.change is not None]
        metrics = {verdict.metric for verdict in alike}
        if outcome in _PROVEN and changes and len(metrics) == 1:
            shown = units.show_changes(min(changes), max(changes))
            part += f" ({metric_words(metrics.pop())} {shown})"
        parts.append(part)
    return ", ".join(parts)


def _heads(pair: Sequence[ComparedMetric]) -> list[ComparedMetric]:
    """The verdicts that stand for a pair of trials."""
    return [verdict for verdict in pair if verdict.headline] or list(pair[:1])


def _proven(
    pair: Sequence[ComparedMetric], besides: Sequence[ComparedMetric]
) -> list[ComparedMetric]:
    """Proven changes besides some, the largest first; a figure in another unit is the same."""
    changes = {round(verdict.change or 0.0, 4) for verdict in besides}
    proven = []
    for verdict in sorted(pair, key=lambda verdict: -abs(verdict.change or 0.0)):
        change = round(verdict.change or 0.0, 4)
        if verdict.outcome in _PROVEN and verdict not in besides and change not in changes:
            changes.add(change)
            proven.append(verdict)
    return proven


def _shown(pair: Sequence[ComparedMetric], *, everything: bool) -> list[ComparedMetric]:
    """The rows of a trial: its headlines and what is proven, or all."""
    if everything:
        return list(pair)
    heads = _heads(pair)
    return [*heads, *_proven(pair, heads)]


def _rows(pair: Sequence[ComparedMetric], compared: ComparedRuns) -> list[list[str | Text]]:
    """Of one pair of trials; what tells it from others stands in the first."""
    label = _label(pair[0], compared.verdicts)
    return [_row(label if verdict is pair[0] else "", verdict) for verdict in pair]


def _label(verdict: ComparedMetric, others: Sequence[ComparedMetric]) -> str:
    """Candidate, load, probe and host, as far as they are not the same everywhere."""
    trial = verdict.trial
    parts = []
    if len({other.trial.load for other in others}) > 1:
        parts.append(trial.load)
    if len({other.trial.probe for other in others}) > 1:
        parts.append(f"at {trial.probe}" if parts else trial.probe)
    if len({other.trial.host for other in others}) > 1:
        parts.append(f"on {trial.host}" if parts else trial.host)
    label = " ".join(parts) or trial.load
    several = len({other.candidate for other in others}) > 1
    return f"{verdict.candidate}: {label}" if several else label


def _row(load: str, verdict: ComparedMetric) -> list[str | Text]:
    word = verdict.outcome.value
    text = styled("{}", "no difference" if word == "equivalent" else word)
    text.stylize(_COLOURS[word])
    if verdict.more_loops is not None or verdict.reason:
        text.append(f": {loops_words(verdict.more_loops) or verdict.reason}")
    return [
        load,
        styled("[bold]{}[/bold]", verdict.metric) if verdict.headline else verdict.metric,
        *(units.show(figure, verdict.unit) for figure in verdict.figures),
        "–" if verdict.change is None else units.show_change(verdict.change),
        units.show_changes(*verdict.interval) if verdict.interval else "–",
        text,
        ", ".join(map(str, verdict.loops)),
    ]


def _certainty(compared: ComparedRuns) -> str:
    counted = compared.comparisons
    together = f"all {counted} comparisons together" if counted > 1 else "this comparison"
    sure, margin = units.show_fraction(1 - compared.level), units.show_fraction(compared.margin)
    return f"intervals hold for {together} with {sure}; margin {margin}"


def _print_settings(compared: ComparedRuns, *, everything: bool) -> None:
    """What changed between the runs, a setting a line."""
    differ = list(compared.settings_differ.items())
    for name, values in differ if everything else differ[:_SETTINGS]:
        chain = " → ".join("not set" if value is None else str(value) for value in values)
        out().print(styled("changed: [bold]{}[/bold] {}", name, chain))
    if len(differ) > _SETTINGS and not everything:
        out().print(f"changed: {len(differ) - _SETTINGS} more settings: --all")
