"""Requests of a trace made ready for a replay, against the trace's own lines."""

from __future__ import annotations

import struct
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.trace import replay
from iosonde.trace.replay import ReplayOptions, fitted, packed_again, read_requests, spec_of
from tests.unit.trace.sample import FORMATS, requests, text

HEAD = "fio version 3 iolog\n0 /d add\n0 /d open\n"
KIB = 1024


@pytest.fixture
def options(tmp_path: Path) -> ReplayOptions:
    """A small trace: two requests in a burst, 200 ms of nothing, one beyond 1 MiB."""
    return written(
        tmp_path, "1 /d read 0 4096", "1 /d write 8192 4096", "200001 /d read 1044480 4096",
        "200101 /d read 1048576 4096",
    )  # fmt: skip


def written(place: Path, *lines: str) -> ReplayOptions:
    path = place / "a.iolog"
    path.write_text(HEAD + "".join(f"{line}\n" for line in lines))
    return ReplayOptions(str(path))


@pytest.mark.parametrize("fmt", sorted(set(FORMATS) - {"fio-log"}))
def test_every_format_keeps_places_sizes_and_gaps(fmt: str, tmp_path: Path) -> None:
    made = requests(200)
    path = tmp_path / fmt
    path.write_bytes(text(fmt, made))
    asked = read_requests(ReplayOptions(str(path), speed=2.0))
    assert asked.offsets.tolist() == [request.offset for request in made]
    assert asked.lengths.tolist() == [request.length for request in made]
    assert asked.ops.tolist() == [int(request.op == "write") for request in made]
    unit = 1_000_000 if fmt == "tencent" else 1
    whole = [request.time // unit * unit for request in made]
    assert asked.times.tolist() == pytest.approx(
        [(time - whole[0]) * 1000 // 2 for time in whole], abs=1000
    )


def test_what_is_packed_are_the_columns(options: ReplayOptions) -> None:
    head, _, rest = read_requests(options).packed().partition(b"\n")
    assert head == b"iosonde requests 1 4 0 0"
    assert struct.unpack("<4Q4Q4I4B", rest) == (
        0, 0, 200_000_000, 200_100_000, 0, 8192, 1044480, 1048576, *[4096] * 4, 0, 1, 0, 0,
    )  # fmt: skip


def test_times_never_go_back(tmp_path: Path) -> None:
    times = [1000, 900, 1500, 100, 1600]
    asked = read_requests(written(tmp_path, *(f"{time} /d read 0 512" for time in times)))
    assert asked.times.tolist() == [(time - 1000) * 1000 for time in accumulate(times, max)]


def test_a_trace_without_times_needs_full_speed(tmp_path: Path) -> None:
    path = tmp_path / "v2"
    path.write_text("fio version 2 iolog\n/d add\n/d open\n/d read 0 512\n/d read 512 512\n")
    with pytest.raises(UsageError, match="has no times") as problem:
        read_requests(ReplayOptions(str(path)))
    assert "--speed max" in problem.value.hint
    assert read_requests(ReplayOptions(str(path), speed=None)).times.tolist() == [0, 0]


def test_what_cannot_be_issued_is_counted(tmp_path: Path) -> None:
    asked = read_requests(
        written(
            tmp_path, "-5 /d read 0 512", "1 /d frob 0 512", "2 /d read 0 0", "3 /d trim 0 4096",
            "4 /d write 0 67108865", "5 /d write 0 512", "6 /d datasync 0 0",
        )
    )  # fmt: skip
    assert asked.ops.tolist() == [1, 2]
    assert asked.left_out == {
        "discards": 1, "requests without data": 1, "requests longer than 64 MiB": 1,
        "lines or records that cannot be read": 2,
    }  # fmt: skip
    only = read_requests(replace(written(tmp_path, "1 /d read 0 512", "2 /d write 0 512"),
                                 reads_only=True))  # fmt: skip
    assert (only.ops.tolist(), only.left_out) == ([0], {"writes and flushes": 1})


def test_nothing_to_replay_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no request that can be replayed"):
        read_requests(written(tmp_path, "1 /d trim 0 512"))


def test_only_a_part_is_taken(options: ReplayOptions) -> None:
    assert len(read_requests(replace(options, seconds=0.2))) == 2
    assert len(read_requests(replace(options, seconds=0.2001))) == 3


def test_too_many_are_refused_while_they_are_read(
    options: ReplayOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "MOST", 4)
    assert len(read_requests(options)) == 4
    monkeypatch.setattr(replay, "MOST", 3)
    with pytest.raises(UsageError, match="more than 3 requests"):
        read_requests(options)


def test_several_devices_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,R,0,4096,1000\n2,W,4096,4096,1100\n1,R,8192,4096,1200\n")
    with pytest.raises(UsageError, match="requests of 2 devices"):
        read_requests(ReplayOptions(str(path)))
    asked = read_requests(ReplayOptions(str(path), device="1"))
    assert (asked.offsets.tolist(), asked.times.tolist()) == ([0, 8192], [0, 200_000])


def test_a_target_that_just_holds_the_trace(options: ReplayOptions) -> None:
    asked = read_requests(options)
    assert asked.extent == 1028 * KIB
    assert fitted(asked, 1028 * KIB, options) is asked
    with pytest.raises(UsageError, match=r"1 of 4 requests lie beyond the target's end"):
        fitted(asked, 1028 * KIB - 1, options)


@pytest.mark.parametrize(
    ("fit", "offsets"),
    [("wrap", [0, 8192, 1044480, 0]), ("scale", [0, 4096, 1040384, 1044480]),
     ("skip", [0, 8192, 1044480])],
)  # fmt: skip
def test_what_lies_beyond_is_moved_only_if_asked(
    fit: replay.Fit, offsets: list[int], options: ReplayOptions
) -> None:
    options = replace(options, fit=fit)
    inside = fitted(read_requests(options), 1024 * KIB, options)
    assert inside.offsets.tolist() == offsets
    skipped = inside.left_out.get("requests beyond the target's end", 0)
    head = inside.packed().partition(b"\n")[0].split()[3:]
    assert [int(number) for number in head] == [len(offsets), inside.moved, skipped]
    assert (inside.moved, skipped) == {"wrap": (1, 0), "scale": (3, 0), "skip": (0, 1)}[fit]


@pytest.mark.parametrize("fit", ["wrap", "scale"])
def test_whatever_is_asked_for_lies_within_the_target(fit: replay.Fit, tmp_path: Path) -> None:
    places = [0, 512, (1 << 63) - 512, (1 << 64) - 512, 1 << 63, 700 * KIB, 1023 * KIB + 512]
    options = replace(
        written(tmp_path, *(f"{1 + n} /d read {at} 1024" for n, at in enumerate(places))), fit=fit
    )
    inside = fitted(read_requests(options), 1024 * KIB, options)
    ends = inside.offsets + inside.lengths
    assert int(ends.max()) <= 1024 * KIB
    assert not (inside.offsets % 512).any()


def test_requests_are_widened_to_blocks(tmp_path: Path) -> None:
    options = replace(written(tmp_path, "1 /d read 512 512", "2 /d read 4000 200"), align=4096)
    asked = read_requests(options)
    assert (asked.offsets.tolist(), asked.lengths.tolist()) == ([0, 0], [4096, 8192])


def test_a_run_that_goes_on_has_the_same_requests(options: ReplayOptions) -> None:
    spec = spec_of(options, read_requests(options))
    assert packed_again(spec, None) == read_requests(options).packed()
    path = Path(options.trace)
    path.write_text(path.read_text().replace("8192", "4096"))
    with pytest.raises(UsageError, match="changed since the run began"):
        packed_again(spec, None)
