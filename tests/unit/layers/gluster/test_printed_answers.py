"""What Gluster's commands answer, and what its top and profile count.

Oracle: the samples, counted by hand; units as io-stats counts them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters
from tests.mangle import counters, mangled, subjects_in, unread_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "gluster-composed"
ANSWERS, PERF, OPEN, GUIDE, PROFILE = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in ("answers", "top-perf", "top-open", "top-guide", "profile")
)


def of(text: str, name: str) -> PrintedCounters:
    return next(c for c in counters(text) if c.name == name)


def test_answers_name_what_they_are_about() -> None:
    for shape, given in mangled(ANSWERS):
        read = subjects_in(given, "gluster")
        assert [(s.kind, s.name) for s in read[:2]] == [
            ("gluster_peer", "elm.example.net"), ("gluster_peer", "fir"),
        ], shape  # fmt: skip
        assert read[0].values["peer_probe"] == "success", shape
        assert read[1].values["peer_probe"] == "failed", shape
        volumes = [s for s in read if s.kind == "gluster_volume"]
        assert {s.name for s in volumes} == {"homes"}, shape
        assert "volume_create" in volumes[0].values, shape
        assert str(volumes[0].values["message"]).startswith("success: please start"), shape
        if "cut" not in shape:  # its last word stands behind where it was cut
            assert str(volumes[0].values["warning"]).startswith("Replica 2 volumes"), shape
        assert [
            verb for s in volumes[1:] for verb, said in s.values.items() if said == "success"
        ] == [
            "volume_start", "volume_set", "volume_remove_brick_start", "volume_profile_start",
        ], shape  # fmt: skip
        assert volumes[3].values["task_id"] == "0a1b2c3d-1111-2222-3333-444455556666", shape


def test_answers_of_old_versions() -> None:
    text = "# gluster volume start v\nStarting volume v has been unsuccessful\n"
    assert subjects_in(text, "gluster")[0].values == {"volume_start": "failed"}


@pytest.mark.parametrize(
    "text",
    [
        "The volume start: homes: success rate was poor\n",
        "peer probe: successes are rare\n",
        "Starting volume reduction has been discussed, which has been successful elsewhere\n",
        "volume set: 5 ml\n",
    ],
)
def test_prose_is_no_answer(text: str) -> None:
    assert not subjects_in(text, "gluster")


def test_the_answer_of_another_command_names_nothing() -> None:
    text = "# gluster volume start v\nvolume set: success\n"
    assert [s.name for s in subjects_in(text, "gluster")] == [""]


def test_speeds_of_a_brick_and_its_files() -> None:
    brick = of(PERF, "oak:/bricks/b1/homes")
    assert brick.values == {"read.bandwidth": 412.5e6, "elapsed": 0.0102}
    assert of(PERF, "/projects/plan.odt").values == {
        "read.bandwidth": 1820e6, "brick": "oak:/bricks/b1/homes",
        "at": "2020-03-01 10:20:30.123456",
    }  # fmt: skip
    assert len(counters(PERF, "gluster volume top")) == 4


def test_calls_are_of_the_brick_above_them() -> None:
    for shape, given in mangled(OPEN):
        assert of(given, "oak:/bricks/b1/homes").values["most_open_files"] == 48, shape
        assert of(given, "elm:/bricks/b1/homes").values["open_files"] == 0, shape
        inbox = of(given, "/mail/inbox").values
        if "folded" in shape or "cut" in shape:  # the line above the head is broken
            assert inbox == {"calls": 5}, shape
        else:
            assert inbox == {"open.calls": 5, "brick": "oak:/bricks/b1/homes"}, shape


def test_what_is_counted_is_not_guessed() -> None:
    bare = "\n".join(OPEN.splitlines()[1:]) + "\n"
    assert of(bare, "/mail/inbox").values["calls"] == 5


def test_names_over_two_lines_as_the_guide_prints_them() -> None:
    assert of(GUIDE, "oak:/bricks/b1").values == {"write.bandwidth": 3.1e6, "bytes_copied": 512}
    letter = of(GUIDE, "/clients/client0/WORD/LETTER.DOC").values
    assert (letter["write.bandwidth"], letter["at"]) == (1234e6, "2012-03-04 15:39:09.171494")
    assert not unread_in(GUIDE), "its sum is not dd's"


def test_intervals_of_a_profile() -> None:
    for shape, given in mangled(PROFILE):
        oak, interval, elm = counters(given, "gluster volume profile")
        assert (oak.values["read"], elm.values["duration"]) == (5256998912, 86399), shape
        if "folded" in shape or shape == "cut at 72":  # lines of block sizes are broken
            continue
        assert (oak.name, elm.name) == ("oak:/bricks/b1/homes", "elm:/bricks/b1/homes"), shape
        assert (oak.values["interval"], interval.values["interval"]) == ("cumulative", 3), shape
        assert oak.values["reads.131072"] == 40100, shape
        assert oak.values["reads.262144"] == 7, shape
        assert oak.values["WRITE.latency.mean"] == pytest.approx(2200.4e-6), shape
        assert (oak.values["LOOKUP.calls"], oak.values["LOOKUP.share"]) == (1203, 0.1225), shape
        assert "WRITE.calls" not in interval.values, shape


def test_latencies_in_nanoseconds() -> None:
    text = (
        "Brick: a:/b\n-----------\nCumulative Stats:\n"
        "    100.00   250000.00 ns   200.00 ns   300.00 ns              2        STAT\n"
    )
    assert of(text, "a:/b").values["STAT.latency.mean"] == pytest.approx(250e-6)
