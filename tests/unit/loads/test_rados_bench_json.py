"""rados bench as JSON. Oracle: requests times their size over the seconds is the bandwidth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, trials

TEXT = (Path(__file__).parents[2] / "outputs" / "rados-bench" / "write.json").read_text()


def test_a_run_is_a_trial_in_mebibytes() -> None:
    (trial,) = trials(TEXT)
    metrics = trial.loops[0].metrics
    assert metrics["write.iops"] == 250 / 3.125 == 80
    assert metrics["write.bandwidth"] == 80 * (4 << 20) == 320 << 20
    assert metrics["write.latency.mean"] == 0.146118
    assert metrics["write.latency.max"] == 0.402915
    assert metrics["write.latency.min"] == 0.051274
    assert trial.options == {"rw": "write", "bs": 4 << 20, "iodepth": 12}
    assert (trial.host, trial.target, trial.elapsed) == ("mon5", "scratch", (3.125,))
    details: dict[str, Any] = dict(trial.details)
    assert (details["max_iops"], details["stdev_bandwidth"]) == (83, 16.970563 * (1 << 20))
    assert details["seconds"][1]["finished"] == "77"


def test_reads_and_the_key_with_a_colon() -> None:
    text = TEXT.replace("writes_made", "reads_made").replace("write_size", "read_size")
    text = text.replace('"max_latency"', '"max_latency:"').replace(" write ", " rand ")
    (trial,) = trials(text)
    assert trial.options["rw"] == "randread"
    assert trial.loops[0].metrics["read.latency.max"] == 0.402915


def test_every_shape() -> None:
    (expected,) = trials(TEXT)
    for shape, changed in mangled(TEXT, wraps=False):
        (trial,) = trials(changed)
        assert trial.loops == expected.loops, shape


def test_a_run_that_is_cut_off_is_said_to_be() -> None:
    (entry,) = read(TEXT[: TEXT.index('"max_latency"')])
    assert isinstance(entry, Unread)
    assert entry.reason.startswith("it is cut off")


def test_words_about_it_are_none() -> None:
    assert not read('see "concurrent_ios" and "total_time_run"\n')
