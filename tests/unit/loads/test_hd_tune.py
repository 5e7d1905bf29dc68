"""HD Tune's benchmark as text.

Oracle: a slowest place is slower than the average, and the average than the fastest; the figures
stand in the sample and are scaled by their printed unit.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedTrial, Unread
from tests.mangle import mangled, read, trials

SAMPLE = (Path(__file__).parents[2] / "outputs" / "hd-tune" / "two.txt").read_text()
PRO, FREE = (f"HD Tune{part}".strip() for part in SAMPLE.split("HD Tune")[1:])


def figures(entries: list[PrintedTrial]) -> list[dict[str, float]]:
    return [
        {name: round(value, 9) for name, value in trial.loops[0].metrics.items()}
        for trial in entries
    ]


def test_speeds_and_access_time_are_trials_of_the_model_in_the_first_line() -> None:
    speeds, access, solid, quick = trials(SAMPLE)
    assert figures([speeds, access]) == [{"read.bandwidth": 82.3e6}, {"read.latency.mean": 13.7e-3}]
    assert figures([solid, quick]) == [{"read.bandwidth": 371.8e6}, {"read.latency.mean": 1e-4}]
    assert speeds.target == access.target == "SAMSUNG HD753LJ"
    assert solid.target == "Samsung SSD 850 EVO 250G"
    assert speeds.details == {
        "test_capacity": "full", "transfer_rate_minimum": 43.6e6, "burst_rate": 161.4e6,
        "transfer_rate_maximum": 108.9e6, "cpu_usage": pytest.approx(0.023),
    }  # fmt: skip
    assert (speeds.options, access.options["rw"]) == ({"rw": "read"}, "randread")
    assert "cpu_usage" not in solid.details  # below zero: it could not be measured
    mebibytes = 82.3 * 2**20
    assert 82.3e6 + speeds.steps["read.bandwidth"] >= mebibytes


def test_writes_are_writes() -> None:
    speeds, access = trials(PRO.replace("Read transfer", "Write transfer"))
    assert figures([speeds, access]) == [
        {"write.bandwidth": 82.3e6}, {"write.latency.mean": 13.7e-3},
    ]  # fmt: skip
    both = PRO + "\n\n" + PRO.split("full\n\n")[1].replace("Read transfer", "Write transfer")
    assert [trial.label for trial in trials(both)] == [
        "read transfer rate", "access time", "write transfer rate", "access time",
    ]  # fmt: skip


@pytest.mark.parametrize("text", [PRO, FREE])
def test_any_shape_says_the_same(text: str) -> None:
    plain = figures(trials(text))
    for name, shape in mangled(text):
        assert figures(trials(shape)) == plain, name
    assert figures(trials(text.replace("\n\n", "\n"))) == plain
    assert figures(trials(text.replace(".", ","))) == plain


def test_rows_without_their_first_line_have_no_target() -> None:
    speeds, access = trials(FREE.split("\n\n")[1])
    assert speeds.target == access.target == ""
    (alone,) = trials("\n".join(PRO.split("\n")[:8]))
    assert alone.loops[0].metrics == {"read.bandwidth": 82.3e6}


def test_what_is_torn_is_unread_with_the_reason() -> None:
    for text, reason in (
        (PRO.replace("82.3 MB/s", "82."), "its line Transfer Rate Average is torn"),
        (PRO.replace("82.3", "182.3"), "its average is not between"),
        (PRO.replace("13.7", "-13.7"), "its Access Time is below zero"),
        (PRO[: PRO.index("Transfer Rate Average")], "neither an average rate nor"),
    ):
        (entry,) = read(text)
        assert isinstance(entry, Unread)
        assert reason in entry.reason


def test_other_texts_of_it_and_prose_are_not_read() -> None:
    assert not trials("HD Tune Pro: SAMSUNG HD753LJ Health\n\nID Current Worst\n")
    assert not trials("I ran HD Tune: the transfer rate minimum is 20 MB/s.\n")
    assert not trials("- Transfer Rate Minimum: see below\n")
