"""Rules about what drives say of themselves: wear, spare blocks, heat, errors, lost power.

Source:
    NVM Express Base Specification 2.0, 5.16.1.3 (SMART / Health Information) and 8.15 (host
    controlled thermal management); JESD218B, which rates endurance at 100 % used; ACS-4, 9.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from iosonde import units
from iosonde.layers.disk.facts_health import ALARMS, HEALTH_UNITS, TOO_HOT
from iosonde.layers.disk.later_health import is_gone
from iosonde.records.evidence import (
    EvidenceSet,
    Rule,
    StateEvidence,
    TrialEvidence,
    called,
    subject_of,
)
from iosonde.records.finding import Evidence, Finding
from iosonde.records.run import HEALTH

_WORN = 0.9
_MANY_UNSAFE = 10
_UNSAFE_SHARE = 0.2
_SPARE_BIT, _FAILING_BITS = 1, {4: "its reliability is degraded", 8: "its medium is read-only",
                                16: "the backup of its volatile memory failed"}  # fmt: skip
_LOG = "NVM Express Base Specification 2.0, 5.16.1.3; ACS-4, 9.5"


def _wear(case: EvidenceSet) -> Iterator[Finding]:
    for state in case.of_kind("disk"):
        wear = state.number("media_wear")
        if wear < _WORN:
            continue
        yield Finding(
            "media-wear", "warning", subject_of(state),
            f"{called(state)} has used {units.show_fraction(wear)} of the writes that its flash is "
            "rated for: retention without power and the speed of writes are no longer what the "
            "data sheet promises.",
            state.evidence("media_wear", "written", units=HEALTH_UNITS),
            "replace the drive before it is relied on; figures measured on it are those of a "
            "worn drive",
            f"smartctl -a {_path(state)}: “Percentage Used” after a day of the usual load",
        )  # fmt: skip


def _spare(case: EvidenceSet) -> Iterator[Finding]:
    for state in case.of_kind("disk"):
        spare, is_said = state.number("spare"), "spare" in state.values
        warned = int(state.number("critical_warning")) & _SPARE_BIT
        if warned or (is_said and spare < state.number("spare_threshold")):
            yield Finding(
                "spare-low", "error", subject_of(state),
                f"{called(state)} has few spare blocks left"
                + (f" ({units.show_fraction(spare)})" if is_said else "")
                + ": worn or defective ones can soon not be replaced any more.",
                state.evidence("spare", "spare_threshold", "critical_warning", units=HEALTH_UNITS),
                "copy its data and replace the drive",
                f"smartctl -a {_path(state)}: “Available Spare” against its threshold",
            )  # fmt: skip


def _failing(case: EvidenceSet) -> Iterator[Finding]:
    for state in case.of_kind("disk"):
        bits = int(state.number("critical_warning"))
        reasons = [phrase for bit, phrase in _FAILING_BITS.items() if bits & bit]
        if state.values.get("health_passed") is False and not bits:
            reasons.append("its own assessment of its health has failed")
        if reasons:
            yield Finding(
                "drive-failing", "error", subject_of(state),
                f"{called(state)} reports that {' and that '.join(reasons)}.",
                (
                    *state.evidence("critical_warning", units=HEALTH_UNITS),
                    Evidence("health passed", state.values.get("health_passed"), "", state.where),
                ),
                "copy its data and replace the drive; measure nothing on it",
                f"smartctl -H {_path(state)}",
            )  # fmt: skip


def _hot(case: EvidenceSet) -> Iterator[Finding]:
    """Heat over the life of a drive."""
    for state in case.of_kind("disk"):
        names = ("warning_temperature_time", "critical_temperature_time", "throttle_time")
        if int(state.number("critical_warning")) & TOO_HOT:
            continue
        if not any(map(state.number, names)):
            continue
        spent = max(map(state.number, names))
        yield Finding(
            "temperature-throttling", "note", subject_of(state),
            f"{called(state)} has spent {units.show_seconds(spent)} of its life too hot: it slows "
            "itself down then, and long loads measure its cooling.",
            state.evidence("temperature", *names, "throttle_count", units=HEALTH_UNITS),
            "give it air or a heat sink; where a trial is flagged with this name, it happened "
            "while that was measured",
            "the same figures before and after a long write at full speed",
        )  # fmt: skip


def _warns(case: EvidenceSet) -> Iterator[Finding]:
    """Drives that are too hot now."""
    for state in case.of_kind("disk"):
        if int(state.number("critical_warning")) & TOO_HOT:
            yield Finding(
                "temperature-throttling", "warning", subject_of(state),
                f"{called(state)} warns that its temperature is beyond its threshold: drives slow "
                "themselves down then.",
                state.evidence(
                    "temperature", "critical_warning", "throttle_time", units=HEALTH_UNITS
                ),
                "give it air or a heat sink before anything is measured on it",
                f"nvme smart-log {_path(state)}: “critical_warning” without its bit 1",
            )  # fmt: skip


def _unsafe(case: EvidenceSet) -> Iterator[Finding]:
    for state in case.of_kind("disk"):
        unsafe, cycles = state.number("unsafe_shutdowns"), state.number("power_cycles")
        if not cycles or unsafe <= _MANY_UNSAFE:
            continue
        if unsafe / cycles > _UNSAFE_SHARE:
            yield Finding(
                "unsafe-shutdowns", "note", subject_of(state),
                f"{called(state)} lost power without notice {int(unsafe):,} times in "
                f"{int(cycles):,} power cycles: what its write cache held then is lost "
                "unless capacitors keep it.",
                state.evidence("unsafe_shutdowns", "power_cycles", units=HEALTH_UNITS),
                "look whether the host shuts down in an orderly way, and whether the drive has "
                "power-loss protection",
                "the counter before and after an orderly shutdown: it does not rise",
            )  # fmt: skip


def _errors(case: EvidenceSet) -> Iterator[Finding]:
    names = ("media_errors", "pending_sectors", "uncorrectable_sectors")
    for state in case.of_kind("disk"):
        if any(state.number(name) and not is_gone(case, state, name) for name in names):
            yield Finding(
                "media-errors", "error", subject_of(state),
                f"{called(state)} has data that it could not read back: I/Os to them are tried "
                "again and again, and end in errors.",
                state.evidence(*names, "reallocated_sectors", units=HEALTH_UNITS),
                "replace the drive, or in an array scrub it; write to sectors that are pending",
                f"smartctl -t long {_path(state)}, and the kernel's log",
            )  # fmt: skip


def _uncorrected(case: EvidenceSet) -> Iterator[Finding]:
    """SAS drives that count reads which no repetition corrected."""
    names = ("read_uncorrected", "verify_uncorrected")
    for state in case.of_kind("disk"):
        if any(map(state.number, names)):
            yield Finding(
                "media-errors", "error", subject_of(state),
                f"{called(state)} counts reads that neither its code nor a repetition corrected: "
                "they ended in errors.",
                state.evidence(*names, "reallocated_sectors", units=HEALTH_UNITS),
                "replace the drive, or in an array scrub it",
                f"smartctl -t long {_path(state)}, and the kernel's log",
            )  # fmt: skip


def _interface(case: EvidenceSet) -> Iterator[Finding]:
    """A SATA or SAS drive that agreed on less than it can do."""
    for state in case.of_kind("disk"):
        now, most = (state.number(f"interface_speed{end}") for end in ("", "_max"))
        if now and most and now < most:
            yield Finding(
                "interface-speed", "warning", subject_of(state),
                f"{called(state)} is linked at {now / 1e9:g} Gbit/s although it can do "
                f"{most / 1e9:g} Gbit/s.",
                state.evidence("interface_speed", "interface_speed_max", units=HEALTH_UNITS),
                "another cable, slot or controller; the kernel lowers the speed of a link with "
                "errors (dmesg: “limiting SATA link speed”)",
                "sequential reads at full queue depth with both",
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rise:
    """How far the counters of one drive rose during a trial's loops."""

    trial: TrialEvidence
    drive: str
    counters: Mapping[str, float]


