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

import math
from collections.abc import Mapping, Sequence
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
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    record: Any = type(value)
    members = {"schema": value.SCHEMA} if isinstance(value, VerbResult) else {}
    for name, key, metadata in _keys(record):
        item = getattr(value, name)
        if item is not None or "absent" not in metadata:
            members[key] = None if "null" in metadata and not item else as_json(item)
    return members


@cache
def _keys(record: Any) -> tuple[tuple[str, str, Mapping[str, object]], ...]:
    """Of each field that JSON has: its name, its key, its metadata."""
    return tuple(
        (field.name, field.metadata.get("name", field.name), field.metadata)
        for field in fields(record)
        if "hidden" not in field.metadata
    )
