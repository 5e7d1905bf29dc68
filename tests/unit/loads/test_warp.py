"""MinIO's warp. Oracle: an average rate is its objects a second times their size."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "warp-composed"
MIXED, OLD = ((OUTPUTS / f"{name}.txt").read_text() for name in ("mixed", "old"))


def test_what_moves_bytes_is_a_trial_and_the_rest_counts() -> None:
    get, put = trials(MIXED)
    delete, total = counters(MIXED)
    assert (get.label, put.label, delete.name, total.name) == ("GET", "PUT", "DELETE", "Total")
    metrics = get.loops[0].metrics
    assert metrics["read.bandwidth"] == metrics["read.iops"] * 10 * 2**20
    assert metrics["read.latency.p99"] == pytest.approx(0.248)
    assert metrics["read.latency.max"] == pytest.approx(1.112)
    assert get.details["first_byte.mean"] == pytest.approx(0.012)
    assert get.details["first_byte.p25"] == pytest.approx(0.009)
    assert get.details["slowest.bandwidth"] == 800 * 2**20
    assert put.loops[0].metrics["write.bandwidth"] == 500 * 2**20
    assert put.options == {"rw": "write", "numjobs": 16}
    assert delete.values["objects_per_second"] == 25
    assert delete.values["latency.p90"] == pytest.approx(0.0225)
    rates = metrics["read.bandwidth"] + put.loops[0].metrics["write.bandwidth"]
    assert total.values["bandwidth"] == rates
    assert delete.command.startswith("warp mixed")


def test_analyses_of_old_versions() -> None:
    put, get = trials(OLD)
    assert put.loops[0].metrics["write.iops"] * 2 * 2**20 == 256 * 2**20
    assert put.loops[0].metrics["write.latency.mean"] == pytest.approx(0.156)
    assert put.details["fastest.objects_per_second"] == 140.25
    assert get.loops[0].metrics == {"read.bandwidth": 512 * 2**20, "read.iops": 256}


def test_what_the_head_of_an_operation_says() -> None:
    put, get = trials(OLD)
    assert put.details["requests_considered"] == 3801
    assert (put.details["seconds"], put.details["starting"]) == (29.9, "11:12:13 CET")
    assert put.details["slowest.starting"] == "11:12:40 CET"
    assert (get.details["share"], get.details["duration"]) == (0.45, 59)
    text = (
        "Report: PUT (1219 reqs). Ran Duration: 4m58s, starting 22:41:06 UTC\n"
        " * Objects per request: 1. Size: 10485760 bytes. Concurrency: 20.\n"
        " * Average: 40.63 MiB/s, 4.06 obj/s (298s)\n"
    )
    (trial,) = trials(text)
    assert trial.details == {
        "concurrency": 20, "requests": 1219, "duration": 298, "starting": "22:41:06 UTC",
        "objects_per_request": 1, "object_size": 10 * 2**20, "seconds": 298,
    }  # fmt: skip
    assert trial.options == {"rw": "write", "numjobs": 20}


@pytest.mark.parametrize("text", [MIXED, OLD], ids=["mixed", "old"])
def test_every_shape(text: str) -> None:
    expected = [dict(trial.loops[0].metrics) for trial in trials(text)]
    for shape, changed in mangled(text, wraps=False):
        if shape == "with underscores escaped":
            continue
        assert [dict(trial.loops[0].metrics) for trial in trials(changed)] == expected, shape


def test_a_line_that_is_cut_off() -> None:
    (trial,) = trials("Report: PUT. Concurrency: 4. Ran: 9s\n * Average: 12.50 MiB/s, 1.25 obj/s\n")
    assert trial.loops[0].metrics == {"write.bandwidth": 12.5 * 2**20, "write.iops": 1.25}
    assert not trials("Report: PUT. Concurrency: 4. Ran: 9s\n * Average: 12.50 MiB/s, 1.2")


@pytest.mark.parametrize("text", [
    "We saw 250 obj/s on GET\n",
    " * Average: 12.50 MiB/s, 1.25 obj/s\n",
    "Operation: GET out of here\n\nit was 12 obj/s, all told\n",
])  # fmt: skip
def test_prose_and_rates_without_their_operation(text: str) -> None:
    assert [entry for entry in read(text) if not isinstance(entry, Unread)] == []
