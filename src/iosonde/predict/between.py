"""Between which accounts the layers of a found stack must lie, where not all of it is known.

A cache in use makes a range of what is below it: what it may be (`Layer.otherwise`), each reckoned
with by the core; what it counted itself (`Layer.met`); and what it does besides (`Layer.besides`).
How copies of its blocks are spread over the members of an array is not followed: a member gets none
of them, or all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde import _core
from iosonde.layers._ledger.rule import NOTHING, Besides
from iosonde.predict.model import Counts, Prediction, StackModel, predict
from iosonde.records.prediction import Account
from iosonde.units import KIB

if TYPE_CHECKING:
    from iosonde.layers._ledger.look import Look
    from iosonde.predict.discovered import DiscoveredModel
    from iosonde.predict.requests import Requests
    from iosonde.records.stack import StackLayer

_ONE_PLACE = (_core.Same, _core.Linear, _core.Segments, _core.Far)
_PAGE = 4 * KIB


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the most that a layer can have got."""

    least: Account
    most: Account

    def nearest(self, account: Account) -> Account:
        """The account within it that is nearest to another."""
        return _each(max, [self.least, _each(min, [self.most, account])])


def ranges(
    look: Look, discovered: DiscoveredModel, requests: Requests, base: Prediction
) -> dict[str, Range]:
    """Layer → its range; where all is known, least and most are the same.

    Args:
        look: what is known of the stack.
        discovered: it in the core.
        requests: of the load.
        base: what the core makes of them with `found.model`.
    """
    reckoned = [(discovered.model, base)]
    reckoned += [
        (other, predict(other, requests)) for other in discovered.others if _can_be(other, base)
    ]
    brought = [
        {counts.id: counts.account for counts in prediction.layers} for _, prediction in reckoned
    ]
    besides = [_besides(look, model, prediction) for model, prediction in reckoned]
    bounds = dict(_bounds(look, discovered.model, brought[0]))
    whole = {}
    for name in brought[0]:
        least, most = (_each(end, [accounts[name] for accounts in brought]) for end in (min, max))
        if bound := bounds.get(name):
            least, most = bound.nearest(least), bound.nearest(most)
        more = [more_of[name] for more_of in besides if name in more_of]
        if more:
            least += _each(min, [bounds.least for bounds in more])
            most += _each(max, [bounds.most for bounds in more])
        whole[name] = Range(_each(max, [NOTHING, least]), _each(max, [NOTHING, most]))
    return whole


def _can_be(model: StackModel, base: Prediction) -> bool:
    """Whether what must have happened for it did."""
    wanted = ((counts, model.layers[counts.id].only_with) for counts in base.layers)
    return all(not event or counts.events.get(event, 0) for counts, event in wanted)


# ── what a cache counted ──────────────────────────────────────────────────────────────────────


def _bounds(
    look: Look, model: StackModel, brought: dict[str, Account]
) -> Iterator[tuple[str, Range]]:
    """Layer → what requests can have brought to it, by what caches above it counted."""
    for name, rule in model.layers.items():
        if (met := rule.met) is None:
            continue
        sides = (met.slow, met.slow_most, met.fast_most), (met.fast, met.fast_most, met.slow_most)
        for on, most, others in sides:
            for lower in _alone(look, model, on):
                yield lower, Range(brought[name] - others, most)


def _alone(look: Look, model: StackModel, name: str) -> Iterator[str]:
    """A layer, and what below it gets just the same, and nothing from elsewhere."""
    layers = {layer.id: layer for layer in look.layers}
    while True:
        yield name
        rule, below = model.layers.get(name), look.below(layers[name])
        if rule is None or not isinstance(rule.rule, _ONE_PLACE) or len(below) != 1:
            return
        name = below[0].id
        if sum(name in _reached(look, model, layer) for layer in look.layers) > 1:
            return


def _reached(look: Look, model: StackModel, layer: StackLayer) -> tuple[str, ...]:
    """The layers below to which a layer hands requests."""
    rule = model.layers.get(layer.id)
    below = look.below(layer)
    return () if rule is None else tuple(below[place].id for place in rule.order)


# ── what it does besides ──────────────────────────────────────────────────────────────────────


def _besides(look: Look, model: StackModel, prediction: Prediction) -> dict[str, Range]:
    """Layer → what it gets that no request brings, if the stack is as a model says."""
    whole: dict[str, Range] = {}
    for counts in prediction.layers:
        for more in model.layers[counts.id].besides:
            count = _times(counts, more)
            least, most = more.least.times(count), more.most.times(count)
            given = Range(least, most)
            reached = [(more.on, given)] if more.alone else _below(look, model, more.on, given)
            for name, own in reached:
                before = whole.get(name, Range(NOTHING, NOTHING))
                whole[name] = Range(before.least + own.least, before.most + own.most)
    return whole


def _times(layer: Counts, besides: Besides) -> int:
    """How often a layer does something besides."""
    asked = {
        "": 1, "asked_reads": layer.reads, "asked_writes": layer.writes,
        "asked_flushes": layer.flushes, "asked_write_bytes": layer.write_bytes,
    }  # fmt: skip
    count = asked.get(besides.event, layer.events.get(besides.event, 0))
    return count if besides.up_to is None else min(count, besides.up_to)


def _below(look: Look, model: StackModel, name: str, range_: Range) -> Iterator[tuple[str, Range]]:
    """A layer and all that it stands on, each once, with what of it that gets."""
    (layer,) = (layer for layer in look.layers if layer.id == name)
    reached = {name: range_}
    for lower in look.under(layer):
        own = reached[lower.id]
        yield lower.id, own
        rule = model.layers.get(lower.id)
        if rule is not None and not isinstance(rule.rule, _ONE_PLACE):
            own = _spread(own, parity=isinstance(rule.rule, _core.Parity))
        for under in look.below(lower):
            reached.setdefault(under.id, own)


def _spread(range_: Range, *, parity: bool) -> Range:
    """What a member of an array may get of it: nothing or all, in pieces of any size.

    With parity, writes read as much.
    """
    most = range_.most
    read = most.read_bytes + parity * most.write_bytes
    pieces = max(read, most.write_bytes) / _PAGE
    reads, writes = (
        ios and ios + pieces for ios in (most.reads + parity * most.writes, most.writes)
    )
    none = _each(min, [NOTHING, range_.least])
    return Range(none, Account(reads, read, writes, most.write_bytes))


def _each(choose: Callable[[Iterable[float]], float], accounts: Sequence[Account]) -> Account:
    """Figure by figure."""
    return Account(
        choose([account.reads for account in accounts]),
        choose([account.read_bytes for account in accounts]),
        choose([account.writes for account in accounts]),
        choose([account.write_bytes for account in accounts]),
    )
