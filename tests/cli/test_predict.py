"""`iosonde predict` as a user calls it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.cli.forked import call
from tests.unit.trace.sample import requests, text

ROOT = Path(__file__).parents[2]
STACK = ROOT / "examples" / "stacks" / "aoe-san.yaml"
LOAD = "fio --name x --rw randwrite --bs 4k --direct 1 --size 64m --number_ios 1000"


def predict(*arguments: str, status: int = 0) -> str:
    done = call("predict", *arguments)
    assert done.status == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_the_object_keeps_its_contract() -> None:
    shown = predict("--stack", str(STACK), "--load", LOAD, "--set", "aoe.mtu=1500,4200", "--json")
    document: Any = json.loads(shown)
    jsonschema.validate(document, schema("predict"))
    assert [record["settings"] for record in document["what_if"]] == [
        {"aoe.mtu": "1500"}, {"aoe.mtu": "4200"},
    ]  # fmt: skip
    targets = [
        layer["write_sizes"] for record in document["what_if"] for layer in record["layers"]
        if layer["id"] == "target"
    ]  # fmt: skip
    assert targets == [{"1024": 4000}, {"4096": 1000}]
    disks = {layer["id"]: layer for layer in document["layers"] if layer["kind"] == "disk"}
    written = {name: disk["writes"] for name, disk in disks.items()}
    # The cache has them all, and commits them in the end: its metadata and a superblock.
    assert written == {"fast": 4002, "d1": 0, "d2": 0, "d3": 0, "d4": 0}
    assert all(disk["amplification"]["reads"] == 0 for disk in disks.values())


def test_the_tables_for_people() -> None:
    shown = predict("--stack", str(STACK), "--load", LOAD, "--at", "r10", "--ledger")
    assert "r10" in shown
    assert "× 4 KiB" in shown
    compared = predict("--stack", str(STACK), "--load", LOAD, "--set", "aoe.mtu=1500,9000")
    assert "aoe.mtu" in compared
    best, *table = compared.splitlines()
    assert best.startswith("best: aoe.mtu 9000: 1 disk I/O (4.13 KiB) a request; worst: aoe.mtu")
    assert any(line.split()[:4] == ["1500", "1,000", "0", "4,002"] for line in table)


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


HELD_BACK = """
stack: s
hosts: {n: {at: local}}
layers:
  r6: {kind: hwraid, host: n, level: 6, drives: ["252:0", "252:1", "252:2", "252:3", "252:4"],
    strip_size: 64k, drive_size: 1 TiB}
  xfs: {kind: xfs, of: r6, mount: /m}
"""


def test_what_is_approximate_is_said_and_what_leaves_a_cache_is_seen(tmp_path: Path) -> None:
    stack = tmp_path / "s.yaml"
    stack.write_text(HELD_BACK)
    load = "fio --name x --rw write --bs 64k --size 64m --number_ios 1024"
    controller = "r6=controller:overhead=5us,rate=1GB/s,cache=16MiB"
    arguments = ["--stack", str(stack), "--load", load, "--set", "xfs.page_cache=1g"]
    arguments += ["--device", controller]
    document: Any = json.loads(predict(*arguments, "--json"))
    jsonschema.validate(document, schema("predict"))
    layers = {layer["id"]: layer for layer in document["layers"]}
    assert list(layers)[:4] == ["xfs-page-cache", "xfs", "r6", "r6-array"]
    assert layers["xfs-page-cache"]["writes"] == 1024
    assert layers["r6"]["writes"] == 64 * 1024 / 1024  # as large as an I/O may be
    assert layers["r6-array"]["write_bytes"] == 64 * 2**20
    said = [note for note in document["notes"] if "approximate" in note]
    assert {note.split(":")[0] for note in said} == {"xfs-page-cache", "r6"}
    assert layers["r6"]["approximate"]


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_what_if_is_drawn(tmp_path: Path) -> None:
    page, picture = tmp_path / "what-if.html", tmp_path / "what-if.svg"
    arguments = [
        "--stack",
        str(STACK),
        "--load",
        LOAD,
        "--at",
        "r10",
        "--set",
        "r10.chunk_size=64k,256k",
    ]
    shown = predict(
        *arguments, "--device", "disk=7k2-sata", "--html", str(page), "--svg", str(picture)
    )
    assert "chunk_size" in shown
    html, svg = page.read_text(), picture.read_text()
    assert html.count("<svg") == 3
    for word in ("I/Os of all disks", "Bytes of all disks", "bands", "r10.chunk_size 256k"):
        assert word in html
        assert word.replace("r10.chunk_size 256k", "256k") in svg
    assert "http" not in re.sub(r"http://www\.w3\.org/[\w/]*|http-equiv", "", html)
    assert svg.startswith("<svg")
    buffered = LOAD.replace("--direct 1", "--direct 0")
    predict("--stack", str(STACK), "--load", buffered, "--at", "r10", "--html", str(page))
    assert page.read_text().count("<svg") == 2
    assert "no times" in page.read_text()
    refused = predict(*arguments, "--html", str(tmp_path / "none" / "x.html"), status=2)
    assert "the page cannot be written" in refused


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--load", "no-such-load"), "no-such-load"),
        (("--load", LOAD, "--at", "nothing"), "there is no layer 'nothing'"),
        (("--load", LOAD, "--set", "aoe.colour=red"), "has no setting 'colour'"),
        (("--load", "hdparm -t"), "not known beforehand"),
        (("--load", LOAD, "--dask", "local"), "only a search is done by Dask"),
        (("--load", LOAD, "--search", "--html", "x.html"), "not drawn"),
    ],
)
def test_complaints(arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in predict("--stack", str(STACK), *arguments, status=2)
