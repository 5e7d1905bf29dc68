"""Fields of records say what JSON makes of them in words that nothing else takes for its own."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

from iosonde import records

MODULES = (
    *(f"records.{module.name}" for module in iter_modules(records.__path__)), "measure.gate",
    "report.json", "verbs.compare", "verbs.explain", "verbs.import_", "verbs.run",
)  # fmt: skip
METADATA = {"name", "null", "absent", "hidden", "added", "schema"}  # contract.py


def _unknown(record: Any) -> dict[str, set[str]]:
    return {
        field.name: unknown
        for field in fields(record)
        if (unknown := set(field.metadata) - METADATA)
    }


@pytest.mark.parametrize("name", MODULES)
def test_pydantic_finds_nothing_of_its_own_in_metadata(name: str) -> None:
    """It reads stored records, and takes `pattern` and its like as a rule for every value."""
    module = import_module(f"iosonde.{name}")
    kinds = [var for var in vars(module).values() if isinstance(var, type) and is_dataclass(var)]
    assert kinds
    assert {kind.__name__: wrong for kind in kinds if (wrong := _unknown(kind))} == {}
