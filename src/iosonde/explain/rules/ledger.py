"""What devices counted otherwise than the ledger says, and which of three reasons it has.

Somebody else's I/O is seen where the devices move while the load does not run, or where the target
itself gets more than the load asked for. Where the bytes are right and the number of I/Os is not,
the block layer merges or splits otherwise. What is left speaks of the layers themselves: an array
that lacks a member, or has another chunk, level or way to update parity.

Source:
    docs/decisions/0081 and docs/decisions/0083; udev reads the
    beginning and the end of a device that was closed after writing (udev(7), OPTIONS "watch"),
    counted in a lab as 60 to 150 reads; md writes its superblocks before the first write and
    behind the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.prediction import Account, Ledger, LedgerRow
from iosonde.records.stack import Scalar

_SHARE = 0.005  # of what was predicted
_READS, _READ_BYTES = 200, 4 * units.MIB  # of udev and those who open a device
_WRITES, _WRITE_BYTES = 16, 64 * units.KIB  # superblocks
_BESIDE = 0.05  # of what was predicted: others' I/Os that are told


@dataclass(frozen=True, slots=True)
class _Gap:
    """What is left of a device's figures when the prediction and what others do are taken off."""

    row: LedgerRow
    rest: Account
    bytes_differ: bool
    ios_differ: bool

    @property
    def differs(self) -> bool:
        return self.bytes_differ or self.ios_differ


def _gap(row: LedgerRow, counted: Account, ledger: Ledger) -> _Gap:
    said, rest = row.predicted, _outside(row, counted - row.idle)
    # Several requests at once meet in the queues: fewer I/Os, and fewer bytes where stripes meet.
    few = ledger.depth > 1
    met = max(_SHARE, ledger.meeting) if few else _SHARE

    def beyond(
        value: float, whole: float, least: float, share: float = _SHARE, *, lower: bool = True
    ) -> bool:
        return (value > 0 or lower) and abs(value) > max(least, share * whole)

    low, high = row.writes_band
    low -= row.pieces[1]
    timed, timed_bytes = row.by_clock
    over = _over(counted.writes - row.idle.writes, low, high)
    return _Gap(
        row, rest,
        bytes_differ=beyond(rest.read_bytes, said.read_bytes, _READ_BYTES, met, lower=not few)
        or beyond(rest.write_bytes, said.write_bytes, _WRITE_BYTES + timed_bytes, lower=not few),
        ios_differ=beyond(rest.reads, said.reads, _READS, met, lower=not few)
        or beyond(over, said.writes, _WRITES + timed, met, lower=not few),
    )  # fmt: skip


def _outside(row: LedgerRow, counted: Account) -> Account:
    """How far a layer is from what was predicted, or from what it can be."""
    least, most = row.between or (row.predicted, row.predicted)
    return Account(
        _over(counted.reads, least.reads - row.pieces[0], most.reads),
        _over(counted.read_bytes, least.read_bytes, most.read_bytes),
        _over(counted.writes, least.writes - row.pieces[1], most.writes),
        _over(counted.write_bytes, least.write_bytes, most.write_bytes),
    )


def _over(value: float, low: float, high: float) -> float:
    """By how much a value is above a band, or negative below it."""
    return max(value - high, 0.0) + min(value - low, 0.0)


def differences(case: EvidenceSet) -> Iterator[Finding]:
    """A finding for each trial whose devices counted otherwise than the ledger says."""
    for trial in case.trials:
        if trial.ledger is None or not trial.ledger.rows:
            continue
        if any("page cache" in note for note in trial.ledger.notes):
            continue  # what such a load makes of its requests is not predicted
        gaps = [
            _gap(row, row.counted, trial.ledger)
            for row in trial.ledger.rows
            if row.counted is not None
        ]
        # Layers in between are accounted for otherwise from kernel to kernel: the ends tell.
        apart = [gap for gap in gaps if gap.differs and (gap.row.last or gap is gaps[0])]
        if apart or trial.ledger.declared:
            yield _finding(trial, trial.ledger, apart)
        elif beside := [gap for gap in gaps if _besides(gap)]:
            yield _beside(trial, beside)


def _besides(gap: _Gap) -> bool:
    """Whether what others did, and what was taken off for it, is worth a word."""
    row = gap.row
    others, own = row.idle.reads + row.idle.writes, row.predicted.reads + row.predicted.writes
    return others > max(_WRITES, _BESIDE * own)


def _beside(trial: TrialEvidence, gaps: Sequence[_Gap]) -> Finding:
    """Others did I/O as steadily before the load as in it, and nothing is left unexplained."""
    parts = ", ".join(
        f"{gap.row.device} about {gap.row.idle.reads + gap.row.idle.writes:.0f} I/Os beside "
        f"{gap.row.predicted.reads + gap.row.predicted.writes:.0f} of the load"
        for gap in gaps
    )
    return Finding(
        rule="ledger-difference",
        severity="warning",
        subject=trial.label,
        message=f"Someone else was doing I/O all the time: {parts}. It was taken off.",
        evidence=tuple(line for gap in gaps for line in _evidence(gap, trial)),
        remedy="Find out who (iotop, /proc/*/io, fatrace) and measure when it is quiet.",
        confirm="`iosonde run --ledger` again: others' I/Os are none",
    )


