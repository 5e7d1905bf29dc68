"""What a tool's JSON says: its single values by the keys on the way to them, and its tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any

from iosonde.records.stack import Json, Scalar

_APART = re.compile(r"[^0-9a-z]+")
_DEEPEST = 8
_LARGEST = 2**63 - 1
_LONGEST = 200  # characters of a text
_MOST = 4000  # values


def key_name(key: str) -> str:
    """A key in lower case, its words joined by underscores, as `text.labels.as_labelled` does."""
    return _APART.sub("_", key.lower()).strip("_")


def scalars(tree: Mapping[str, Any], without: Collection[str] = ()) -> dict[str, Scalar]:
    """Single values by their keys: `{"a": {"b": 1}}` is `{"a_b": 1}`.

    Args:
        tree: the object.
        without: keys of the object itself that are left out.
    """
    values: dict[str, Scalar] = {}
    for key, value in tree.items():
        if key not in without:
            for name, leaf in _leaves(key_name(str(key)), value, _DEEPEST):
                values.setdefault(name, leaf)
                if len(values) >= _MOST:
                    return values
    return values


def _leaves(name: str, value: object, deepest: int) -> Iterator[tuple[str, Scalar]]:
    if isinstance(value, Mapping) and deepest:
        for key, inner in value.items():
            yield from _leaves(f"{name}_{key_name(str(key))}", inner, deepest - 1)
    elif name and (leaf := _leaf(value)) is not None and leaf != "":
        yield name, leaf


def tables(tree: Mapping[str, Any], without: Collection[str] = ()) -> dict[str, Json]:
    """Lists by the keys on the way to them, as they stand; empty ones are left out.

    Args:
        tree: the object.
        without: keys of the object itself that are left out.
    """
    lists: dict[str, Json] = {}
    for key, value in tree.items():
        if key not in without:
            for name, table in _lists(key_name(str(key)), value, _DEEPEST):
                lists.setdefault(name, table)
    return lists


def _lists(name: str, value: object, deepest: int) -> Iterator[tuple[str, Json]]:
    if isinstance(value, Mapping) and deepest:
        for key, inner in value.items():
            yield from _lists(f"{name}_{key_name(str(key))}", inner, deepest - 1)
    elif isinstance(value, list) and value and name:
        yield name, as_json(value)


def as_json(value: object, deepest: int = _DEEPEST) -> Json:
    """A part of a tool's JSON as records hold it: finite, numbers beyond 63 bits as text."""
    if isinstance(value, Mapping):
        return {str(key): as_json(inner, deepest - 1) for key, inner in value.items() if deepest}
    if isinstance(value, list):
        return [as_json(inner, deepest - 1) for inner in value[:_MOST] if deepest]
    return _leaf(value)


def _leaf(value: object) -> Scalar:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST else str(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value.strip()[:_LONGEST] if isinstance(value, str) else None
