"""A replayed trace as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.measuring import completion_code
from iosonde.cli.output import err, out, print_json, styled
from iosonde.cli.result import next_commands, print_run, write_report

if TYPE_CHECKING:
    from iosonde.verbs.replay import ReplayedTrace


def show_replay(
    done: ReplayedTrace, report: Path | None, again: Sequence[str], store: str | None, *,
    as_json: bool,
) -> int:  # fmt: skip
    """Print it, write its report; 1 where the trace's rate was not kept.

    Args:
        done: what was replayed.
        report: where a page of it goes.
        again: options that `run --resume` needs as well.
        store: where the run is kept, as the user named it; None: the usual one.
        as_json: print the record.
    """
    if as_json:
        print_json(done.to_json())
    else:
        print_run(
            done.measured.sheet, answer=styled("[bold]{}[/bold]", _answer(done)),
            after=next_commands(done.measured, store),
        )  # fmt: skip
        for why, count in done.left_out.items():
            err().print(f"left out: {count:,} {why}", style="yellow")
    if report is not None:
        write_report(done.measured.sheet, report)
        if not as_json:
            out().print(f"report: {report.resolve()}")
    return completion_code(done.measured, again) or int(done.kept_up is False)


def _answer(done: ReplayedTrace) -> str:
    """How it went, how true to the trace, and the slowest hundredth of each direction."""
    if done.elapsed is None:
        return f"{done.trace}: nothing was measured"
    metrics = done.measured.trials[0].metrics
    slowest = [
        f"{way} p99 {units.show_seconds(metric.mean)}"
        for way in ("read", "write", "sync")
        if (metric := metrics.get(f"{way}.latency.p99"))
    ]
    how = f"at {done.speed:g} times its speed" if done.speed else "as fast as possible"
    how = "as recorded" if done.speed == 1 else how
    if done.arrival_error_p99 is not None and done.lag is not None:
        lag = "no lag" if done.kept_up else f"{units.show_seconds(done.lag)} behind at the end"
        how += f" (arrival error p99 {units.show_seconds(done.arrival_error_p99)}, {lag})"
    return (
        f"replayed {done.requests:,} requests in {units.show_seconds(done.elapsed)} {how}: "
        f"{', '.join(slowest) or 'no figures'}"
    )