def _finding(trial: TrialEvidence, ledger: Ledger, apart: Sequence[_Gap]) -> Finding:
    message, remedy = _reason(ledger, apart)
    evidence = [line for gap in apart for line in _evidence(gap, trial)]
    evidence += [
        Evidence(f"{name} of {layer}, declared", wanted, "", trial.where)
        for layer, name, wanted, _ in ledger.declared
    ]
    evidence += [
        Evidence(f"{name} of {layer}, found", value, "", trial.where)
        for layer, name, _, value in ledger.declared
    ]
    return Finding(
        rule="ledger-difference",
        severity="warning",
        subject=trial.label,
        message=message,
        evidence=tuple(evidence),
        remedy=remedy,
        confirm="`iosonde run --ledger` again: counted and predicted are equal",
    )


def _reason(ledger: Ledger, apart: Sequence[_Gap]) -> tuple[str, str]:
    devices = ", ".join(gap.row.device for gap in apart)
    if ledger.declared:
        layer, name, wanted, actual = ledger.declared[0]
        return (
            f"The array is not what was declared: {name} of {layer} is {actual}, not {wanted}"
            + (f", and {devices} counted accordingly." if apart else "."),
            "Declare what is there, or take the array down and build it anew.",
        )
    if ledger.likely:
        layer, name, value = ledger.likely[0]
        if name == "model.stripe_cache":
            return (
                f"The stripe cache of {layer} has grown, to about {value} stripes: {devices} read "
                "less than with the size that sysfs shows.",
                "Nothing is wrong; for equal counts assemble the array anew before the run.",
            )
        return (
            f"The array is not what it was taken for: {devices} counted what they would with "
            f"{_named(name, value)} of {layer}.",
            "Look at the array: `mdadm --detail`, its members' states, md/rmw_level.",
        )
    others = [gap for gap in apart if _others(gap)]
    if others:
        rate = ", ".join(_busy(other) for other in others)
        return (
            "Someone else is doing I/O on "
            f"{', '.join(other.row.device for other in others)}: {rate}.",
            "Find out who (iotop, /proc/*/io, fatrace) and measure when it is quiet.",
        )
    if apart and not any(gap.bytes_differ for gap in apart):
        less = sum(gap.rest.reads + gap.rest.writes for gap in apart) < 0
        more = "merges more" if less else "splits more, or merges less,"
        return (
            f"The kernel {more} than was assumed on {devices}: the bytes are as predicted, the "
            "number of I/Os is not.",
            "Look at the scheduler, nomerges and max_sectors_kb of the device.",
        )
    why = "" if ledger.recorded else " The load's own requests were not recorded."
    return (
        f"{devices} counted otherwise than predicted, and nothing that was tried explains it.{why}",
        "Run the ledger at one of the layers below, to find the one that differs.",
    )


def _others(gap: _Gap) -> bool:
    """Whether others were seen while the load did not run, or the target got too much."""
    idle = gap.row.idle
    excess = gap.rest.read_bytes > _READ_BYTES or gap.rest.write_bytes > _WRITE_BYTES
    moved = idle.read_bytes > _READ_BYTES / 4 or idle.write_bytes > _WRITE_BYTES
    return (excess and (moved or not gap.row.last)) or idle.reads + idle.writes > 10 * _WRITES


def _busy(gap: _Gap) -> str:
    idle, rest = gap.row.idle, gap.rest
    return (
        f"{idle.reads + idle.writes:.0f} I/Os would have come in the loops' time without the load, "
        f"{rest.reads:+.0f} reads and {rest.writes:+.0f} writes are left unexplained"
    )


def _named(name: str, value: Scalar) -> str:
    plain = name.removeprefix("model.")
    if plain == "failed" and isinstance(value, int):
        return f"member {value.bit_length() - 1} lost"
    shown = units.show_bytes(value) if plain == "chunk_size" and isinstance(value, int) else value
    return f"{plain} = {shown}"


def _evidence(gap: _Gap, trial: TrialEvidence) -> Iterator[Evidence]:
    row, counted = gap.row, gap.row.counted
    if counted is None:
        return
    for what, unit in (("reads", ""), ("read_bytes", "B"), ("writes", ""), ("write_bytes", "B")):
        values = [getattr(account, what) for account in (row.predicted, counted, row.idle)]
        if abs(values[1] - values[0]) > 0:
            named = f"{what.replace('_', ' ')} of {row.device}"
            if row.between is None:
                yield Evidence(f"{named}, predicted", values[0], unit, trial.where)
            else:
                for end, word in zip(row.between, ("at least", "at most"), strict=True):
                    name = f"{named}, predicted {word}"
                    yield Evidence(name, getattr(end, what), unit, trial.where)
            yield Evidence(f"{named}, counted", values[1], unit, trial.where)
            if values[2]:
                yield Evidence(f"{named}, others'", round(values[2]), unit, trial.where)


RULES = (
    Rule("ledger-difference", "all layers", "Devices that counted other I/Os than the model says.",
         "docs/decisions/0083-predicted-beside-counted.md", differences),
)  # fmt: skip
