"""A stack as it was found, in the core: which rule and figures each discovered layer has.

What no rule covers ends the way down: such a layer is a device like a disk, and what lies below it
is named as not covered.

Source: Linux 6.1, Documentation/admin-guide/device-mapper/{linear,striped}.rst (tables in sectors),
md.rst (`dev-NAME/slot`, `offset`); filefrag(8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import LedgerLayer, accounting_of
from iosonde.layers._ledger.shapes import device
from iosonde.layers.layer import kernel_name
from iosonde.predict.model import StackModel, node_of
from iosonde.records.stack import StackLayer


@dataclass(frozen=True, slots=True)
class ModelledLayer:
    """A layer in the model, by what `Counts` are named after. `device` is the kernel's name."""

    name: str
    kind: str
    host: str
    device: str


@dataclass(frozen=True, slots=True)
class DiscoveredModel:
    """A discovered stack in the core, and what of it is not covered, in sentences.

    Args:
        model: as it is most simply, such as with a cache that holds nothing of the load.
        places: of its layers.
        uncovered: sentences.
        arrays: the layers of md that are reckoned with.
        others: what it may be as well, of the same layers; the truth lies between them all.
    """

    model: StackModel
    places: tuple[ModelledLayer, ...]
    uncovered: tuple[str, ...]
    arrays: tuple[str, ...]
    others: tuple[StackModel, ...] = ()


def discovered_model(look: Look) -> DiscoveredModel:
    """The stack for the core, from its first layer down."""
    rules: dict[str, LedgerLayer] = {}
    uncovered = []
    order: list[StackLayer] = []

    def visit(layer: StackLayer) -> None:
        if layer.id in rules:
            return
        rules[layer.id], problem = _ruled(look, layer)
        if problem:
            uncovered.append(f"{layer.id}: {problem}; what lies below it is not predicted")
        for place in reversed(rules[layer.id].order):
            visit(look.below(layer)[place])
        order.append(layer)

    visit(look.layers[0])
    order.reverse()
    places = tuple(
        ModelledLayer(layer.id, layer.kind, layer.host, kernel_name(layer)) for layer in order
    )
    model, *others = (
        _model(look, order, places, dict(zip(rules, choice, strict=True)))
        for choice in product(*((rule, *rule.otherwise) for rule in rules.values()))
    )
    arrays = tuple(
        layer.id
        for layer in order
        if rules[layer.id].order and accounting_of(layer.kind).alternatives
    )
    return DiscoveredModel(model, places, tuple(uncovered), arrays, tuple(others))


def discovered_size(look: Look) -> int:
    """Bytes of the first layer, as the core would have it."""
    return _ruled(look, look.layers[0])[0].size


def _ruled(look: Look, layer: StackLayer) -> tuple[LedgerLayer, str]:
    """A layer's rule; a device's where none covers it, and why."""
    try:
        return _rule(look, layer), ""
    except NotCovered as problem:
        return device(look, layer), str(problem)


def _model(
    look: Look,
    order: Sequence[StackLayer],
    places: tuple[ModelledLayer, ...],
    rules: Mapping[str, LedgerLayer],
) -> StackModel:
    numbers = {layer.id: number for number, layer in enumerate(order)}
    nodes = []
    for layer in order:
        rule = rules[layer.id]
        below = tuple(numbers[look.below(layer)[place].id] for place in rule.order)
        nodes.append(node_of(rule, below))
    return StackModel(places, rules, numbers, tuple(nodes))


def _rule(look: Look, layer: StackLayer) -> LedgerLayer:
    if not layer.below or not look.below(layer):
        return device(look, layer)
    rule_of = accounting_of(layer.kind).discovered
    if rule_of is None:
        raise NotCovered(f"a layer of kind {layer.kind} is not covered")
    return rule_of(look, layer)
