"""Predicted beside counted: the ledger of a trial that was run with --ledger.

Works on what the store keeps (the capture, the counters, fio's own record of its requests), so an
old run can be gone through again. Docs: docs/use/predict.md, "On a real host".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from iosonde import _core, kerneltext
from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.layers._ledger.look import Look, Ran
from iosonde.layers._ledger.rule import NOTHING, accounting_of
from iosonde.layers.layer import kernel_name
from iosonde.loads.fio.demand import demand_of, jobs_of
from iosonde.loads.fio.job import effective, job_of
from iosonde.loads.load import REQUESTS
from iosonde.measure.combine import ios_of
from iosonde.measure.counting import COUNTED
from iosonde.predict.between import Range, ranges
from iosonde.predict.discovered import DiscoveredModel, discovered_model, discovered_size
from iosonde.predict.model import Prediction, predict
from iosonde.predict.pieces import more_at_the_target
from iosonde.predict.requests import READ, Requests, durable, of_lines, of_load
from iosonde.records.load import Load
from iosonde.records.prediction import Account, Ledger, LedgerRow
from iosonde.records.run import Trial
from iosonde.records.stack import Scalar, StackLayer
from iosonde.stack.model import layers_under
from iosonde.units import KIB, SECTOR

if TYPE_CHECKING:
    import numpy as np

    from iosonde.records.run import Loop
else:
    np = LazyModule("numpy")

_TIMER = 5.0  # seconds
_MEETING = 0.1
"""With parity and several requests at once: at most a tenth more I/Os and bytes read.

