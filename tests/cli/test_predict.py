"""`iosonde predict` as a user calls it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import COMMAND
from tests.unit.trace.sample import requests, text

ROOT = Path(__file__).parents[2]
STACK = ROOT / "examples" / "stacks" / "aoe-san.yaml"
LOAD = "fio --name x --rw randwrite --bs 4k --direct 1 --size 64m"


def predict(*words: str, status: int = 0) -> str:
    done = subprocess.run(
        [*COMMAND, "predict", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_the_object_keeps_its_contract() -> None:
    shown = predict("--stack", str(STACK), "--load", LOAD, "--set", "aoe.mtu=1500,4200", "--json")
    document: Any = json.loads(shown)
    schema = json.loads((ROOT / "src/iosonde/schemas/predict.json").read_text())
    jsonschema.validate(document, schema)
    assert [one["settings"] for one in document["what_if"]] == [
        {"aoe.mtu": "1500"}, {"aoe.mtu": "4200"},
    ]  # fmt: skip
    targets = [
        layer["write_sizes"] for one in document["what_if"] for layer in one["layers"]
        if layer["id"] == "target"
    ]  # fmt: skip
    assert targets == [{"1024": 4000}, {"4096": 1000}]
    disks = {layer["id"]: layer for layer in document["layers"] if layer["kind"] == "disk"}
    written = {name: one["writes"] for name, one in disks.items()}
    assert written == {"fast": 4000, "d1": 0, "d2": 0, "d3": 0, "d4": 0}  # the cache has them all
    assert all(one["amplification"]["reads"] == 0 for one in disks.values())


def test_the_tables_for_people() -> None:
    shown = predict("--stack", str(STACK), "--load", LOAD, "--at", "r10", "--ledger")
    assert "r10" in shown
    assert "× 4 KiB" in shown
    compared = predict("--stack", str(STACK), "--load", LOAD, "--set", "aoe.mtu=1500,9000")
    assert "aoe.mtu" in compared
    assert "4000" in compared


def test_a_trace_is_a_load() -> None:
    trace = ROOT / "tests" / "outputs" / "fio-3.33-logs" / "mixed.iolog2"
    shown = predict("--stack", str(STACK), "--load", str(trace), "--at", "r10", "--json")
    assert json.loads(shown)["requests"] > 0


def test_a_trace_of_any_format_is_a_load_read_part_by_part(tmp_path: Path) -> None:
    made = requests(1000, seed=3)
    counted = []
    for fmt in ("iolog", "msr", "blkparse"):
        path = tmp_path / fmt
        path.write_bytes(text(fmt, made) + b"damaged\n" * (fmt == "msr"))
        shown = predict("--stack", str(STACK), "--load", str(path), "--at", "r10", "--json")
        document: Any = json.loads(shown)
        assert any("1 damaged line" in note for note in document["notes"]) == (fmt == "msr")
        assert document["requests"] == 1000
        counted.append(document["layers"])
    assert counted[0] == counted[1] == counted[2]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--load", "no-such-load"), "no-such-load"),
        (("--load", LOAD, "--at", "nothing"), "there is no layer 'nothing'"),
        (("--load", LOAD, "--set", "aoe.colour=red"), "has no setting 'colour'"),
        (("--load", "hdparm -t"), "not known beforehand"),
    ],
)
def test_complaints(words: tuple[str, ...], complaint: str) -> None:
    assert complaint in predict("--stack", str(STACK), *words, status=2)
