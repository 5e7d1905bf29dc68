"""Values of a declared stack that are given beside its file: LAYER.KEY=VALUE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from iosonde.errors import UsageError
from iosonde.records.stack import Json
from iosonde.stack.declare import Tree
from iosonde.yamltext import load_yaml


def parse_overrides(texts: Iterable[str]) -> dict[str, Json]:
    """What `--set` was given: each as "LAYER.KEY" → value, as YAML reads the value.

    Raises:
        UsageError: one is no LAYER.KEY=VALUE.
    """
    values: dict[str, Json] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or "." not in name.strip("."):
            raise UsageError(
                f"expected LAYER.KEY=VALUE, not {text!r}", where="--set",
                hint="for example: --set target.mtu=9000",
            )  # fmt: skip
        values[name.strip()] = load_yaml(value, "--set", what=f"the value of {name.strip()!r}")
    return values


def override(tree: Tree, values: Mapping[str, Json]) -> None:
    """Put values into a stack file as read; they are checked like those that stand in it.

    Args:
        tree: of a stack file.
        values: by "LAYER.KEY", deeper keys by further dots ("r0.net.max-buffers").

    Raises:
        UsageError: there is no such layer, or something else than keys stands on the way.
    """
    layers = tree.values.get("layers")
    for name, value in values.items():
        layer, *path, last = name.split(".")
        place = layers.get(layer) if isinstance(layers, dict) else None
        if not isinstance(place, dict):
            names = ", ".join(layers) if isinstance(layers, dict) else ""
            raise UsageError(
                f"the stack has no layer {layer!r} whose {last!r} could be set",
                where=tree.file, hint=f"its layers: {names}" if names else "",
            )  # fmt: skip
        for key in path:
            place = place.setdefault(key, {})
            if not isinstance(place, dict):
                raise UsageError(f"{key!r} in {name!r} holds no keys", where=tree.file)
        place[last] = value
