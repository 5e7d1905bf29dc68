"""Records as JSON by the names of their fields; the verbs as functions of the package."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from math import inf, nan
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, TypeGuard

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import iosonde
from iosonde import errors
from iosonde.contract import ABSENT, ADDED, HIDDEN, NULL, VerbResult, as_json, json_text
from iosonde.contract_schema import schema_of
from iosonde.errors import ErrorReport
from tests.contract.test_tables import HEAVY

RECORDED = f"recording:{Path(__file__).parents[1] / 'recordings' / 'vm_loops'}"


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Part:
    figure: float | None
    why: str = field(default="", metadata=NULL)


@dataclass(frozen=True, slots=True)
class Whole(VerbResult):
    SCHEMA: ClassVar[str] = "iosonde.whole/1"
    parts: tuple[Part, ...]
    colour: Colour = Colour.RED
    by_name: dict[str, Part] = field(default_factory=dict)
    cpu: float = field(
        default=0.5, metadata={"name": "cpu_per_io", "schema": {"minimum": 0}, **ADDED}
    )
    """Seconds of a core."""
    own: object = field(default=None, metadata=HIDDEN)


def test_a_record_is_json_by_the_names_of_its_fields() -> None:
    whole = Whole((Part(1.5, "rounded"), Part(nan)), by_name={"x": Part(-inf)}, own=object())
    assert whole.to_json() == {
        "schema": "iosonde.whole/1",
        "parts": [{"figure": 1.5, "why": "rounded"}, {"figure": None, "why": None}],
        "colour": "red",
        "by_name": {"x": {"figure": None, "why": None}},
        "cpu_per_io": 0.5,
    }


@dataclass(frozen=True, slots=True)
class Held:
    what: object
    none: object = field(default=None, metadata=ABSENT)


_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(Colour)
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner),
        st.tuples(inner, inner),
        st.dictionaries(st.text(), inner),
        st.dictionaries(st.text(), inner).map(MappingProxyType),
        st.lists(inner).map(deque),
        inner.map(Held),
        st.builds(Part, st.floats() | st.none(), st.text()),
    ),
    max_leaves=12,
)


@given(_VALUES)
def test_its_text_is_what_the_encoder_of_python_makes_of_the_same(value: object) -> None:
    assert json_text(value) == json.dumps(as_json(value))


def test_what_has_no_form_in_json_has_no_text_either() -> None:
    with pytest.raises(TypeError, match="object has no form in JSON"):
        json_text({"a": [object()]})


def test_what_has_no_form_in_json_is_refused() -> None:
    with pytest.raises(TypeError, match="object has no form"):
        Whole((), by_name={"x": object()}).to_json()  # type: ignore[dict-item]


def test_the_schema_of_a_record_is_made_of_the_same_fields() -> None:
    schema = schema_of(Whole)
    part = schema["$defs"]["Part"]
    assert schema["title"] == "iosonde.whole/1"
    assert schema["required"] == ["schema", "parts", "colour", "by_name"]
    assert list(schema["properties"]) == [*schema["required"], "cpu_per_io"]
    assert schema["properties"]["colour"] == {"enum": ["red"]}
    assert schema["properties"]["cpu_per_io"] == {
        "description": "Seconds of a core.", "type": "number", "minimum": 0,
    }  # fmt: skip
    assert part["properties"]["why"] == {"type": ["string", "null"]}
    whole = Whole((Part(nan),)).to_json()
    jsonschema.validate(whole, schema)
    with pytest.raises(jsonschema.ValidationError, match="less than the minimum"):
        jsonschema.validate({**whole, "cpu_per_io": -1}, schema)


@dataclass(frozen=True, slots=True)
class Several(VerbResult):
    SCHEMA: ClassVar[str] = "iosonde.several/1"
    inner: tuple[Whole, ...]
    failed: tuple[str, ...] | None = field(default=None, metadata=ABSENT)


def test_a_result_in_a_result_says_its_schema_and_what_is_omitted_is_absent() -> None:
    schema = schema_of(Whole, Several)
    several = Several((Whole(()),)).to_json()
    assert several["inner"][0]["schema"] == "iosonde.whole/1"
    assert "failed" not in several
    assert Several((), ("x",)).to_json()["failed"] == ["x"]
    for document in (several, Whole(()).to_json()):
        jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**several, "inner": [{"parts": [], "colour": "red"}]}, schema)


def test_every_kind_of_error_stands_in_the_schema() -> None:
    document = schema_of(ErrorReport)["$defs"]["ErrorDetails"]["properties"]["kind"]["enum"]
    names = "|".join(name for name, var in vars(errors).items() if is_error(var))
    for file in Path(iosonde.__file__).parent.rglob("*.py"):
        if re.search(rf"^class \w+\(({names})\):", file.read_text(), re.MULTILINE):
            parts = file.relative_to(Path(iosonde.__file__).parents[1]).with_suffix("").parts
            for class_ in filter(is_error, vars(import_module(".".join(parts))).values()):
                assert class_.kind in document


def is_error(record: object) -> TypeGuard[type[errors.IosondeError]]:
    return isinstance(record, type) and issubclass(record, errors.IosondeError)


def test_a_package_does_not_take_the_name_of_a_verb() -> None:
    script = (
        "import iosonde, iosonde.{0}, sys\n"
        "assert callable(iosonde.{0}), iosonde.{0}\n"
        "assert sys.modules['iosonde.{0}'].__name__ == 'iosonde.{0}'"
    )
    for name in {"explain", "predict"} & set(iosonde.__all__):
        subprocess.run([sys.executable, "-c", script.format(name)], check=True)


def test_every_verb_of_the_package_is_there_and_nothing_else() -> None:
    for name in iosonde.__all__:
        assert getattr(iosonde, name).__doc__, name
    typed = (Path(iosonde.__file__).with_name("__init__.pyi")).read_text()
    assert sorted(re.findall(r"import (\w+) as", typed)) == iosonde.__all__
    with pytest.raises(AttributeError, match="no attribute 'measure_all'"):
        _ = iosonde.measure_all  # type: ignore[attr-defined]


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = "import iosonde, sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.decode().split()}
    assert loaded & {*HEAVY, "asyncio", "typer"} == set()


def test_a_verb_runs_where_an_event_loop_runs_already() -> None:
    async def cell() -> object:
        return iosonde.show(RECORDED).layers

    assert asyncio.run(cell()) == iosonde.show(RECORDED).layers


def test_ctrl_c_in_a_notebook_cancels_a_verb_which_cleans_up_first() -> None:
    script = """
import asyncio, os, signal, threading
from iosonde.verbs.signals import run_async

async def work():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.1)
        print("cleaned up", flush=True)

async def cell():
    run_async(work())

try:
    asyncio.new_event_loop().run_until_complete(cell())
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, timeout=30, check=False
    )
    assert done.stdout.decode().split("\n")[:2] == ["cleaned up", "interrupted"], done.stderr
