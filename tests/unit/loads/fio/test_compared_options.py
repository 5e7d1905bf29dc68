"""The plain words of a fio job that rules compare loads by."""

from __future__ import annotations

import pytest

from iosonde.loads import LOADS
from iosonde.loads.fio import text_figures as _fio
from iosonde.loads.fio.compared_options import compared_options
from iosonde.records.stack import Scalar


def declared_options(job: str) -> dict[str, Scalar]:
    return compared_options(LOADS.load("fio")().declare(f"fio --name=j {job}", name="j", where=""))


@pytest.mark.parametrize(
    ("job", "size"),
    [
        ("--rw=randread --bs=8k", 8192),
        ("--rw=randread", 4096),
        ("--rw=randrw --bs=4k,4k", 4096),
        ("--rw=write --bs=4k,8k", 8192),
        ("--rw=randrw --bs=4k,8k", None),
        ("--rw=randwrite --bssplit=4k/60:64k/40", None),
        ("--rw=randwrite --bs=4k --bssplit=4k/60:64k/40", None),
        ("--rw=randread --bsrange=4k-64k", None),
    ],
)
def test_the_block_size_is_that_of_every_block(job: str, size: int | None) -> None:
    assert declared_options(job).get("bs") == size


def test_jobs_that_wait_for_others_are_phased() -> None:
    two = "--rw=write --size=1g --name=b --rw=read --size=1g"
    assert "phased" not in declared_options(two)
    assert declared_options(f"{two} --stonewall")["phased"] is True
    assert declared_options(f"{two} --startdelay=5")["phased"] is True


def test_options_that_hold_a_load_back_are_paced() -> None:
    assert "paced" not in declared_options("--rw=read --rate=0")
    assert declared_options("--rw=read --rate_iops=500")["paced"] is True


@pytest.mark.parametrize("other", [{"bssplit": "4k/60:64k/40"}, {"bsrange": "4k-64k"}])
def test_printed_options_of_several_sizes_have_none(other: dict[str, str]) -> None:
    assert _fio.options_of({"bs": "4k"})["bs"] == 4096
    assert "bs" not in _fio.options_of({"bs": "4k", **other})
    assert "bs" not in _fio.options_of({"bs": "4k,8k"})
