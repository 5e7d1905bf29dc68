"""`iosonde run`: measure a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from iosonde.cli import run_options as option
from iosonde.cli.measuring import completion_code, resume_options, show_commands, watched
from iosonde.cli.options import Destroy, InContainer, StorePlace, StudyOrRun, Trace, permitted
from iosonde.cli.output import write_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iosonde.verbs.run import MeasuredRun


def run(
    study: StudyOrRun = None,
    fio: option.FioLoads = None,
    load: option.NamedLoads = None,
    target: option.Targets = None,
    name: option.RunName = None,
    tag: option.RunTags = None,
    loops: option.Loops = None,
    until: option.Until = None,
    max_seconds: option.MaxSeconds = None,
    require: option.Requirements = None,
    seconds: option.LoopSeconds = None,
    size: option.ScratchSize = None,
    simultaneous: option.Simultaneous = None,
    together: option.Together = None,
    interleave: option.Interleave = None,
    memory: option.MemoryLimit = None,
    values: option.Values = None,
    drop_caches: option.DropCaches = None,
    ledger: option.Ledger = None,
    destroy: Destroy = None,
    in_container: InContainer = False,
    resume: option.Resume = False,
    report: option.Report = None,
    store: StorePlace = None,
    dry_run: option.DryRun = False,
    trace: Trace = False,
    everything: option.AllMetrics = False,
    as_json: option.AsJson = False,
) -> int:
    """Measure how fast a storage stack is: loads at targets, in loops, with honest statistics."""
    from iosonde.extras import require_extra
    from iosonde.hosts.command import set_trace
    from iosonde.measure.requirements import parse_option
    from iosonde.outputs import require_output
    from iosonde.stack.overrides import parse_overrides
    from iosonde.verbs import run as verb

    set_trace(trace)
    permitted(destroy, in_container=in_container)
    options: dict[str, Any] = {
        "targets": target or None,
        "tags": tag or None,
        "loads": [*({"fio": text} for text in fio or []), *(load or [])] or None,
        "loops": loops,
        "seconds": seconds,
        "size": size,
        "simultaneous": simultaneous,
        "together": together,
        "interleave": list(interleave) if interleave else None,
        "memory": memory,
        "ledger": ledger,
        "set": parse_overrides(values) if values else None,
    }
    if until or (max_seconds and not require):
        limit = {"max_seconds": max_seconds} if max_seconds else {}
        options["until"] = {**({"halfwidth": until} if until else {}), **limit}
    if require:
        options["require"] = dict(map(parse_option, require))
        options["max_seconds"] = max_seconds
    if drop_caches:
        options["prepare"] = {"drop_caches": True}
    options = {key: value for key, value in options.items() if value is not None}
    options |= {"resume": resume, "name": name or "", "store": store, "tell": write_message}
    if dry_run:
        return show_commands(verb.commands(study, **options), as_json=as_json)
    if report is not None:
        require_extra("report")
        require_output(report, "the report")
    again = resume_options(store, destroy, in_container=in_container)
    with watched(again) as progress:
        measured = verb.run(
            study, destroy=destroy or (), in_container=in_container, progress=progress, **options
        )
    return _show(measured, report, again, store, everything=everything, as_json=as_json)


def _show(
    measured: MeasuredRun, report: Path | None, again: Sequence[str], store: str | None, *,
    everything: bool, as_json: bool,
) -> int:  # fmt: skip
    """Show what was measured, say what was not and how to go on; the exit code."""
    from iosonde.cli.result import show_result

    show_result(measured, report, everything=everything, as_json=as_json, store=store)
    return completion_code(measured, again)
