"""The test set-up that a report of a steady state begins with.

Source:
    SNIA Solid State Storage Performance Test Specification 2.0.2: 5 (what every report says).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from iosonde import units
from iosonde.records.run import HEALTH, Trial
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Scalar, StackLayer
from iosonde.sentences import shortened_sentence


def study_of(sheet: RunSheet) -> Mapping[str, Any]:
    """The study that a run was planned from; empty of one without."""
    return cast("Mapping[str, Any]", sheet.run.plan.get("study") or {})


def setup_rows(sheet: RunSheet) -> Iterator[tuple[str, str]]:
    """What section 5 of the standard asks for, as far as it is known."""
    trials = [trial for trial in sheet.run.trials if trial.loops]
    if not trials:
        return
    first, study = trials[0], study_of(sheet)
    device = device_of(first)
    yield "device", first.target.path
    if device:
        facts = {**device.facts, **device.settings}
        for name, label in (
            ("model", "model"), ("serial", "serial number"), ("firmware", "firmware"),
            ("transport", "interface"), ("write_cache", "volatile write cache"),
            ("logical_block_size", "logical block size"), ("scheduler", "I/O scheduler"),
        ):  # fmt: skip
            if facts.get(name) not in {None, ""}:
                yield label, _fact(name, facts[name])
        if device.size:
            yield "capacity", units.show_bytes(device.size)
        if facts.get("link_width"):
            yield (
                "PCIe link",
                f"{float(facts['link_speed'] or 0) / 1e9:g} GT/s x{facts['link_width']}",
            )
    yield from _software(first)
    prepare = study.get("prepare") or {}
    yield "purge", "discard of the whole device" if prepare.get("discard") else "none"
    passes = prepare.get("precondition") or 0
    yield (
        "workload-independent preconditioning",
        f"{passes} × the capacity, sequential writes of {units.show_bytes(prepare.get('bs') or 0)}"
        if passes else "none",
    )  # fmt: skip
    for load in dict.fromkeys(trial.load.varied_from or trial.load.name for trial in trials):
        trial = next(row for row in trials if load in {row.load.varied_from, row.load.name})
        yield f"load {load}", _options(study, load) or trial.command
    if study.get("seconds"):
        yield "length of a loop", units.show_seconds(float(study["seconds"]))
    if short := shortened_sentence(study):
        yield "shorter than the standard", short
    yield from _health(trials)


def _software(trial: Trial) -> Iterator[tuple[str, str]]:
    for host in trial.capture.hosts if trial.capture else ():
        memory = f", {units.show_bytes(host.memory)} of memory" if host.memory else ""
        cpus = f"{host.cpus} CPU{'s' * (host.cpus != 1)}"
        yield "host", f"{host.name}, Linux {host.kernel}, {cpus}{memory}"
    engine = trial.load.engine
    version = trial.loops[0].result.tool_version.removeprefix(engine).strip("- ")
    yield "test software", f"iosonde with {engine} {version}".rstrip()


def _options(study: Mapping[str, Any], load: str) -> str:
    """The options of a load as its study declares them; empty where they are no mapping."""
    declared = next(
        (entry for entry in study.get("loads") or () if isinstance(entry, dict)
         and entry.get("name") == load), {},
    )  # fmt: skip
    options = next((value for value in declared.values() if isinstance(value, dict)), {})
    return " ".join(f"{name}={_option(value)}" for name, value in options.items())


def _option(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(_option, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def _fact(name: str, value: Scalar) -> str:
    return (
        units.show_bytes(value) if name.endswith("_size") and isinstance(value, int) else str(value)
    )


def device_of(trial: Trial) -> StackLayer | None:
    """The layer that was measured, where it is a device that was captured."""
    return next(
        (layer for layer in trial.capture.layers if layer.device == trial.target.path
         and layer.host == trial.target.host), None,
    ) if trial.capture else None  # fmt: skip


def _health(trials: Sequence[Trial]) -> Iterator[tuple[str, str]]:
    """What the drives' own logs said before the first loop and after the last."""
    spans: dict[tuple[str, str, str], list[float]] = {}
    loops = sorted(
        (loop for trial in trials for loop in trial.loops), key=lambda loop: loop.started
    )
    for series in (each for loop in loops for each in loop.series if each.sampler == HEALTH):
        values = [value for value in series.values if value is not None]
        spans.setdefault((series.subject, series.name, series.unit), []).extend(values)
    for (drive, name, unit), values in spans.items():
        if values and name in {
            "temperature",
            "media_wear",
            "spare",
            "written",
            "throttle_time",
            "warning_temperature_time",
            "media_errors",
            "unsafe_shutdowns",
            "critical_warning",
        }:
            before, after = (units.show(value, unit) for value in (values[0], values[-1]))
            shown_most = name in {"temperature", "critical_warning"}
            most = f", at most {units.show(max(values), unit)}" if shown_most else ""
            yield f"{drive} {name.replace('_', ' ')}", f"{before} before, {after} after{most}"
