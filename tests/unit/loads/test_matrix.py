"""Loads whose options are lists: a full cross, and what looks like a list and is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import UsageError
from iosonde.loads.fio.job import job_of
from iosonde.loads.named import declare_load, declare_loads
from iosonde.measure.plan import make_plan
from iosonde.measure.study import read_study
from iosonde.records.load import Load


def declared(entry: str | dict[str, Any]) -> list[Load]:
    return declare_loads(entry, where="study.yaml, loads[0]", directory=Path(), loops=5)


def options(load: Load) -> set[str]:
    """The lines of its job file, by fio's main names."""
    return {line.replace("blocksize", "bs") for line in job_of(load).text().splitlines()}


@pytest.mark.parametrize(
    "entry",
    [
        {"fio": "--rw=randread --size=1m --ioengine=libaio --bs={4k,64k} --iodepth={1,8}"},
        "fio --rw=randread --size=1m --ioengine=libaio --bs={4k,64k} --iodepth {1,8}",
        {"fio": {"rw": "randread", "size": "1m", "ioengine": "libaio", "bs": ["4k", "64k"],
                 "iodepth": [1, 8]}},
        {"fio": {"fio": {"rw": "randread", "size": "1m", "ioengine": "libaio",
                         "blocksize": ["4k", "64k"], "iodepth": [1, 8]}}},
    ],
    ids=["options", "a command", "a mapping", "a section"],
)  # fmt: skip
def test_lists_are_crossed(entry: str | dict[str, Any]) -> None:
    loads = declared(entry)
    assert [load.name for load in loads] == [
        "fio bs=4k iodepth=1", "fio bs=4k iodepth=8", "fio bs=64k iodepth=1", "fio bs=64k iodepth=8"
    ]  # fmt: skip
    assert [dict(load.matrix) for load in loads] == [
        {"bs": size, "iodepth": depth} for size in (4096, 65536) for depth in (1, 8)
    ]
    plain = declared("fio --rw=randread --size=1m --ioengine=libaio --bs=64k --iodepth=1")
    assert options(loads[2]) == options(plain[0])


def test_a_name_and_a_bundled_load_carry_the_options() -> None:
    (first, *_) = declared({"load": "iops", "name": "mine", "iodepth": [1, 2]})
    assert (first.name, first.varied_from) == ("mine iodepth=1", "mine")
    (mixed, _) = declared({"fio": {"rw": "randrw", "rwmix": [70, 100]}})
    assert mixed.matrix == {"rwmixread": 70}


@pytest.mark.parametrize("name", ["{a,b}", "/data/{a,b}", "x{}", "{}", "{a}"])
def test_a_file_name_with_braces_is_no_list(name: str) -> None:
    (load,) = declared(f"fio --rw=read --filename={name}")
    assert load.matrix == {}


@pytest.mark.parametrize("value", ["{}", "{4k}", "{4k,}", "{4k,{8k,16k}}", "x{4k,8k}", "{,}"])
def test_braces_that_are_no_list_stay_what_they_were(value: str) -> None:
    with pytest.raises(UsageError, match="is not a size that fio reads"):
        declared(f"fio --rw=read --bs={value}")


def test_a_list_of_one_value_is_that_value() -> None:
    (load,) = declared({"fio": {"rw": "read", "bs": ["4k"]}})
    assert (load.name, load.matrix) == ("fio", {})


def test_depth_needs_an_engine_that_has_one() -> None:
    (load, _) = declared("fio --rw=read --iodepth={1,2}")
    assert load.spec["notes"] == [
        "ioengine=libaio and direct=1 are set: else fio keeps one I/O in flight whatever "
        "iodepth says"
    ]
    (own, _) = declared("fio --rw=read --ioengine=io_uring --direct=0 --iodepth={1,2}")
    assert own.spec["notes"] == []
    with pytest.raises(UsageError, match="ioengine=psync keeps one I/O in flight"):
        declared("fio --rw=read --ioengine=psync --iodepth={1,2}")


@pytest.mark.parametrize("depth", [[1, 8], 8])
def test_a_bundled_load_with_a_synchronous_engine_has_no_depth_to_choose(depth: object) -> None:
    with pytest.raises(UsageError, match="iodepth has no effect: ioengine=sync keeps one I/O"):
        declared({"load": "etcd-wal", "iodepth": depth})
    near = declared({"load": "etcd-wal", "ioengine": "libaio", "iodepth": depth})
    assert len(near) == (2 if isinstance(depth, list) else 1)
    mixed = declared({"load": "mysql-like", "iodepth": depth})  # of its pages, not of its log
    assert len(mixed) == len(near)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"bs": []}, "bs needs one value, or a list"),
        ({"bs": [["4k"]]}, "bs needs one value, or a list"),
        ({"bs": ["4k", "4k"]}, "bs lists 4k twice"),
        ({"iodepth": [0, 1]}, "iodepth=0 is not within"),
        ({"rwmixread": [50, 101]}, "rwmixread=101 is not within 0 to 100"),
        ({"filename": ["a", "b"]}, "filename needs one value"),
    ],
)
def test_a_wrong_list_names_its_key_and_line(
    tmp_path: Path, options: dict[str, Any], complaint: str
) -> None:
    ((key, value),) = options.items()
    file = tmp_path / "study.yaml"
    file.write_text(f"targets: x\nloads:\n  - fio:\n      rw: randread\n      {key}: {value}\n")
    with pytest.raises(UsageError, match=complaint) as raised:
        make_plan(read_study(file), where=str(file))
    assert raised.value.where.startswith(f"{file}:5, loads[0]")
    assert key in raised.value.where


def test_a_matrix_too_large_is_refused_with_its_time() -> None:
    options = {"iodepth": list(range(1, 101)), "bs": ["4k", "8k", "16k", "32k", "64k"]}
    with pytest.raises(UsageError, match=r"500 points \(100 iodepth × 5 bs\), about 43 h 03 min"):
        declared({"fio": {"rw": "read", "runtime": 60, "time_based": True, **options}})
    huge = {name: list(range(1, 5000)) for name in ("iodepth", "numjobs", "thinktime")}
    with pytest.raises(UsageError, match="points"):  # counted, not made
        declared({"fio": {"rw": "read", **huge}})


def test_who_needs_one_load_refuses_a_matrix() -> None:
    with pytest.raises(UsageError, match="a list makes 2 loads, and one is expected"):
        declare_load("fio --rw=read --bs={4k,8k}", where="--load", directory=Path())
