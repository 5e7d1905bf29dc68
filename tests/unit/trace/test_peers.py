"""The same trace by blkparse and btt: an oracle that is not our own."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import astuple
from pathlib import Path

import pytest

from iosonde.trace.describe import describe
from iosonde.trace.read import TraceSource, open_trace, sources
from tests.unit.trace.kernel import write_blktrace
from tests.unit.trace.sample import requests

pytestmark = pytest.mark.skipif(shutil.which("btt") is None, reason="needs the package blktrace")


RECORDED = Path(__file__).parents[2] / "outputs" / "blktrace-1.2" / "vdb.blktrace.0"


@pytest.fixture(params=["little", "big", "recorded"])
def base(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A made trace in both byte orders, and one of a real kernel."""
    if request.param == "recorded":
        shutil.copy(RECORDED, tmp_path)
        return tmp_path / "vdb"
    return write_blktrace(tmp_path, requests(700, seed=9), big=request.param == "big")


def output(*argv: str | Path, at: Path) -> str:
    return subprocess.run(argv, cwd=at, check=True, capture_output=True, text=True).stdout


def rows(source: TraceSource, event: str = "Q") -> list[tuple[int, int, int, int]]:
    from iosonde.trace.read import Trace

    return [
        row
        for batch in Trace(source, event=event).batches()
        for row in zip(
            (batch.times - batch.times[0]).tolist(), batch.ops.tolist(), batch.offsets.tolist(),
            batch.lengths.tolist(), strict=True,
        )
    ]  # fmt: skip


@pytest.mark.parametrize("event", ["Q", "D", "C"])
def test_the_text_of_blkparse_says_what_its_files_say(base: Path, event: str) -> None:
    text = base.with_name("text")
    output("blkparse", "-i", base.name, "-d", "merged", "-o", text.name, at=base.parent)
    pairs = rows(sources([str(base)])[0], event)
    assert len(pairs) == (100 if base.name == "vdb" else 700)
    assert rows(sources([str(text)])[0], event) == pairs
    assert rows(sources([str(base.with_name("merged"))])[0], event) == pairs
    assert open_trace(str(text)).format == "blkparse"


def test_counts_are_those_of_blkparse(base: Path) -> None:
    text = output("blkparse", "-i", base.name, at=base.parent)
    summary = text[text.rindex("CPU") :] if "Total (" not in text else text.partition("Total (")[2]
    description = describe(sources([str(base)])[0])
    for name in ("read", "write"):
        match = re.search(rf"{name.title()}s Queued: +(\d+), +(\d+)KiB", summary)
        assert match is not None
        count, size = astuple(getattr(description.operations, name))
        assert (count, size // 1024) == (int(match[1]), int(match[2]))
    events = re.search(r"Events \(\w+\): (\d+) entries", summary)
    assert events is not None
    others = sum(description.others.values()) - description.others.get("notes", 0)
    assert description.requests + others == int(events[1])
    assert description.lost_events == 0


def test_times_and_steps_are_those_of_btt(base: Path) -> None:
    output("blkparse", "-i", base.name, "-d", "merged", "-O", at=base.parent)
    message = output("btt", "-i", "merged", at=base.parent)
    description = describe(sources([str(base)])[0])
    q2q = re.search(r"^Q2Q(?:dm)? +([\d.]+) +([\d.]+) +([\d.]+) +(\d+)", message, re.MULTILINE)
    assert q2q is not None
    assert description.arrivals is not None
    assert description.arrivals.shortest == pytest.approx(float(q2q[1]), abs=1e-9)
    assert description.arrivals.mean == pytest.approx(float(q2q[2]), abs=1e-9)
    assert description.arrivals.longest == pytest.approx(float(q2q[3]), abs=1e-9)
    assert description.requests - 1 == int(q2q[4])
    blocks = re.search(
        r"Merge Information.*?\| +(\d+) +\d+ +[\d.]+ \| +(\d+) +(\d+) +(\d+)", message, re.DOTALL
    )
    assert blocks is not None
    lengths = [size.size // 512 for size in description.sizes]
    total = sum(size for _, size in astuple(description.operations)) // 512
    mean = total // description.requests
    assert [int(group) for group in blocks.groups()] == [
        description.requests,
        min(lengths),
        mean,
        max(lengths),
    ]
    seeks = re.search(
        r"Q2Q Seek.*?\| +(\d+) +([\d.]+) +\d+ \| (-?\d+)\((\d+)\)", message, re.DOTALL
    )
    assert seeks is not None
    distances = as_btt(rows(sources([str(base)])[0]))
    assert float(seeks[2]) == pytest.approx(sum(map(abs, distances)) / len(distances), abs=0.05)
    assert distances.count(int(seeks[3])) == int(seeks[4]), "the most frequent one"


def as_btt(pairs: list[tuple[int, int, int, int]]) -> list[int]:
    """Sectors from request to request, signed, none where they overlap or touch.

    Source: blktrace 1.2, btt/seek.c, `seek_dist()`.
    """
    first = last = 0
    distances = []
    for _, _, offset, length in pairs:
        begin, end = offset // 512, (offset + length) // 512
        if first <= begin <= last or first <= end <= last:
            distances.append(0)
        else:
            distances.append(begin - (last if begin > last else first))
        first, last = begin, end
    return distances
