"""One self-contained page: no script, no font, no picture from elsewhere; readable on paper."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import ClassVar

from iosonde import units
from iosonde.records import Finding, Metric, Scalar, StackLayer, Trial, Verdict
from iosonde.report.charts import Figure, figures_of, headline_figures, verdict_figure
from iosonde.report.findings import findings_section
from iosonde.report.forecasts import forecasts_section
from iosonde.report.image import svg
from iosonde.report.rows import name_of, title_of
from iosonde.report.tuning import shown, tuning_of
from iosonde.report.tuning_html import tuning_section
from iosonde.report.waterfall import waterfall_figure, waterfall_section
from iosonde.sheets import ALONE, ComparedSheets, JointSheet, RunSheet, TrialSheet
from iosonde.visible import visible

_SIZES = {"size", "chunk_size", "strip_size", "stripe_width", "data_offset", "io_min", "io_opt"}


class HtmlFormat:
    """The report of one or several runs."""

    name: ClassVar[str] = "html"
    suffix: ClassVar[str] = ".html"

    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        """See `Format.serialize`."""
        style = files("iosonde.report").joinpath("page.css").read_text(encoding="utf-8")
        title = ", ".join(dict.fromkeys(sheet.run.study for sheet in runs))
        parts = [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>iosonde: {escape(title)}</title><style>{style}</style></head><body><main>",
            *_overview(runs, compared.verdicts),
            *(line for sheet in runs for line in _tuning(sheet)),
            *(
                line
                for sheet in runs
                for line in findings_section(
                    sheet.findings, sheet.run.study if len(runs) > 1 else ""
                )
            ),
            *(line for sheet in runs for line in _waterfalls(sheet)),
            *(line for sheet in runs for line in forecasts_section(sheet.forecasts)),
            *(line for sheet in runs for joint in sheet.joint for line in _joint(joint)),
            *(line for sheet in runs for trial in shown(sheet) for line in _trial(sheet, trial)),
            f"<footer>Written by iosonde on {_moment(time.time())}. Figures are means over the "
            "loops with the 95 % confidence interval of the mean; percentiles under “all loops” "
            "are of all I/Os together.</footer>",
            "</main></body></html>\n",
        ]
        return visible("\n".join(parts), lines=True).encode()


def _tuning(sheet: RunSheet) -> Iterator[str]:
    """What a campaign of `iosonde tune` found."""
    if tuning := tuning_of(sheet):
        yield from tuning_section(sheet.run, tuning, _charts)


def _waterfalls(sheet: RunSheet) -> Iterator[str]:
    """What each layer costs, where a load was measured at several places."""
    yield from waterfall_section(sheet.waterfalls)
    yield from _charts([waterfall_figure(one) for one in sheet.waterfalls])


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(seconds))


def _overview(runs: Sequence[RunSheet], verdicts: Sequence[Verdict]) -> Iterator[str]:
    for sheet in runs:
        run = sheet.run
        loops = sum(len(trial.trial.loops) for trial in sheet.trials)
        state = f'<span class="state-{run.state.value}">{run.state.value}</span>'
        yield f"<h1>{escape(run.study)}</h1>"
        yield (
            f'<p class="about">run {escape(run.id)}, {_moment(run.created)}, {state}: '
            f"{_counted(len(sheet.trials), 'trial')}, {_counted(loops, 'loop')}</p>"
        )
    plain = [sheet for sheet in runs if tuning_of(sheet) is None]
    yield from _summary(plain)
    figures = [figure for figure in (*headline_figures(plain), verdict_figure(verdicts)) if figure]
    yield from _charts(figures)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _summary(runs: Sequence[RunSheet]) -> Iterator[str]:
    """The headline of every trial on one screen."""
    if not any(sheet.trials for sheet in runs):
        return
    yield '<div class="wide"><table><thead><tr><th>trial</th><th class="text">metric</th>'
    yield "<th>mean</th><th>± 95 %</th><th>CV</th><th>loops</th></tr></thead><tbody>"
    for sheet in runs:
        mark = f" ({escape(sheet.run.id)})" if len(runs) > 1 else ""
        for trial in sheet.trials:
            for metric in trial.metrics:
                if metric.name in trial.headlines:
                    yield (
                        f"<tr><td>{escape(name_of(trial.trial))}{mark}</td>"
                        f'<td class="text">{escape(metric.name)}</td>'
                        f"<td>{units.show(metric.mean, metric.unit)}</td>"
                        f"<td>{_half(metric)}</td><td>{units.show(metric.cv, 'fraction')}</td>"
                        f"<td>{len(metric.loops)}</td></tr>"
                    )
    yield "</tbody></table></div>"


def _half(metric: Metric) -> str:
    if metric.ci95 is None or not metric.mean:
        return "–"
    half = (metric.ci95[1] - metric.ci95[0]) / 2
    return units.show_spread(half / abs(metric.mean))


def _trial(run: RunSheet, sheet: TrialSheet) -> Iterator[str]:
    trial = sheet.trial
    yield f'<section id="{escape(run.run.id)}-{escape(trial.id)}">'
    yield f"<h2>{escape(title_of(trial))}</h2>"
    yield f'<p class="about">{escape(_about(trial))}</p>'
    for finding in sheet.findings:
        yield _finding(finding)
    for fault in trial.faults:
        yield f'<p class="note error">{escape(fault)}</p>'
    if not trial.loops:
        yield '<p class="note">No loop of this trial was finished.</p>'
    yield from _metrics(sheet)
    yield from _charts(list(figures_of(sheet)))
    yield from _stack(sheet)
    if trial.command:
        yield f"<h3>Command</h3><pre>{escape(trial.command)}</pre>"
    yield "</section>"


def _joint(sheet: JointSheet) -> Iterator[str]:
    """What the targets of one load did together."""
    yield f"<section><h2>{escape(sheet.load)}: all {len(sheet.trials)} targets together</h2>"
    yield (
        f'<p class="about">Sums and merged histograms of {escape(", ".join(sheet.trials))}, '
        "which ran at the same time.</p>"
    )
    yield from _metrics(sheet)
    yield "</section>"


def _about(trial: Trial) -> str:
    """Where the trial was measured, or where it was read."""
    parts = []
    if trial.origin is None and trial.load.about:
        parts.append(trial.load.about)
    where = [f"Host {trial.host}"] if trial.host else []
    where += [f"target {trial.target.path}"] if trial.target.path else []
    if where:
        parts.append(", ".join(where) + ".")
    if origin := trial.origin:
        lines = f"lines {origin.first_line} to {origin.last_line}"
        parts.append(f"Printed by {trial.load.engine}; read in {origin.file}, {lines}.")
    return " ".join(parts)


def _finding(finding: Finding) -> str:
    remedy = f" {escape(finding.remedy)}" if finding.remedy else ""
    kind = " error" if finding.severity == "error" else ""
    return (
        f'<p class="note{kind}"><b>{escape(finding.rule)}</b>: '
        f"{escape(finding.message)}{remedy}</p>"
    )


def _metrics(sheet: TrialSheet | JointSheet) -> Iterator[str]:
    if not sheet.metrics:
        return
    yield '<div class="wide"><table><thead><tr><th>metric</th><th>mean</th>'
    yield "<th>95 % interval</th><th>stdev</th><th>CV</th><th>median</th><th>all loops</th>"
    yield "<th>loops</th></tr></thead><tbody>"
    for metric in sheet.metrics:
        mark = ' class="headline"' if metric.name in sheet.headlines else ""
        cells = [
            units.show(metric.mean, metric.unit),
            units.show_interval(metric.ci95, metric.unit),
            units.show(metric.stdev, metric.unit),
            units.show(metric.cv, "fraction"),
            units.show(metric.median, metric.unit),
            units.show(metric.merged, metric.unit) if metric.merged is not None else "",
            str(len(metric.loops)),
        ]
        row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        yield f"<tr{mark}><td>{escape(metric.name)}</td>{row}</tr>"
    yield "</tbody></table></div>"


def _charts(figures: Sequence[Figure]) -> Iterator[str]:
    if not figures:
        return
    yield '<div class="charts">'
    for figure in figures:
        picture = svg(figure.chart).replace(
            "<svg ", f'<svg role="img" aria-label="{escape(figure.alt)}" ', 1
        )
        yield f"<figure><figcaption>{escape(figure.title)}</figcaption>{picture}</figure>"
    yield "</div>"


def _stack(sheet: TrialSheet) -> Iterator[str]:
    """The layers below the target, top to bottom, each with its settings."""
    capture = sheet.trial.capture
    if capture is None:
        return
    known = {layer.id: layer for layer in capture.layers}
    below = [known[name] for name in sheet.below if name in known]
    if below:
        yield '<h3>What it stands on</h3><ol class="stack">'
        for level in _levels(below):
            yield '<li class="level">'
            for layer in level:
                yield from _layer(layer)
            yield "</li>"
        yield "</ol>"
    for host in capture.hosts:
        facts = [f"Linux {host.kernel}"]
        facts += [f"{host.cpus} CPUs"] if host.cpus else []
        facts += [f"{units.show_bytes(host.memory)} of memory"] if host.memory else []
        yield f'<p class="soft">{escape(host.name)}: {escape(", ".join(facts))}</p>'
    if capture.host_wide:
        yield "<details><summary>Settings of the whole host</summary>"
        yield _pairs(dict(capture.host_wide))
        yield "</details>"
    if capture.gaps:
        yield "<details><summary>What could not be read</summary><ul>"
        for gap in capture.gaps:
            yield f"<li>{escape(gap.what)}: {escape(gap.reason)} {escape(gap.remedy)}</li>"
        yield "</ul></details>"


def _levels(layers: Sequence[StackLayer]) -> list[list[StackLayer]]:
    """Layers by how deep they lie, so that the members of an array stand side by side."""
    depth: dict[str, int] = {}
    for layer in layers:  # topmost first, so every layer is reached before what it stands on
        depth.setdefault(layer.id, 0)
        for below in layer.below:
            depth[below] = max(depth.get(below, 0), depth[layer.id] + 1)
    return [
        [layer for layer in layers if depth[layer.id] == level]
        for level in sorted({depth[layer.id] for layer in layers})
    ]


def _layer(layer: StackLayer) -> Iterator[str]:
    size = f" {units.show_bytes(layer.size)}" if layer.size else ""
    mount = f" at {escape(layer.mount)}" if layer.mount else ""
    hazards = f' <span class="hazard">{escape(", ".join(layer.hazards))}</span>'
    yield (
        f'<div class="layer"><span class="kind">{escape(layer.kind)}</span> '
        f"{escape(layer.device)}{size}{mount}{hazards if layer.hazards else ''}"
    )
    for name, values in (("facts", layer.facts), ("settings", layer.settings)):
        if values:
            count = f"{len(values)} {name if len(values) > 1 else name[:-1]}"
            yield f"<details><summary>{count}</summary>"
            yield f"{_pairs(dict(values))}</details>"
    yield "</div>"


def _pairs(values: dict[str, Scalar]) -> str:
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(_value(name, value))}</dd>"
        for name, value in sorted(values.items())
    )
    return f'<dl class="settings">{rows}</dl>'


def _value(name: str, value: Scalar) -> str:
    if value is None:
        return "–"
    if name in _SIZES and isinstance(value, int):
        return f"{units.show_bytes(value)}"
    return str(value)