def _rises(case: EvidenceSet, rule: str) -> Iterator[_Rise]:
    """Drives of which counters that a rule is about rose during the loops of a trial."""
    for trial in case.trials:
        risen: dict[str, dict[str, float]] = {}
        for series in (
            series for loop in trial.series for series in loop if series.sampler == HEALTH
        ):
            if ALARMS.get(series.name) != rule or len(series.values) < 2:
                continue
            first, last = series.values[0], series.values[-1]
            if first is not None and last is not None and last > first:
                counters = risen.setdefault(series.subject, {})
                counters[series.name] = counters.get(series.name, 0.0) + last - first
        for drive, counters in risen.items():
            yield _Rise(trial, drive, counters)


_DURING = {
    "temperature-throttling": (
        "warning",
        "became too hot and slowed itself down: the trial measured its cooling.",
        "cool it, or measure in shorter loops with pauses; compare nothing with this trial",
        "the rate of the loops beside `temperature` in their series",
    ),
    "media-errors": (
        "error",
        "could not read data back, or replaced sectors.",
        "replace the drive; the latencies of this trial hold its retries",
        "the kernel's log of that time",
    ),
    "unsafe-shutdowns": (
        "error",
        "lost power or was reset.",
        "look in the kernel's log for a controller reset, and at cable and power supply",
        "the counter over the same load again",
    ),
    "interface-errors": (
        "warning",
        "saw transfers with wrong checksums, which were sent again.",
        "another cable or slot",
        "the counter over the same load again",
    ),
}  # fmt: skip


