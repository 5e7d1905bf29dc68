"""Records as JSON, by the names of their fields: what every verb prints with `--json`.

The same fields, with the docstrings and metadata that they have, make the published JSON schemas
(contract_schema.py), so that record, JSON and schema cannot disagree.

A field's metadata may hold

- `name`: its key, where that is not the field's own name;
- `null`: an empty value is null;
- `absent`: None is left out, and the schema does not require the field;
- `hidden`: it is no part of the JSON;
- `added`: it came after the schema's number was given, so the schema does not require it;
- `schema`: keywords of JSON Schema (`minimum`, `pattern` …), for the schema alone. They are not
  beside the others, since pydantic, which reads stored records, takes some of them for its own and
  would refuse what hosts are called.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, ClassVar

NULL: Mapping[str, object] = {"null": True}
"""Metadata of a field whose empty value is null in JSON."""
ABSENT: Mapping[str, object] = {"absent": True}
"""Metadata of a field that JSON has only where it has a value."""
HIDDEN: Mapping[str, object] = {"hidden": True}
"""Metadata of a field that JSON leaves out."""
ADDED: Mapping[str, object] = {"added": True}
"""Metadata of a field that came later than the number of its schema."""

_AS_THEY_ARE = (str, int, bool, type(None))


class VerbResult:
    """What a verb returns: its fields are the object of the machine-readable contract."""

    __slots__ = ()
    SCHEMA: ClassVar[str]
    """Name and number of the contract, such as "iosonde.show/1"."""
    KEYWORDS: ClassVar[Mapping[str, Any]] = {}
    """Further keywords of its JSON Schema, such as which fields are there together."""

    def to_json(self) -> dict[str, Any]:
        """The object that the verb prints with `--json`."""
        written: dict[str, Any] = as_json(self)
        return written


def as_json(value: object) -> Any:
    """A record, or what its fields hold, as JSON has it.

    Figures that JSON cannot carry (NaN, infinities) are null: they are not known.
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [as_json(item) for item in value]
    return {key: as_json(item) for key, item in _members(value)}


def json_text(value: object) -> str:
    """The JSON that `as_json` has of a record, in ASCII, which any stream takes as it is.

    The encoder goes through what fields hold, in a fraction of the time that it takes here.
    """
    try:
        return _DIRECT.encode(value)
    except ValueError:  # a figure that JSON cannot carry
        return _ENCODER.encode(as_json(value))


def _one_level(value: object) -> object:
    """What the encoder does not know, as something it does; it goes on with what that holds."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return list(value)
    return dict(_members(value))


_ENCODER = json.JSONEncoder(allow_nan=False)
_DIRECT = json.JSONEncoder(allow_nan=False, default=_one_level)


def _members(record: object) -> Iterator[tuple[str, object]]:
    """What JSON has of a record: keys, and what its fields hold."""
    if not is_dataclass(record):
        raise TypeError(f"{type(record).__name__} has no form in JSON")
    kind: Any = type(record)
    if issubclass(kind, VerbResult):
        yield "schema", kind.SCHEMA
    for name, key, metadata in _keys(kind):
        item = getattr(record, name)
        if item is not None or "absent" not in metadata:
            yield key, None if "null" in metadata and not item else item


@cache
def _keys(record: Any) -> tuple[tuple[str, str, Mapping[str, object]], ...]:
    """Of each field that JSON has: its name, its key, its metadata."""
    return tuple(
        (field.name, field.metadata.get("name", field.name), field.metadata)
        for field in fields(record)
        if "hidden" not in field.metadata
    )
