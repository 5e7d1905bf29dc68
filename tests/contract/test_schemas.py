"""What the machine-readable contract says, line by line: an accidental change of it is seen.

`schemas.txt` has a line for each value of each schema; `make reference` writes it anew. Read the
diff: a line may be added, none changed or removed without a new number.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from iosonde.verbs.schema import list_schemas, schema

RECORDED = Path(__file__).with_name("schemas.txt")
_LIMITS = (
    "const", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern",
    "minItems", "maxItems", "minLength", "uniqueItems",
)  # fmt: skip


def lines_of(name: str, whole: Mapping[str, Any]) -> Iterator[str]:
    """Each value that a schema describes: schema, path, types, limits, whether it is required.

    `[]` in a path is an item of a list, `{}` a value under a key of any name, `<form>` one of
    several forms of an object; `as PATH`: has the values that stand below that path.
    """
    yield f"{name} = {whole['title']}"
    for line in _within("", whole, whole, {}):
        yield f"{name} {line.lstrip('.')}"


def _within(
    path: str, form: Mapping[str, Any], whole: Mapping[str, Any], at: dict[str, str]
) -> Iterator[str]:
    """The values inside a form; `at` is the path at which a definition is written out."""
    branches = [*_branches(form, whole)]
    several = sum("properties" in branch for _, branch in branches) > 1
    for definition, branch in branches:
        start = f"{path}<{definition}>" if several and definition else path
        nested = any(key in branch for key in ("properties", "items", "additionalProperties"))
        if definition and nested and at.setdefault(definition, start) != start:
            yield f"{start} as {at[definition].lstrip('.')}"
            continue
        values = [
            (f".{key}", value, key in branch.get("required", ()))
            for key, value in branch.get("properties", {}).items()
        ]
        values += [
            (sign, branch[key], False)
            for key, sign in (("items", "[]"), ("additionalProperties", "{}"))
            if isinstance(branch.get(key), Mapping)
        ]
        for key, value, required in values:
            yield f"{start}{key} {_types(value, whole)}{' required' * required}"
            yield from _within(f"{start}{key}", value, whole, at)


def _branches(
    form: Mapping[str, Any], whole: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The forms that a value may have, each with the name of its definition."""
    if "$ref" in form:
        definition = form["$ref"].rpartition("/")[2]
        for inner, branch in _branches(whole["$defs"][definition], whole):
            yield inner or definition, branch
        return
    choices = [*form.get("anyOf", ()), *form.get("oneOf", ())]
    for choice in choices:
        yield from _branches(choice, whole)
    if not choices or "type" in form:
        yield "", form


def _types(form: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """The types and limits of a value, in an order of their own."""
    said: set[str] = set()
    for _, branch in _branches(form, whole):
        kinds = branch.get("type", "any" if "enum" not in branch and "const" not in branch else [])
        limits = [f"{key}={branch[key]}" for key in _LIMITS if key in branch]
        said |= {
            "".join([kind, *(f"({limit})" for limit in limits if kind != "null")])
            for kind in ([kinds] if isinstance(kinds, str) else kinds or ["one"])
        }
    return "|".join(sorted(said)).replace(" ", "")


def _recorded() -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        groups.setdefault(line.partition(" ")[0], []).append(line)
    return groups


@pytest.mark.parametrize("name", list_schemas().schemas)
def test_a_schema_says_what_is_recorded(name: str) -> None:
    assert sorted(lines_of(name, schema(name))) == sorted(_recorded().get(name, []))


def test_nothing_is_recorded_of_schemas_that_are_gone() -> None:
    assert set(_recorded()) == set(list_schemas().schemas)


def test_a_change_is_seen() -> None:
    whole = schema("compare")
    before = set(lines_of("compare", whole))
    verdict = whole["$defs"]["ComparedMetric"]
    verdict["required"].remove("change")
    del verdict["properties"]["interval"]
    verdict["properties"]["metric"] = {"type": "integer"}
    changed = {line.split()[1] for line in before ^ set(lines_of("compare", whole))}
    assert changed == {
        "verdicts[].change", "verdicts[].interval", "verdicts[].interval[]", "verdicts[].metric",
    }  # fmt: skip


if __name__ == "__main__" and "--write" in sys.argv:
    names = (line for name in list_schemas().schemas for line in lines_of(name, schema(name)))
    RECORDED.write_text("".join(f"{line}\n" for line in names), encoding="utf-8")
