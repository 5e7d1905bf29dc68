"""What one AoE frame carries, against the blocks of what it carries them for.

Source: Linux drivers/block/aoe/aoecmd.c, aoecmd_cfg_rsp().
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iosonde import units
from iosonde.layers import LAYERS
from iosonde.layers.aoe.facts import aoe_frame_payload, aoe_least_mtu
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding

_PAGE = 4 * units.KIB
_REQUEST = 64 * units.KIB
"""A request of usual size, to count frames by."""
_LARGEST_BLOCK = 64 * units.KIB


@dataclass(frozen=True, slots=True)
class _Grid:
    """The blocks that requests should keep to: of a cache, a file system, a disk."""

    size: int
    whose: str
    where: str


def aoe_frames(case: EvidenceSet) -> Iterator[Finding]:
    """AoE frames that cut blocks in two."""
    for source in sorted(_over_aoe(case)):
        grid = _grid(case, source)
        for mtu, links in _mtus(case, source).items():
            payload = aoe_frame_payload(mtu)
            if payload % grid.size == 0:
                continue
            names = ", ".join(dict.fromkeys(_called(link) for link in links))
            frames = -(-_REQUEST // payload)
            cut = sum(payload * frame % grid.size != 0 for frame in range(1, frames))
            whole, rest = divmod(payload, grid.size)
            size = units.show_bytes(grid.size)
            holds = (
                f"{whole} block{'s' * (whole > 1)} of {size} and {rest} bytes"
                if whole
                else f"a part of a block of {size}"
            )
            yield Finding(
                "frame-block", "warning", names,
                f"An AoE frame over {names} at MTU {mtu} carries {payload:,} bytes, {holds}: a "
                f"request of {units.show_bytes(_REQUEST)} goes as {frames} frames, and "
                f"{_part(cut, frames - 1)} borders between them cut a block in two, which the "
                "other side reads and writes in pieces.",
                (
                    Evidence("MTU", mtu, "B", links[0].where),
                    Evidence("payload of an AoE frame", payload, "B", "computed"),
                    Evidence(f"block of {grid.whose}", grid.size, "B", grid.where),
                    Evidence("borders that cut a block", cut, "", "computed"),
                ),
                _mtu_for(max(whole, 1) * grid.size),
                "the aoe driver logs `setting N byte data frames on INTERFACE`; the sizes of "
                "requests on the target's disk (blktrace, or flashcache's histogram) before and "
                "after",
            )  # fmt: skip


def _called(link: StateEvidence) -> str:
    return f"{link.name} on {link.host}" if link.host else link.name


def _part(some: int, of: int) -> str:
    return f"all {of}" if some == of else f"{some} of the {of}"


def _mtu_for(size: int) -> str:
    low, high = aoe_least_mtu(size), aoe_least_mtu(size + units.SECTOR) - 1
    return (
        f"an MTU of {low}–{high} on both ends and every port between, so that a frame carries "
        f"{units.show_bytes(size)}; setting it interrupts the link, and a port that was left out "
        "drops every full frame"
    )


def _over_aoe(case: EvidenceSet) -> set[str]:
    """The sources in which something goes over AoE."""
    named = {
        state.source
        for state in case.states
        if state.kind.startswith("aoe")
        or state.name.startswith("etherd/")
        or any(str(value).startswith("/dev/etherd/") for value in state.values.values())
    }
    return named | {
        trial.source for trial in case.trials if trial.target.startswith("/dev/etherd/")
    }


def _mtus(case: EvidenceSet, source: str) -> dict[int, list[StateEvidence]]:
    """The links that AoE may use by their MTU: those it names, else all but loopback."""
    aoe = [
        state for state in case.states if state.source == source and state.kind.startswith("aoe")
    ]
    used = {str(state.values["interface"]) for state in aoe if state.values.get("interface")}
    links = (state for state in case.with_value("mtu") if not state.kind.startswith("aoe"))
    by_mtu: dict[int, list[StateEvidence]] = {}
    for state in (*aoe, *(link for link in links if not used or link.name in used)):
        mtu = state.values.get("mtu")
        if state.source != source or not isinstance(mtu, int) or state.values.get("loopback"):
            continue
        by_mtu.setdefault(mtu, []).append(state)
    return by_mtu


def _grid(case: EvidenceSet, source: str) -> _Grid:
    """The largest block of what is known to lie on it; a page where nothing is."""
    best = _Grid(_PAGE, "most file systems", "as is usual")
    for state in case.states:
        size = state.values.get("block_size", state.values.get("physical_block_size"))
        if state.source != source or not isinstance(size, int):
            continue
        if state.kind in LAYERS and not LAYERS.load(state.kind).aligns_requests:
            continue
        if best.size < size <= _LARGEST_BLOCK or (
            size == best.size and best.where == "as is usual"
        ):
            best = _Grid(size, f"{state.kind} {state.name}".strip(), state.where)
    return best


RULES: tuple[Rule, ...] = (
    Rule("frame-block", "aoe, link", "AoE frames that cut blocks in two.",
         "Linux drivers/block/aoe/aoecmd.c, aoecmd_cfg_rsp()", aoe_frames),
)  # fmt: skip
