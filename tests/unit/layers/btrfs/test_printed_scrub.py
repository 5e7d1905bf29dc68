"""Scrubs of btrfs. Oracle: the raw counters, the summary and the file tell of the same scrub."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Json, Scalar
from tests.mangle import counters, cut, folded, mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "scrub.txt").read_text()
LINES = TEXT.splitlines(keepends=True)
FILE = "".join(LINES[-3:])


def _scrubs(text: str) -> list[tuple[str, dict[str, Scalar]]]:
    return [
        (subject.name, dict(subject.values)) for subject in subjects_in(text, "btrfs scrub status")
    ]


def _files(text: str) -> list[dict[str, Json]]:
    return [dict(each.values) for each in counters(text, "btrfs scrub file")]


def test_the_raw_counters_are_those_of_the_file() -> None:
    (name, raw), _ = _scrubs(TEXT)
    kept, other = _files(TEXT)
    assert name == "sdq1"
    same = {
        key.removeprefix("scrub_"): count
        for key, count in raw.items()
        if key.endswith(("_errors", "_scrubbed", "_physical", "csum", "_discards"))
    }
    assert len(same) == 15
    assert {key: kept[key] for key in same if key in kept} == {
        key: count for key, count in same.items() if key != "unverified_errors"
    }
    assert raw["scrub_time"] == kept["duration"] == 100
    assert (other["devid"], other["canceled"], other["finished"]) == (2, 1, 0)
    assert kept["format"] == 1


def test_a_scrub_that_runs() -> None:
    (_, (name, values)) = _scrubs(TEXT)
    assert name == "/srv/pool"
    assert values == {
        "uuid": "0c2ad4e8-6a54-4f13-b7d6-2d4f0c5b9a00", "scrub_status": "running",
        "scrub_started": "Mon Jan  5 08:00:00 2026", "scrub_time": 100, "scrub_time_left": 300,
        "scrub_eta": "Mon Jan  5 08:06:40 2026", "scrub_size": 1717986918,
        "scrub_bytes": 429496730, "scrub_share": 0.25, "scrub_rate": 4299162,
        "scrub_rate_limit": 8 << 20, "scrub_errors": "csum=4", "scrub_csum_errors": 4,
        "scrub_corrected_errors": 0, "scrub_uncorrectable_errors": 1,
        "scrub_unverified_errors": 0,
    }  # fmt: skip
    rate, time, left = (values[f"scrub_{name}"] for name in ("rate", "time", "time_left"))
    assert isinstance(rate, int)
    assert isinstance(time, int)
    assert isinstance(left, int)
    assert rate * time == pytest.approx(values["scrub_bytes"], rel=0.01)
    assert rate * (time + left) == pytest.approx(values["scrub_size"], rel=0.01)


@pytest.mark.parametrize(
    ("size", "bytes_"), [("1.50GiB", 3 << 29), ("1.50GB", 1500000000), ("1610612736", 1610612736)]
)
def test_sizes_with_and_without_units(size: str, bytes_: int) -> None:
    text = f"Scrub started:    Mon Jan  5 08:00:00 2026\nTotal to scrub:   {size}\n"
    ((_, values),) = _scrubs(text)
    assert values["scrub_size"] == bytes_


def test_counters_alone_with_the_remark_of_their_author() -> None:
    text = "\t[...]\n\tcorrected_errors: 16 <<< Still has corrupted sectors\n\tlast_physical: 77\n"
    ((_, values),) = _scrubs(text)
    assert values == {"scrub_corrected_errors": 16, "scrub_last_physical": 77}


def test_the_file_is_not_half_read() -> None:
    for end in (FILE[:-30], FILE[: len(FILE) // 2] + "\n"):
        (output,) = read(end)
        assert isinstance(output, Unread)
        assert output.reason == "a line of it is cut off"


@pytest.mark.parametrize("width", [60, 72, 80])
def test_the_file_that_a_mail_or_a_terminal_broke(width: int) -> None:
    assert _files(cut(FILE, width)) == _files(folded(FILE, width)) == _files(FILE)


@pytest.mark.parametrize(
    "text",
    [
        "Scrub started: it takes an hour and a half on this old machine of mine, I fear.\n",
        "My last_physical: is that a date?\n",
        "scrub status:1 is what it says\n",
        "+\tpr_verbose(LOG_DEFAULT, \"\\tlast_physical: %lld\\n\", sp->last_physical);\n",
    ],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not _scrubs(text)
    assert not _files(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled("".join(LINES[:-4]), wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    scrubs = _scrubs(TEXT)
    if shape == "with blank lines":  # three of them stand below the first line
        scrubs[0][1].pop("uuid")
    assert _scrubs(text) == scrubs, shape


@pytest.mark.parametrize(("shape", "text"), list(mangled(FILE, wraps=False)))
def test_every_shape_of_the_file(shape: str, text: str) -> None:
    assert _files(text) == _files(FILE), shape