def _risen(case: EvidenceSet, rule: str) -> Iterator[Finding]:
    severity, phrase, remedy, confirm = _DURING[rule]
    for rise in _rises(case, rule):
        yield Finding(
            rule, "error" if severity == "error" else "warning", rise.trial.label,
            f"{rise.drive} {phrase}",
            tuple(
                Evidence(f"rise of {name.replace('_', ' ')} of {rise.drive}", value,
                         HEALTH_UNITS[name], rise.trial.where)
                for name, value in rise.counters.items()
            ),
            remedy, confirm,
        )  # fmt: skip


def _throttled(case: EvidenceSet) -> Iterator[Finding]:
    return _risen(case, "temperature-throttling")


def _warned(case: EvidenceSet) -> Iterator[Finding]:
    """Drives that warned of their temperature before or after a loop, and counted no throttling."""
    rule = "temperature-throttling"
    counted = {(rise.trial.where, rise.drive) for rise in _rises(case, rule)}
    for trial in case.trials:
        loops: dict[str, list[int]] = {}
        heat: dict[str, float] = {}
        for number, series in ((at, each) for at, loop in enumerate(trial.series, 1)
                               for each in loop if each.sampler == HEALTH):  # fmt: skip
            values = [value for value in series.values if value is not None]
            if series.name == "temperature" and values:
                heat[series.subject] = max(*values, heat.get(series.subject, values[0]))
            hot = series.name == "critical_warning" and any(int(bits) & TOO_HOT for bits in values)
            if hot and (trial.where, series.subject) not in counted:
                loops.setdefault(series.subject, []).append(number)
        for drive, numbers in loops.items():
            evidence = [Evidence(f"loops around which {drive} warned", len(numbers), "",
                                 trial.where)]  # fmt: skip
            if drive in heat:
                evidence.append(Evidence(f"highest temperature of {drive}", heat[drive], "°C",
                                         trial.where))  # fmt: skip
            yield Finding(
                rule, "warning", trial.label,
                f"{drive} warned that its temperature is beyond its threshold: drives slow "
                "themselves down then, and what the trial measured is their cooling.",
                tuple(evidence), *_DURING[rule][2:],
            )  # fmt: skip


def _failed_reads(case: EvidenceSet) -> Iterator[Finding]:
    return _risen(case, "media-errors")


def _lost_power(case: EvidenceSet) -> Iterator[Finding]:
    return _risen(case, "unsafe-shutdowns")


def _resent(case: EvidenceSet) -> Iterator[Finding]:
    return _risen(case, "interface-errors")


def _path(state: StateEvidence) -> str:
    """The device to ask; `DEVICE` where the text does not name it, or it is behind a controller."""
    name = state.name.removeprefix("/dev/")
    is_device = name != state.name or _KERNEL_NAME.fullmatch(name)
    return f"/dev/{name}" if is_device else "DEVICE"


_KERNEL_NAME = re.compile(r"[a-z]\w*(?:/c\d+d\d+)?")


RULES: tuple[Rule, ...] = (
    Rule("media-wear", "disk", "A drive that has used 90 % or more of its rated writes.", _LOG,
         _wear),
    Rule("spare-low", "disk", "Fewer spare blocks than the drive's own threshold.", _LOG, _spare),
    Rule("drive-failing", "disk", "A drive that reports a critical state of its own.", _LOG,
         _failing, stage="drive"),
    Rule("temperature-throttling", "disk", "Time that a drive has spent too hot.", _LOG, _hot),
    Rule("temperature-throttling", "disk", "A drive that became too hot during a trial.", _LOG,
         _throttled),
    Rule("temperature-throttling", "disk", "A drive that warns of its temperature.", _LOG, _warns),
    Rule("temperature-throttling", "disk", "A drive that warned of its temperature around a loop.",
         _LOG, _warned),
    Rule("unsafe-shutdowns", "disk", "Many power losses without notice.", _LOG, _unsafe),
    Rule("unsafe-shutdowns", "disk", "A drive that lost power or was reset during a trial.", _LOG,
         _lost_power),
    Rule("media-errors", "disk", "Data that a drive could not read back.", _LOG, _errors,
         stage="device"),
    Rule("media-errors", "disk", "Reads that a SAS drive could not correct.",
         "SPC-4, log pages 03h and 05h, parameter 6", _uncorrected, stage="device"),
    Rule("media-errors", "disk", "Media errors that came during a trial.", _LOG, _failed_reads,
         stage="device"),
    Rule("interface-speed", "disk", "A SATA or SAS link that agreed on less than the drive can do.",
         "smartctl(8); Serial ATA Revision 3.4, 9.4 (speed negotiation)", _interface),
    Rule("interface-errors", "disk", "Checksum errors of a drive's link during a trial.", _LOG,
         _resent),
)  # fmt: skip
