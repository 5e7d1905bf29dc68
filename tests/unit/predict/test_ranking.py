"""What the model says is faster, beside what was measured to be.

The strips are those of a RAID 6 of 22 SAS disks of 10,000 1/min behind a MegaRAID 9361-8i with
1 GiB of write-back cache: random writes of 4 MiB to 2 GiB, four jobs of 64 each; the slower of two
nodes, mean of five loops of a minute (AN!Cluster Tutorial 2, "Disk Performance Tuning"). Of 1 GiB
such a controller has 873 MiB for data, as MegaCli prints it ("Current Size of FW Cache"). Nothing
else is known of the controller, so two rows tell its overhead and rate, and three are predicted.

RAID 5 against RAID 10 is of four 2.5" disks of 5,400 1/min and 144 MB/s: their owner found RAID 10
better at random I/O and RAID 5 at large sequential writes of three threads, and holds three arrays
of four disks for better than one of twelve. He gives no figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from scipy.stats import kendalltau

from iosonde.loads.named import declare_load
from iosonde.predict.devices import DeviceModels, model_text
from iosonde.predict.fit import asked_of, fitted, network_and_size
from iosonde.predict.service.controller import Controller
from iosonde.predict.time import Time
from iosonde.predict.what_if import SettingValues
from iosonde.predict.work import Network
from iosonde.stack.file import DeclaredStack, understand
from tests.unit.predict.stacks import certain, md, time_of

MIB = 2**20
MEASURED = {64: 1136.36, 128: 1111.44, 256: 1309.90, 512: 1206.18, 1024: 1045.58}  # MiB/s
CERTIFICATION = "--bs=4M --rw=randwrite --size=2g --iodepth=64 --numjobs=4 --ioengine=libaio"
CACHE = "controller:cache=873MiB,rate=1GB/s"
SHEET = {"r6.drives": "10k-sas"}


def array(strip: int) -> DeclaredStack:
    drives = ", ".join(f'"252:{number}"' for number in range(22))
    return understand(
        "stack: tester\nhosts: {n: {at: local}}\nlayers:\n"
        f"  r6: {{kind: hwraid, host: n, drives: [{drives}], level: 6, drive_size: 1800 GB,"
        f" strip_size: {strip} KiB, write_policy: write_back}}\n",
        "tester.yaml",
    )


@cache
def networks() -> Mapping[int, Network]:
    load = f"fio --name=x --direct=1 {CERTIFICATION}"
    change = SettingValues("r6", "strip_size", tuple(f"{number}k" for number in MEASURED))
    devices = DeviceModels({**SHEET, "r6": CACHE})
    declared = declare_load(load, where="test", directory=Path())
    every = network_and_size(array(64), "", declared, [change], devices, 1000)
    return dict(zip(MEASURED, (network for network, _ in every), strict=True))


def controller(*strips: int) -> Controller:
    """As two or more rows of the table tell."""
    like = Controller(0.0, 1e9, 873 * MIB)
    rates = [MEASURED[strip] / 4 for strip in strips]
    return fitted([networks()[strip] for strip in strips], rates, "r6", like)


def predicted(card: Controller, strip: int) -> Time:
    models = {**SHEET, "r6": model_text(card)}
    return certain(time_of(array(strip), CERTIFICATION, models))


def tau(first: Mapping[int, float], *left_out: int) -> float:
    rest = [number for number in MEASURED if number not in left_out]
    row = kendalltau([first[number] for number in rest], [MEASURED[number] for number in rest])
    return float(row.statistic)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_strips_that_were_not_fitted_are_ranked() -> None:
    """Fitted to the first row and to the maker's default; the default is found to be the best."""
    card = controller(64, 256)
    rates = {strip: predicted(card, strip).bandwidth / MIB for strip in MEASURED}
    assert tau(rates, 64, 256) == 1
    assert max(rates, key=lambda strip: rates[strip]) == 256
    for strip in (128, 512, 1024):
        assert rates[strip] == pytest.approx(MEASURED[strip], rel=0.12)


@pytest.mark.slow
def test_no_choice_of_two_rows_turns_the_order_round() -> None:
    """All ten pairs: where the controller is what is waited for, its demands tell the rates."""
    values = {}
    for pair in combinations(MEASURED, 2):
        card = controller(*pair)
        rates = {}
        for strip, network in networks().items():
            count, size = asked_of(network, "r6")
            rates[strip] = 1 / (count * card.overhead + size / card.rate)
        values[pair] = tau(rates, *pair)
    assert min(values.values()) > 0
    assert sum(value == 1 for value in values.values()) >= 5


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_more_rows_than_unknowns_leave_a_tolerance() -> None:
    assert controller(64, 256).tolerance < 1e-6
    every = controller(*MEASURED)
    assert 0.02 < every.tolerance < 0.3
    band = predicted(every, 128).band
    assert band[0] < MEASURED[128] / 4 < band[1]


LAPTOP = {"disk": "sheet:rpm=5400,seek=12ms,track=2ms,rate=144MB/s"}  # the seek is a guess
THREE = "--bs=10m --numjobs=3 --size=1g --offset_increment=1g"


@pytest.mark.parametrize(
    ("load", "better"),
    [
        ("--rw=randwrite --bs=4k", 10),
        ("--rw=randwrite --bs=64k --numjobs=12", 10),
        ("--rw=randrw --bs=64k --numjobs=12", 10),
        (f"--rw=write {THREE}", 5),
    ],
)
def test_raid_5_against_raid_10_of_the_same_four_disks(load: str, better: int) -> None:
    """Not only in the middle: the bands do not touch."""
    times = {level: certain(time_of(md(level, 4), load, LAPTOP)) for level in (5, 10)}
    worse = 15 - better
    assert times[better].band[0] > times[worse].band[1]


@pytest.mark.parametrize("how", ["read --bs=64k", "write --bs=1m"])
def test_three_arrays_of_four_disks_against_one_of_twelve(how: str) -> None:
    """Three streams: each on its own array, or all on one, where heads go to and fro."""
    devices = {"disk": "7k2-sata"}
    own = certain(time_of(md(10, 4), f"--rw={how} --size=10g", devices))
    spread = f"--rw={how} --numjobs=3 --size=10g --offset_increment=1t"
    shared = certain(time_of(md(10, 12), spread, devices))
    assert 3 * own.band[0] > shared.band[1]
