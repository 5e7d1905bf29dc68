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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

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
    kind: Any = type(value)
    form = _form(kind)
    if form is None:
        raise TypeError(f"{kind.__name__} has no form in JSON")
    return {key: as_json(item) for key, item in _members(value, form).items()}


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
    kind: Any = type(value)
    if form := _form(kind):
        return _members(value, form)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return list(value)
    raise TypeError(f"{kind.__name__} has no form in JSON")


_ENCODER = json.JSONEncoder(allow_nan=False)
_DIRECT = json.JSONEncoder(allow_nan=False, check_circular=False, default=_one_level)


def _members(record: object, form: _RecordForm) -> dict[str, object]:
    """What JSON has of a record: keys, and what its fields hold."""
    members = dict(zip(form.keys, form.items(record), strict=True))
    for key, metadata in form.special:
        item = members[key]
        if item is None and "absent" in metadata:
            del members[key]
        elif "null" in metadata and not item:
            members[key] = None
    return {"schema": form.schema, **members} if form.schema else members


class _RecordForm(NamedTuple):
    """What JSON has of the records of a kind.

    Args:
        schema: the name of a verb's result.
        keys: of its fields.
        items: what the fields of a record hold.
        special: keys of what is null where it is empty or left out where it is None.
    """

    schema: str
    keys: tuple[str, ...]
    items: Callable[[Any], tuple[object, ...]]
    special: tuple[tuple[str, Mapping[str, object]], ...]


@cache
def _form(kind: Any) -> _RecordForm | None:
    """That of a kind's records; None where it is none that is written by its fields."""
    schema = kind.SCHEMA if issubclass(kind, VerbResult) else ""
    if issubclass(kind, Enum | Mapping | Sequence) or not is_dataclass(kind):
        return None
    shown = [field for field in fields(kind) if "hidden" not in field.metadata]
    keys = [field.metadata.get("name", field.name) for field in shown]
    marked = zip(keys, (field.metadata for field in shown), strict=True)
    return _RecordForm(
        schema,
        tuple(keys),
        _items(*(field.name for field in shown)),
        tuple((key, mark) for key, mark in marked if "null" in mark or "absent" in mark),
    )


def _items(*names: str) -> Callable[[Any], tuple[object, ...]]:
    """What gives the fields of a record, which may be of one or none."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)
