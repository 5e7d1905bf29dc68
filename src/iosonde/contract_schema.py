"""JSON schemas of records: what `as_json` of iosonde.contract makes of them.

A property's description is the docstring below its field, an object's that of its class. Fields
are required unless their metadata say `added` or `absent`; further metadata are keywords of JSON
Schema.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, ForwardRef, Literal, Union, get_args, get_origin, get_type_hints

from iosonde.contract import VerbResult

DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
_SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}


def schema_of(record: type[VerbResult], *others: type[VerbResult]) -> Schema:
    """The schema of what a verb prints.

    Args:
        record: the class of what it returns.
        others: what it may return instead, under the same name.
    """
    defined: dict[str, Schema] = {}
    whole = _object(record, defined)
    if others:
        either = [_form(kind, defined) for kind in (record, *others)]
        whole = {"description": whole["description"], "anyOf": either}
    named = {"$schema": DRAFT, "title": record.SCHEMA, **whole, **record.KEYWORDS}
    return {**named, "$defs": dict(sorted(defined.items()))} if defined else named


def _object(record: Any, defined: dict[str, Schema]) -> Schema:
    hints, said = get_type_hints(record), _said_of_fields(record)
    properties, required = dict[str, Schema](), list[str]()
    if issubclass(record, VerbResult):
        properties["schema"] = {"const": record.SCHEMA}
        required.append("schema")
    for field in fields(record):
        if "hidden" in field.metadata:
            continue
        key = str(field.metadata.get("name", field.name))
        hint = hints[field.name]
        if "absent" in field.metadata and NoneType in get_args(hint):
            (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
        form = _form(hint, defined)
        if "null" in field.metadata:
            form = _either([form, {"type": "null"}])
        form = _merged(form, field.metadata.get("schema", {}))
        if field.name in said:
            form = {"description": said[field.name], **form}
        properties[key] = form
        if not {"added", "absent"} & set(field.metadata):
            required.append(key)
    about = " ".join(inspect.cleandoc(record.__doc__ or "").split())
    return {
        "description": about, "type": "object", "required": required, "properties": properties,
    }  # fmt: skip


def _form(hint: Any, defined: dict[str, Schema]) -> Schema:
    """What values of a type look like."""
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if hint is Any:
        return {}
    if get_origin(hint) is not None:
        return _composed(get_origin(hint), get_args(hint), defined)
    if issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    record: type = hint
    if not is_dataclass(record):
        raise TypeError(f"{record} has no schema")
    name = record.__name__
    if name not in defined:
        defined[name] = {}  # it may hold itself
        defined[name] = _object(record, defined)
    return {"$ref": f"#/$defs/{name}"}


def _composed(kind: Any, inner: tuple[Any, ...], defined: dict[str, Schema]) -> Schema:
    """Of a type that is made of others."""
    if kind is Literal:
        return {"enum": list(inner)}
    if any(isinstance(each, ForwardRef) for part in inner for each in get_args(part)):
        return {}  # an alias that holds itself: Json
    if kind in (Union, UnionType):
        return _either([_form(part, defined) for part in inner])
    if issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": _form(inner[1], defined)}
    if kind is tuple and inner[1:] != (...,):
        (item,) = {str(form): form for form in (_form(part, defined) for part in inner)}.values()
        return {"type": "array", "items": item, "minItems": len(inner), "maxItems": len(inner)}
    return {"type": "array", "items": _form(inner[0], defined)}


def _either(forms: Sequence[Schema]) -> Schema:
    """Any of some forms; of simple types, and of one other that may be null, in one object."""
    types = list(dict.fromkeys(form["type"] for form in forms if set(form) == {"type"}))
    others = [form for form in forms if set(form) != {"type"}]
    if "number" in types and "integer" in types:
        types.remove("integer")
    if not others:
        return {"type": types[0] if len(types) == 1 else types}
    if len(others) == 1 and "type" in others[0] and not {others[0]["type"], *types} - {
        others[0]["type"], "null"
    }:  # fmt: skip
        return {**others[0], "type": [others[0]["type"], *types]}
    return {"anyOf": [*others, *({"type": kind} for kind in types)]}


def _merged(form: Schema, more: Mapping[str, Any]) -> Schema:
    """A form with further keywords, also within what it holds."""
    merged = dict(form)
    for name, value in more.items():
        within = isinstance(value, Mapping) and isinstance(form.get(name), Mapping)
        merged[name] = _merged(form[name], value) if within else value
    return merged


def _said_of_fields(record: Any) -> dict[str, str]:
    """The docstrings below fields, of a class and of those that it extends."""
    said: dict[str, str] = {}
    kinds: tuple[type, ...] = record.__mro__
    for kind in reversed(kinds):
        if not is_dataclass(kind):
            continue
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
        assert isinstance(tree, ast.ClassDef)  # noqa: S101 - for mypy
        for before, after in zip(tree.body, tree.body[1:], strict=False):
            match before, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    said[name] = " ".join(text.split())
    return said
