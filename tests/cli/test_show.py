"""`iosonde show` and `iosonde schema` as a user runs them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iosonde.hosts.local import LocalHost
from iosonde.records.stack import Json
from iosonde.stack.discover import discover
from iosonde.verbs.schema import list_schemas, schema
from tests.cli.forked import Ended, call

NOBODY = 65534


def iosonde(*arguments: str) -> Ended:
    return call(*arguments)


def document(*arguments: str) -> dict[str, Any]:
    done = iosonde(*arguments, "--json")
    assert done.status == 0, done.stderr
    record = json.loads(done.stdout)
    assert isinstance(record, dict)
    return record


def as_nobody(work: Callable[[], Json]) -> Any:
    """What `work` returns in a child of this process that has given up root's rights."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            with os.fdopen(writer, "w") as pipe:
                json.dump(work(), pipe)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return json.loads(text)


@pytest.mark.parametrize("name", list_schemas().schemas)
def test_each_schema_is_a_schema_and_names_its_number(name: str) -> None:
    made = schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    assert str(made["title"]).startswith("iosonde.")
    assert json.loads(iosonde("schema", name).stdout) == made


def test_schema_lists_its_names() -> None:
    lines = iosonde("schema").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(list_schemas().schemas)
    assert document("schema")["schemas"] == list(list_schemas().schemas)


def test_show_keeps_to_its_schema_and_finds_the_root_file_system() -> None:
    values = document("show")
    jsonschema.validate(values, schema("show"))
    layers = values["layers"]
    assert isinstance(layers, list)
    ids = {layer["id"] for layer in layers}
    assert len(ids) == len(layers)
    assert all(below in ids for layer in layers for below in layer["below"])
    assert any(layer["kind"] == "disk" for layer in layers)


@pytest.mark.root
def test_a_plain_user_sees_the_same_layers_and_is_told_what_needs_root() -> None:
    def discovered() -> dict[str, Any]:
        return asyncio.run(discover([LocalHost()])).to_json()

    whole = discovered()
    plain = as_nobody(discovered)
    jsonschema.validate(plain, schema("show"))
    mine, theirs = (
        {layer["id"] for layer in record["layers"] if layer["kind"] in {"disk", "partition"}}
        for record in (whole, plain)
    )
    assert mine == theirs
    udev = Path("/run/udev/data").is_dir() and any(Path("/run/udev/data").iterdir())
    records = {gap["what"] for gap in plain["gaps"]}
    assert ("file system signatures" in records) is not udev


def test_the_graphs() -> None:
    assert iosonde("show", "--dot").stdout.startswith("digraph stack {")
    assert iosonde("show", "--mermaid").stdout.startswith("flowchart TD")


def test_a_recording_shows_the_same(tmp_path: Path) -> None:
    assert iosonde("show", "--record", str(tmp_path)).status == 0
    replayed = document("show", f"recording:{tmp_path / 'local'}")
    assert {layer["id"] for layer in replayed["layers"]} >= {
        layer["id"] for layer in document("show")["layers"] if layer["kind"] == "disk"
    }


def test_a_pipe_gets_every_setting_uncut_and_no_colour() -> None:
    done = iosonde("show", "--settings")
    assert done.status == 0
    assert "vm.vfs_cache_pressure=" in done.stdout
    assert "\x1b" not in done.stdout


def test_errors_keep_to_their_schema() -> None:
    done = iosonde("show", "--json", "--dot")
    assert done.status == 2
    error = json.loads(done.stdout)
    jsonschema.validate(error, schema("error"))
    assert error["error"]["kind"] == "usage"
    assert "exclude" in error["error"]["message"]


def test_the_verb_loads_nothing_heavy_before_it_is_needed() -> None:
    heavy = ("rich.tree", "pydantic", "asyncssh", "sqlalchemy")
    code = f"import sys, iosonde.cli.show; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
