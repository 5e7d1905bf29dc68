"""What stands on what in a case: the array and the disks below a thing, through what only maps."""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.layers import FSTYPES, LAYERS
from iosonde.layers._names import kind_by_type
from iosonde.layers._raid.arrays import Array, CaseArrays, near
from iosonde.layers._raid.traits import StripeHints
from iosonde.records.evidence import EvidenceSet, StateEvidence

_DISK = kind_by_type("disk")  # where a stack ends
_DEEP = 8  # layers below one another that are gone through


def size_of(state: StateEvidence, name: str) -> int | None:
    """A value that is a number of bytes above none."""
    value = state.values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def stripe_hints(kind: str) -> StripeHints | None:
    """Of a file system, by its kind or its type."""
    kind = FSTYPES.get(kind, kind)
    return LAYERS.load(kind).stripe_hints if kind in LAYERS else None


def fits(start: int, array: Array) -> bool:
    """Whether a start suits an array: on a stripe, or on a chunk where parity is none."""
    grid = array.stripe if array.parity else array.chunk
    return not grid or start % grid == 0


class StackBelow:
    """What stands on what in a case, by names."""

    def __init__(self, case: EvidenceSet) -> None:
        self._states: dict[tuple[str, str], list[StateEvidence]] = {}
        for state in case.states:
            if stripe_hints(state.kind) is None:
                self._states.setdefault((state.source, state.name), []).append(state)
        self._arrays: dict[tuple[str, str], list[Array]] = {}
        for array in CaseArrays(case).arrays:
            self._arrays.setdefault((array.source, array.name), []).append(array)

    def names_below(self, state: StateEvidence) -> tuple[str, ...]:
        """Names of what a thing stands on, as discovery or its device tell."""
        if state.below:
            return state.below
        device = str(state.values.get("device") or "")
        return (device.removeprefix("/dev/"),) if device.startswith("/dev/") else ()

    def array(self, like: StateEvidence, name: str) -> Array | None:
        """The striped array of a name, where its geometry is known and was always the same."""
        arrays = [array for array in self._arrays.get((like.source, name), ()) if near(array, like)]
        return arrays[0] if len(arrays) == 1 and arrays[0].stripe else None

    def state(self, like: StateEvidence, name: str) -> StateEvidence | None:
        """What is known of a name on the same host."""
        states = [state for state in self._states.get((like.source, name), ()) if near(state, like)]
        return states[0] if states else None

    def array_under(self, state: StateEvidence) -> Array | None:
        """The first array below, through linear volumes and partitions."""
        names = self.names_below(state)
        for _ in range(_DEEP):
            if len(names) != 1:
                return None
            if array := self.array(state, names[0]):
                return array
            lower = self.state(state, names[0])
            if lower is None or lower.kind not in LAYERS:
                return None
            if not LAYERS.load(lower.kind).passes_through:
                return None
            names = lower.below
        return None

    def disks_under(self, state: StateEvidence) -> Iterator[StateEvidence]:
        """All disks below."""
        names, seen = [*self.names_below(state)], set[str]()
        while names and len(seen) < 256:
            name = names.pop()
            lower = self.state(state, name)
            if lower is None or name in seen:
                continue
            seen.add(name)
            if lower.kind == _DISK:
                yield lower
            names += lower.below
