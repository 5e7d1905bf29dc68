"""`iosonde predict` of times, and `iosonde calibrate`, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iosonde.loads.named import declare_load
from iosonde.records.load import Target, TargetKind
from iosonde.records.run import RunState, Trial
from iosonde.store import open_store
from iosonde.verbs.schema import schema
from tests.cli import forked
from tests.unit.measure.build import loop

ROOT = Path(__file__).parents[2]
STACK = ROOT / "examples" / "stacks" / "hypervisor-raid5.yaml"
LOAD = "fio --name x --rw randwrite --bs 4k --direct 1 --ioengine libaio --iodepth 16"
HELD = "disk=limits:iops=200"


def call(*arguments: str, status: int = 0) -> str:
    done = forked.call(*arguments)
    assert done.status == status, done.stderr + done.stdout
    return done.stdout or done.stderr


def predict(*arguments: str, status: int = 0) -> str:
    return call("predict", "--stack", str(STACK), "--at", "r5", *arguments, status=status)


def checked(name: str, text: str) -> Any:
    document = json.loads(text)
    jsonschema.validate(document, schema(name))
    return document


def test_times_keep_the_contract() -> None:
    levels = ("--set", "r5.level=5,10")
    text = predict("--load", LOAD, "--device", HELD, *levels, "--json")
    document = checked("predict", text)
    assert set(document["time"]) == {"iops", "bandwidth", "latency_mean", "band"}
    assert document["time"]["iops"] == pytest.approx(200, rel=0.05)
    assert document["time"]["latency_mean"] == pytest.approx(16 / 200, rel=0.05)
    ten = document["what_if"][1]
    assert ten["time"]["band"][0] > document["time"]["band"][1]
    assert document["time_basis"]["depth"] == 16
    assert document["time_basis"]["devices"]["d1"] == "limits:iops=200"


def test_without_models_there_is_no_time() -> None:
    document = checked("predict", predict("--load", LOAD, "--json"))
    assert document["time"] is None
    assert "--device" in document["time_basis"]["reason"]
    assert "no times: no speed model for d1, d2, d3 and 1 more" in predict("--load", LOAD)


def test_times_for_people() -> None:
    shown = predict("--load", LOAD, "--device", HELD)
    assert "with 16 in flight" in shown
    assert "the band covers the length of the simulation" in shown
    drawn = predict("--load", LOAD, "--device", HELD, "--set", "r5.level=0,5")
    assert "busiest" in drawn
    assert "█" in drawn


@pytest.mark.slow
def test_each_point_of_a_matrix_is_predicted_and_drawn(tmp_path: Path) -> None:
    matrix = "--name=x --rw=randread --bs={4k,64k} --direct=1 --ioengine=libaio --iodepth={1,4,16}"
    row = ("--device", "disk=7k2-sata", "--html", str(tmp_path / "page.html"))
    document = checked("predict", predict("--load", matrix, *row, "--json"))
    points = {
        (record["matrix"]["bs"], record["matrix"]["iodepth"]): record
        for record in document["what_if"]
    }
    assert list(points) == [(size, depth) for size in (4096, 65536) for depth in (1, 4, 16)]
    alone = matrix.replace("{4k,64k}", "64k").replace("{1,4,16}", "{4}").replace("{4}", "4")
    single = json.loads(predict("--load", f"fio {alone}", *row[:2], "--json"))
    assert single["time"] == points[65536, 4]["time"]
    assert (single["curves"], single["what_if"]) == ([], [])
    for curve, size in zip(document["curves"], (4096, 65536), strict=True):
        assert (curve["fixed"], curve["axis"]) == ({"bs": size}, "iodepth")
        for point in curve["points"]:  # Little's law, whatever the model
            assert point["iops"] * point["latency"] == pytest.approx(point["in_flight"], rel=0.1)
    page = (tmp_path / "page.html").read_text()
    assert "x: latency over rate" in page
    assert "x, bs 64 KiB: " in predict("--load", matrix, *row[:2]).splitlines()[1]


def test_a_matrix_without_depths_has_no_curve() -> None:
    document = json.loads(predict("--load", LOAD.replace("4k", "{4k,64k}"), "--json"))
    assert [record["matrix"] for record in document["what_if"]] == [{"bs": 4096}, {"bs": 65536}]
    assert document["curves"] == []  # and without models there are no times either


def test_a_search_writes_a_prior(tmp_path: Path) -> None:
    prior = tmp_path / "prior.json"
    values = ("--set", "r5.level=5,6,10", "--device", HELD, "--search", "--prior", str(prior))
    document = checked("prior", predict("--load", LOAD, *values, "--json"))
    assert document["ranking"][0]["settings"] == {"r5.level": "10"}
    assert json.loads(prior.read_text()) == document
    assert "10" in predict("--load", LOAD, *values)


@pytest.mark.slow
def test_a_run_is_held_against_the_model_and_keeps_the_record(tmp_path: Path) -> None:
    ten = predict("--load", LOAD, "--device", HELD, "--set", "r5.level=10", "--json")
    said = checked("predict", ten)
    place = str(tmp_path / "store.sqlite")
    store = open_store(place)
    try:
        run = store.begin("levels", {"study": {"set": {"r5.level": 10}}}, created=0.0, owner="")
        declared = declare_load(LOAD, where="test", directory=tmp_path)
        for ident, rate in (("a@r5", said["time"]["iops"]), ("b@r5", 150.0)):
            figures = {"write.iops": rate, "write.latency.mean": 16 / rate}
            target = Target("n", "/dev/md0", TargetKind.DEVICE)
            loops = (loop(0, figures),)
            store.add_trial(run.id, Trial(ident, "n", "r5", target, declared, "fio", loops))
        store.finish(run.id, RunState.FINISHED)
    finally:
        store.close()
    row = ("--against", run.id, "--device", HELD, "--store", place)
    document = checked("forecast", predict(*row, "--json", status=1))
    assert [trial["inside"] for trial in document["trials"]] == [True, False]
    assert document["trials"][1]["off"]["iops"] > 1
    page = tmp_path / "report.html"
    call("report", run.id, "--store", place, "-o", str(page))
    assert "1 of 2 measured rates lie within the band" in page.read_text()
    drawn = tmp_path / "drawn.html"
    shown = predict(*row, "--html", str(drawn), status=1)
    assert "1 of 2 measured rates lie within the band" in drawn.read_text()
    first = shown.partition("\n")[0]
    assert first.startswith("1 of 2 measured rates lie within the band of the model; farthest off")
    assert "is b@r5: +" in first
    assert "b@r5" in shown.removeprefix(first)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "say which load"),
        (("--load", LOAD, "--device", "d9=7k2-sata"), "no layer or kind 'd9'"),
        (("--load", LOAD, "--device", "disk=quick"), "is not a device model"),
        (("--load", LOAD, "--device", "disk=calibration:none"), "no calibration 'none'"),
        (("--load", LOAD, "--search"), "nothing to search"),
        (("--load", LOAD, "--prior", "x"), "only a search"),
        (("--load", LOAD, "--fit", "r5=1,2"), "no controller"),
        (("--against", "none"), "none"),
    ],
)
def test_complaints(
    arguments: tuple[str, ...], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOSONDE_STORE", str(tmp_path / "store.sqlite"))
    assert complaint in predict(*arguments, status=2)


def test_a_controller_is_fitted(tmp_path: Path) -> None:
    file = tmp_path / "hw.yaml"
    file.write_text(
        "stack: hw\nhosts: {n: {at: local}}\nlayers:\n"
        '  r: {kind: hwraid, host: n, drives: ["1:0", "1:1", "1:2", "1:3"], level: 5,'
        " drive_size: 100 GiB}\n"
        'devices: {r: "controller:cache=8MiB,rate=1GB/s", r.drives: 10k-sas}\n'
    )
    load = "fio --name x --rw randwrite --bs 1m --size 32m --direct 1"
    asked = ("--stack", str(file), "--load", load, "--set", "r.strip_size=64k,256k")
    text = call("predict", *asked, "--fit", "r=300 MiB/s,320", "--json")
    document = checked("fit", text)
    assert document["layer"] == "r"
    assert document["model"].startswith("controller:overhead=")
    assert "2 combinations" in call("predict", *asked, "--fit", "r=300", status=2)


def test_what_a_calibration_would_do(tmp_path: Path) -> None:
    document = checked("calibrate", call("calibrate", str(tmp_path), "--dry-run", "--json"))
    assert "random-read-4k-1" in document["loads"]
    assert not any("write" in name for name in document["loads"])
    more = checked("calibrate", call("calibrate", str(tmp_path), "--writes", "--dry-run", "--json"))
    assert "random-write-4k-1" in more["loads"]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_scratch_file_is_calibrated_and_used(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    row = ("--name", "here", "--seconds", "0.3s", "--size", "64m", "--store", place)
    document = checked("calibrate", call("calibrate", str(tmp_path), *row, "--json"))
    assert len(document["points"]) == 13
    used = ("--device", "disk=calibration:here", "--store", place, "--json")
    load = LOAD.replace("write", "read")
    reads = checked("predict", predict("--load", load, *used))
    assert reads["time"]["band"][0] < reads["time"]["iops"] < reads["time"]["band"][1]
    writes = checked("predict", predict("--load", LOAD, *used))
    assert "has no writes" in writes["time_basis"]["reason"]