Source: docs/use/predict.md, "How exact"; docs/decisions/0082.
"""
_Moved: TypeAlias = Mapping[tuple[str, str], tuple[Account, Account]]
"""Host and device → what it counted in all loops, and what others would have done meanwhile."""


def ledger_of(trial: Trial) -> Ledger | None:
    """The ledger of a trial; None where nothing was counted. What cannot be predicted is said."""
    loops = [loop for loop in trial.counted if COUNTED in loop.raw.files]
    if not loops or trial.capture is None:
        return None
    if trial.load.engine != "fio":
        return _without(f"the requests of {trial.load.engine} are not known, so none are predicted")
    counts = [json.loads(loop.raw.files[COUNTED]) for loop in loops]
    target = trial.target
    layers = layers_under(trial.capture, target.host, target.path)
    if not layers:
        return _without(f"{target.path} stands on nothing that was found")
    look = Look(layers, counts[0]["facts"], _declared(layers, counts[0]["declared"]))
    try:
        requests = _requests(trial, loops, discovered_size(look))
        moved = _moved(layers, loops, counts)
        look = replace(look, ran=_ran(moved, requests, loops, counts))
        discovered = discovered_model(look)
        rows = _rows(look, discovered, requests, loops, moved)
    except UsageError as problem:
        return _without(str(problem))
    return Ledger(
        rows=rows,
        depth=_depth(trial.load),
        recorded=all(REQUESTS in loop.raw.files for loop in loops),
        uncovered=discovered.uncovered,
        notes=(*requests.notes, *_left_out(discovered)),
        likely=tuple(_likely(look, discovered, requests, rows)),
        declared=tuple(_differences(look)),
        meeting=_MEETING if discovered.model.has(_core.Parity) else 0.0,
    )


def _without(reason: str) -> Ledger:
    return Ledger(rows=(), depth=1, recorded=False, uncovered=(reason,))


# ── requests ──────────────────────────────────────────────────────────────────────────────────


def _requests(trial: Trial, loops: Sequence[Loop], span: int) -> Requests:
    """Of all loops one after the other: as recorded, or as many of the same kind."""
    parts = []
    for loop in loops:
        if text := loop.raw.files.get(REQUESTS):
            lines: Iterator[str] = iter(kerneltext.lines(kerneltext.decoded(text)))
            noted = of_lines(lines, f"{trial.id}, loop {loop.index}, {REQUESTS}")
            parts.append(durable(trial.load, noted))
        else:
            made = of_load(trial.load, ios_of(loop.result), span, exactly=True)
            parts.append(replace(made, notes=(*made.notes, _MADE_UP)))
    buffered = not demand_of(job_of(trial.load), where=trial.load.name).direct
    notes = [note for part in parts for note in part.notes] + [_BUFFERED] * buffered
    return Requests(
        np.concatenate([part.ops for part in parts]),
        np.concatenate([part.offsets for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        tuple(dict.fromkeys(notes)),
    )


_MADE_UP = (
    "the load has several jobs, whose requests are not recorded: as many of the same kind were "
    "reckoned with"
)
_BUFFERED = "the load goes through the page cache, which is not modelled"


def _depth(load: Load) -> int:
    """Requests that the load keeps under way at once."""
    total = 0
    for section in effective(job_of(load)):
        text = section.text("iodepth", "1")
        engine = section.text("ioengine", "psync")
        synchronous = engine in {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}
        depth = int(text) if text.isdecimal() and not synchronous else 1
        total += depth * jobs_of(section, load.name)
    return max(total, 1)


def _left_out(discovered: DiscoveredModel) -> Iterator[str]:
    for name, layer in discovered.model.layers.items():
        for remark in layer.remarks:
            yield f"{name}: {remark}"
        for note in layer.notes:
            yield f"{name}: not modelled: {note}"


# ── rows ──────────────────────────────────────────────────────────────────────────────────────


def _rows(
    look: Look,
    discovered: DiscoveredModel,
    requests: Requests,
    loops: Sequence[Loop],
    moved: _Moved,
) -> tuple[LedgerRow, ...]:
    prediction = predict(discovered.model, requests)
    timed = _by_clock(discovered, prediction, loops)
    within = ranges(look, discovered, requests, prediction)
    rows: list[LedgerRow] = []
    own_pieces = more_at_the_target(discovered.model, requests)
    nodes = zip(discovered.places, prediction.layers, discovered.model.nodes, strict=True)
    for number, (place, counts, node) in enumerate(nodes):
        counted, idle = moved.get((place.host, place.device), (None, NOTHING))
        own = within[place.name]
        pieces = (0, 0) if rows else own_pieces
        own = _with_pieces(own, pieces)
        said = own.nearest(_grown(counts.account, pieces))
        low, high = (end - counts.writes for end in counts.writes_band)
        band = int(own.least.writes + low), int(own.most.writes + high)
        between = None if own.least == own.most else (own.least, own.most)
        rows.append(
            LedgerRow(
                layer=place.name, kind=place.kind, device=place.device, predicted=said,
                writes_band=band, between=between, counted=counted, idle=idle,
                last=not node.below, by_clock=timed.get(number, (0, 0)), pieces=pieces,
            )
        )  # fmt: skip
    return tuple(rows)


def _grown(account: Account, pieces: tuple[int, int]) -> Account:
    """What a device counts that makes so many more reads and writes of what it gets."""
    return account + Account(pieces[0], 0, pieces[1], 0)


def _with_pieces(bounds: Range, pieces: tuple[int, int]) -> Range:
    return Range(_grown(bounds.least, pieces), _grown(bounds.most, pieces))


def _moved(
    layers: Sequence[StackLayer], loops: Sequence[Loop], counts: Sequence[Mapping[str, Any]]
) -> _Moved:
    """What each device that was read counted, and what others would have done meanwhile."""
    moved: dict[tuple[str, str], tuple[Account, Account]] = {}
    for host, device in {
        (layer.host, kernel_name(layer)) for layer in layers if kernel_name(layer)
    }:
        for loop, count in zip(loops, counts, strict=True):
            began, rested, before, after = (
                _figures(reading, host, device) for reading in count["readings"]
            )
            if None in (began, rested, before, after):
                continue
            counted, idle = moved.get((host, device), (NOTHING, NOTHING))
            others = _between(began, rested).times(_times_as_long(loop, count))
            moved[host, device] = counted + _between(before, after), idle + others
    return moved


def _times_as_long(loop: Loop, count: Mapping[str, Any]) -> float:
    """How many times as long the counters ran over the load as over the while before it.

    They are read once nothing moves: where others never rest, seconds after the load has ended.
    Runs of earlier versions did not keep when they were read.
    """
    if "moments" not in count:
        return loop.elapsed / float(count["idle_seconds"])
    began, rested, before, after = count["moments"]
    return float(after - before) / max(float(rested - began), 1e-3)


def _ran(
    moved: _Moved, requests: Requests, loops: Sequence[Loop], counts: Sequence[Mapping[str, Any]]
) -> Ran:
    """What went on while the load ran; runs of earlier versions kept no states."""
    return Ran(
        states=tuple(tuple(count.get("states", ({}, {}))) for count in counts),
        counted={key: counted for key, (counted, _) in moved.items()},
        loops=len(loops),
        seconds=sum(loop.elapsed for loop in loops),
        largest=int(requests.lengths.max()) if requests.lengths.size else 0,
        reads=bool((requests.ops == READ).any()),
    )


def _by_clock(
    discovered: DiscoveredModel, prediction: Prediction, loops: Sequence[Loop]
) -> dict[int, tuple[int, int]]:
    """Writes, and their bytes, of md's bitmaps to what lies below them, that a timer decides on.

    A bit that nobody needs is cleared after `bitmap/time_base`, 5 s by default (md.rst): in each
    loop, and every 5 s of one, the pages may be written again, for bits set anew and for cleared
    ones; where a bit was set before, not at all.
    """
    turns = len(loops) + int(sum(loop.elapsed for loop in loops) / _TIMER)
    most: dict[int, tuple[int, int]] = {}
    for number, counts in enumerate(prediction.layers):
        pages = sum(counts.events.get(name, 0) for name in ("bitmap_pages", "bitmap_pages_cleared"))
        below = discovered.model.nodes[number].below if pages else []
        while below:
            under = below.pop()
            writes = most.get(under, (0, 0))[0] + pages * turns
            most[under] = writes, writes * 4 * KIB
            below += discovered.model.nodes[under].below
    return most


def _figures(reading: Mapping[str, Any], host: str, device: str) -> list[int] | None:
    figures: list[int] | None = reading.get(host, {}).get(device)
    return figures


def _between(before: list[int] | None, after: list[int] | None) -> Account:
    """From two sets of figures of /proc/diskstats."""
    if before is None or after is None:
        return NOTHING
    reads, read, writes, written = (after[at] - before[at] for at in (0, 2, 4, 6))
    return Account(reads, read * SECTOR, writes, written * SECTOR)


# ── is it what it was thought to be ───────────────────────────────────────────────────────────


def _declared(
    layers: Sequence[StackLayer], declared: Sequence[Mapping[str, Scalar]]
) -> dict[str, dict[str, Scalar]]:
    """Layer → facts as its declaration has them; only of arrays, which are what can differ."""
    declared_facts: dict[str, dict[str, Scalar]] = {}
    for layer in layers:
        device = f"/dev/{kernel_name(layer)}"
        for row in declared:
            same = (row["host"], row["kind"], row["device"]) == (layer.host, layer.kind, device)
            if same and (facts := accounting_of(layer.kind).facts):
                declared_facts[layer.id] = facts(row, layer.facts)
    return declared_facts


def _differences(look: Look) -> Iterator[tuple[str, str, Scalar, Scalar]]:
    for layer in look.layers:
        for name, wanted in look.overlay.get(layer.id, {}).items():
            if layer.facts.get(name) != wanted:
                yield layer.id, name, wanted, layer.facts.get(name)


def distance(rows: Sequence[LedgerRow]) -> float:
    """Bytes by which the devices at the bottom counted otherwise than predicted, the idle off."""
    total = 0.0
    for row in rows:
        if row.last and row.counted is not None:
            rest = row.counted - row.idle - row.predicted
            total += abs(rest.read_bytes) + abs(rest.write_bytes)
    return total


def _likely(
    look: Look, discovered: DiscoveredModel, requests: Requests, rows: Sequence[LedgerRow]
) -> Iterator[tuple[str, str, Scalar]]:
    """Figures of an array with which nearly all of the difference is gone."""
    now = distance(rows)
    moved = sum(row.predicted.read_bytes + row.predicted.write_bytes for row in rows if row.last)
    if (
        not discovered.arrays
        or now <= 0.02 * moved
        or any(row.counted is None for row in rows[-1:])
    ):
        return
    if any(row.between for row in rows):
        return  # a member's own difference drowns in what a cache leaves open
    best: tuple[float, tuple[str, str, Scalar]] | None = None
    for layer, name, value in _other(look, discovered):
        overlay = {**look.overlay, layer: {**look.overlay.get(layer, {}), name: value}}
        try:
            other = discovered_model(replace(look, overlay=overlay))
            prediction = predict(other.model, requests)
        except UsageError:
            continue
        said = {counts.id: counts for counts in prediction.layers}
        tried = [
            replace(row, predicted=counts.account)
            for row in rows for counts in [said.get(row.layer)] if counts is not None
        ]  # fmt: skip
        far = distance(tried)
        if best is None or far < best[0]:
            best = far, (layer, name, value)
    if best is not None and best[0] <= 0.2 * now:
        yield best[1]


def _other(look: Look, discovered: DiscoveredModel) -> Iterator[tuple[str, str, Scalar]]:
    """What an array might be instead."""
    for layer in look.layers:
        alternatives = accounting_of(layer.kind).alternatives
        if alternatives and layer.id in discovered.arrays:
            for name, value in alternatives(look, layer):
                yield layer.id, name, value
