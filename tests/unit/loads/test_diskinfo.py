"""FreeBSD's diskinfo. Oracle: sectors times their size, kbytes over seconds, as it prints them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled, states, trials, unread_in

SAMPLE = Path(__file__).parents[2] / "outputs" / "benchmarks-composed" / "diskinfo.txt"
TEXT = SAMPLE.read_text()
RATES = TEXT[TEXT.index("Transfer") :]


def rates(text: str) -> dict[str, float]:
    return {trial.label: trial.loops[0].metrics["read.bandwidth"] for trial in trials(text)}


def test_a_disk_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        (state,) = states(given)
        (disk,) = state.subjects
        assert (disk.kind, disk.name, disk.values["size"]) == ("disk", "ada3", 7814037168 * 512), (
            shape
        )
        assert disk.values["serial"] == "HP-0042", shape
        assert disk.values["rotation_rate"] == 5400, shape
        expected = {
            zone: int(kib) / float(seconds) * 1024
            for zone, kib, seconds in re.findall(r"(\w+): +(\d+) kbytes in +([\d.]+)", TEXT)
        }
        assert rates(given) == pytest.approx(expected, rel=1e-6), shape


def test_seeks() -> None:
    (seeks,) = counters(TEXT)
    for name, each in (("full_stroke", 0.025), ("half_stroke", 0.018), ("short_forward", 0.007)):
        assert seeks.values[name] == each
        figures = cast("dict[str, float]", seeks.values)
        count, seconds = figures[f"{name}.count"], figures[f"{name}.seconds"]
        assert count * each == pytest.approx(seconds)
    (state,) = states(TEXT)
    facts = cast("dict[str, int]", state.subjects[0].values)
    assert (facts["cylinders"], facts["heads"], facts["track_sectors"]) == (7752021, 16, 63)
    assert facts["sectors"] * facts["logical_block_size"] == facts["size"]
    for trial in trials(TEXT):
        assert trial.elapsed
        rate = trial.loops[0].metrics["read.bandwidth"]
        assert trial.details["bytes"] == pytest.approx(rate * trial.elapsed[0])
    assert (seeks.name, seeks.host) == ("ada3", "nas7")


def test_rates_alone_and_two_disks() -> None:
    assert list(rates(RATES)) == ["outside", "middle", "inside"]
    second = TEXT.replace("ada3", "ada4").replace("160000", "150000")
    assert {trial.target for trial in trials(TEXT + second)} == {"ada3", "ada4"}
    assert {disk.name for state in states(TEXT + second) for disk in state.subjects} == {
        "ada3", "ada4",
    }  # fmt: skip


def test_requests_and_synchronous_writes() -> None:
    text = (
        "Asynchronous random reads:\n\tsectorsize:      3150 ops in    3.15 sec =     1000 IOPS\n"
        "\t4 kbytes:        3000 ops in    3.00 sec =     1000 IOPS\n\n"
        "Synchronous random writes:\n\t 0.5 kbytes:    250.0 usec/IO =      2.0 Mbytes/s\n"
        "\t   4 kbytes:    500.0 usec/IO =      7.8 Mbytes/s\n"
    )
    figures = [(trial.options["bs"], *trial.loops[0].metrics.values()) for trial in trials(text)]
    assert figures == [
        (512, 1000.0), (4096, 1000.0), (512, pytest.approx(250e-6)), (4096, pytest.approx(500e-6)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "512 # sectorsize of my disk, I think\n",
        "copied 102400 kbytes in 3 seconds: 34133 kbytes/sec\n",
        "Full stroke: it takes 25 msec\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not trials(text)
    assert not unread_in(text)
