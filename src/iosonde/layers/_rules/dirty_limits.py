"""Limits of dirty memory: how much waits to be written, and how long writing it takes."""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_VM = "Linux Documentation/admin-guide/sysctl/vm.rst; mm/page-writeback.c, domain_dirty_limits()"
_LONG = 10.0  # s: a sync that takes longer is a stall to everybody who waits for it
_TINY = 1  # percent


def _number(state: StateEvidence, name: str) -> float | None:
    value = state.values.get(f"vm.{name}")
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _hosts(case: EvidenceSet) -> Iterator[StateEvidence]:
    return (
        state
        for state in case.of_kind("host")
        if any(name.startswith("vm.dirty_") for name in state.values)
    )


def _evidence(state: StateEvidence, *names: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(f"vm.{name}", value, "B" if name.endswith("bytes") else "", state.where)
        for name in names
        if (value := _number(state, name)) is not None
    )


def _subject(state: StateEvidence) -> str:
    return f"dirty limits of {state.host}" if state.host else "dirty limits"


def contradicting(case: EvidenceSet) -> Iterator[Finding]:
    """Limits that the kernel does not take as they are written."""
    for state in _hosts(case):
        for kind in ("ratio", "bytes"):
            low, high = _number(state, f"dirty_background_{kind}"), _number(state, f"dirty_{kind}")
            if low and high and low >= high:
                yield Finding(
                    rule="dirty-limits",
                    severity="warning",
                    subject=_subject(state),
                    message=f"vm.dirty_background_{kind} ({low:.0f}) is not below "
                    f"vm.dirty_{kind} ({high:.0f}): the kernel takes half of the latter for it, so "
                    "that writing in the background begins elsewhere than written.",
                    evidence=_evidence(state, f"dirty_background_{kind}", f"dirty_{kind}"),
                    remedy=f"`sysctl -w vm.dirty_background_{kind}={high / 2:.0f}` says "
                    "what is the case; less of it begins to write earlier",
                    confirm="/proc/vmstat, nr_dirty_background_threshold and nr_dirty_threshold",
                )
        for side in ("dirty", "dirty_background"):
            size, ratio = _number(state, f"{side}_bytes"), _number(state, f"{side}_ratio")
            if size and ratio:
                yield Finding(
                    rule="dirty-limits",
                    severity="warning",
                    subject=_subject(state),
                    message=f"vm.{side}_bytes and vm.{side}_ratio are both set: whichever is "
                    "written last sets the other to 0.",
                    evidence=_evidence(state, f"{side}_bytes", f"{side}_ratio"),
                    remedy=f"keep one of the two, vm.{side}_bytes where memory is large",
                    confirm=f"`sysctl vm.{side}_bytes vm.{side}_ratio` shows which one is 0",
                )


def never_written(case: EvidenceSet) -> Iterator[Finding]:
    """Periodic writing that is off, or begins at once."""
    for state in _hosts(case):
        if _number(state, "dirty_writeback_centisecs") == 0:
            yield Finding(
                rule="dirty-limits",
                severity="warning",
                subject=_subject(state),
                message="vm.dirty_writeback_centisecs is 0: nothing is written because of its age, "
                "only when memory gets short or a program syncs; a crash loses all that waits.",
                evidence=_evidence(state, "dirty_writeback_centisecs"),
                remedy="`sysctl -w vm.dirty_writeback_centisecs=500`, the default",
                confirm="Dirty in /proc/meminfo falls within half a minute after a write",
            )
        low = _number(state, "dirty_background_ratio")
        if low is not None and 0 < low <= _TINY:
            memory = _memory(case, state)
            amount = f", {units.show_bytes(memory * low / 100)} at the most," if memory else ""
            yield Finding(
                rule="dirty-limits",
                severity="note",
                subject=_subject(state),
                message=f"Writing in the background begins when {low:.0f} % of the available memory"
                f"{amount} is dirty: the device works earlier and more evenly, but less is merged, "
                "and what is overwritten soon goes to it all the same.",
                evidence=_evidence(state, "dirty_background_ratio", "dirty_ratio"),
                remedy="as it is where writes must not stall; a few percent more where the same "
                "blocks are written again and again",
                confirm="bytes written at the device against bytes written by the load, with both",
            )


def _memory(case: EvidenceSet, state: StateEvidence) -> int | None:
    """Bytes of the host's memory; the limits are shares of what is available of it."""
    memory = case.memory(state.host)
    if memory is None:
        value = case.value("memory", like=state)
        memory = value if isinstance(value, int) else None
    return memory


def _speed(case: EvidenceSet, state: StateEvidence) -> tuple[float, TrialEvidence] | None:
    """The fastest that a device of the host was measured to take writes, past the page cache."""
    best: tuple[float, TrialEvidence] | None = None
    for trial in case.trials:
        if state.host and trial.host and trial.host != state.host:
            continue
        if not state.host and trial.source != state.source:
            continue
        if not (trial.options.get("direct") or trial.options.get("end_fsync")):
            continue  # what memory takes says nothing of the device
        rate = trial.mean("write.bandwidth")
        if rate and (best is None or rate > best[0]):
            best = rate, trial
    return best


def slow_to_drain(case: EvidenceSet) -> Iterator[Finding]:
    """What may wait, against how fast it was seen to be written."""
    for state in _hosts(case):
        size, ratio = _number(state, "dirty_bytes"), _number(state, "dirty_ratio")
        memory, measured = _memory(case, state), _speed(case, state)
        if measured is None or (not size and (not ratio or memory is None)):
            continue
        limit = size or (ratio or 0) / 100 * (memory or 0)
        rate, trial = measured
        seconds = limit / rate
        if seconds <= _LONG:
            continue
        wanted = int(rate * _LONG / 2)
        yield Finding(
            rule="dirty-limits",
            severity="warning",
            subject=_subject(state),
            message=f"Up to {units.show_bytes(limit)} may wait in memory to be written, which "
            f"takes {units.show_seconds(seconds)} at the {units.show_bandwidth(rate)} measured: "
            "a sync may take that long, and reads wait behind it.",
            evidence=(
                *_evidence(state, "dirty_ratio", "dirty_bytes"),
                *((Evidence("memory", memory, "B", state.where),) if memory and not size else ()),
                Evidence("write bandwidth", rate, "B/s", trial.where),
                Evidence("time to write it", seconds, "s", state.where),
            ),
            remedy=f"`sysctl -w vm.dirty_bytes={2 * wanted} vm.dirty_background_bytes={wanted}`: "
            f"{_LONG:.0f} s at the most; programs that write more than the device takes wait "
            "earlier",
            confirm="the longest latency of a load that syncs beside a load that writes",
        )


RULES: tuple[Rule, ...] = (
    Rule("dirty-limits", "host", "Limits that the kernel does not take as written.", _VM,
         contradicting),
    Rule("dirty-limits", "host", "Writing that begins never, or at once.", _VM, never_written),
    Rule("dirty-limits", "host", "More may wait than the device writes soon.", _VM, slow_to_drain),
)  # fmt: skip
