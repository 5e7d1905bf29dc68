"""The ledger of arrays and volumes against the counters of a real kernel, in guests of UML.

The table of cases is tests/uml/ledger_cases.py. A slice of it takes about a minute and runs always;
all of it takes the better part of an hour. IOSONDE_LEDGER_TABLE names a file for the table of what
is equal: docs/validation/ledger.md. What is promised is in docs/use/predict.md, "How exact".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from iosonde.explain.rules.ledger import differences
from iosonde.loads.load import REQUESTS
from iosonde.loads.named import declare_load
from iosonde.measure.counting import COUNTED
from iosonde.predict.account import ledger_of
from iosonde.records.evidence import EvidenceSet, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.load import LoadResult, RawOutput, Target, TargetKind
from iosonde.records.prediction import Ledger
from iosonde.records.run import Loop, Trial
from iosonde.records.stack import Capture, Scalar
from tests.uml.ledger_cases import MATRIX, RANDOM_READS, SCENES, Load, Scene

pytestmark = [pytest.mark.slow, pytest.mark.root]
long = [pytest.mark.long, pytest.mark.timeout(7000)]

ROOT = Path(__file__).parents[2]
SLICE = {
    "RAID 5 of 5, 128 KiB": (1, 6, 7, 11),
    "RAID 10 of 5, 64 KiB, f2": (0, 5, 12),
    "RAID 6 of 7, 64 KiB, without 0 4": (0, 1, 2),
}
"""Scenes of the slice, and which of their loads."""
BESIDE = "RAID 5 of 4, 64 KiB, others beside it"
Row = tuple[int, int, int, int]  # of a device: reads, bytes read, writes, bytes written


@dataclass(frozen=True)
class Compared:
    """A load on a scene: what was predicted of each device at the bottom, and what it counted."""

    scene: Scene
    load: Load
    kernel: str
    trial: Trial

    def __str__(self) -> str:
        return f"{self.scene.name}: {self.load}"

    @property
    def ledger(self) -> Ledger:
        ledger = ledger_of(self.trial)
        assert ledger is not None
        assert ledger.uncovered == (), self
        assert ledger.recorded, self
        return ledger

    @property
    def findings(self) -> list[Finding]:
        measured = TrialEvidence("x at p", "run/t", "run", "fio", {}, ledger=self.ledger)
        return list(differences(EvidenceSet(trials=(measured,))))

    def rows(self) -> tuple[list[Row], list[Row]]:
        """Predicted and counted of each disk."""
        last = [row for row in self.ledger.rows if row.last]
        assert len(last) == self.scene.disks - len(self.scene.lost), self
        said, counted = ([], [])  # type: tuple[list[Row], list[Row]]
        for row in last:
            assert row.counted is not None, self
            for account, rows in ((row.predicted, said), (row.counted, counted)):
                rows.append((
                    int(account.reads), int(account.read_bytes),
                    int(account.writes), int(account.write_bytes),
                ))  # fmt: skip
        return said, counted

    @property
    def by_chance(self) -> bool:
        """Which copy is read depends on what is under way: decisions/0081."""
        crossing = bool(self.load.shift) or self.load.size > self.scene.chunk
        reads = "write" not in self.load.pattern or self.load.pattern == "randrw"
        return self.scene.level in {1, 10} and reads and (self.load.depth > 1 or crossing)

    @property
    def parity(self) -> bool:
        return self.scene.level in {4, 5, 6}


def sums(rows: Sequence[Row]) -> Row:
    return tuple(np.sum(rows, axis=0).tolist())


def moved(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Bytes read and written."""
    return [(row[1], row[3]) for row in rows]


def compared(directory: Path, wanted: Mapping[int, Sequence[int]]) -> list[Compared]:
    """Scenes by number, each with the numbers of its loads (none: all), in a guest."""
    arguments = [f"{number}:{','.join(map(str, loads))}" for number, loads in wanted.items()]
    done = subprocess.run(
        [str(ROOT / "tools" / "uml" / "run"), "--disks", "7", "--size", "320", "--memory", "640",
         "--timeout", "6900", "--output", str(directory), "--", "env",
         f"PYTHONPATH={ROOT / 'src'}:{ROOT}", sys.executable, "-m", "tests.uml.ledgers",
         *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return [*read(directory / "ledgers")]


def read(file: Path) -> Iterator[Compared]:
    """What tests/uml/ledgers.py wrote."""
    for line in file.read_text().splitlines():
        document = json.loads(line)
        scene = SCENES[document["scene"]]
        for place, (number, loop) in enumerate(
            zip(document["numbers"], document["loads"], strict=True)
        ):
            load = scene.loads[number]
            yield Compared(scene, load, document["kernel"], _trial(document, load, place, loop))


def _trial(document: Mapping[str, Any], load: Load, place: int, loop: Mapping[str, Any]) -> Trial:
    files = {COUNTED: loop["counted"].encode(), REQUESTS: loop["requests"].encode()}
    result = LoadResult({}, {}, issued={"all": load.requests})
    return Trial(
        "t", document["host"], "p",
        Target(document["host"], document["path"], TargetKind.DEVICE),
        declare_load(load.command(place), where="ledger_cases", directory=Path()), "fio",
        (Loop(0, 0.0, loop["elapsed"], result, RawOutput(0, b"", b"", files)),),
        TypeAdapter(Capture).validate_python(document["capture"]),
    )  # fmt: skip


def taken_for(case: Compared, **facts: Scalar) -> Compared:
    """The same counters, with arrays that are taken for others."""
    capture = case.trial.capture
    assert capture is not None
    layers = tuple(
        replace(layer, facts={**layer.facts, **facts}) if layer.kind == "md" else layer
        for layer in capture.layers
    )
    return replace(case, trial=replace(case.trial, capture=replace(capture, layers=layers)))


@pytest.fixture(scope="module")
def slice_of_it(tmp_path_factory: pytest.TempPathFactory) -> list[Compared]:
    numbers = {scene.name: number for number, scene in enumerate(MATRIX)}
    wanted = {numbers[name]: loads for name, loads in SLICE.items()}
    return compared(tmp_path_factory.mktemp("ledger"), wanted)


@pytest.mark.xdist_group("slice of the ledger")  # measured once
@pytest.mark.timeout(900)
def test_a_slice_counts_what_was_predicted(slice_of_it: list[Compared]) -> None:
    assert len(slice_of_it) == sum(map(len, SLICE.values()))
    for case in slice_of_it:
        require_promised(case)
        if case.load.depth == 1:
            said, counted = case.rows()
            assert moved(said) == moved(counted), case
        assert case.findings == [], case


@pytest.mark.xdist_group("slice of the ledger")  # measured once
@pytest.mark.timeout(900)
def test_another_array_would_have_counted_otherwise(slice_of_it: list[Compared]) -> None:
    """The same counters do not agree with another chunk or layout, nor with a lost member."""
    for case in slice_of_it:
        if case.load.depth > 1 or case.load.size < 4096:
            continue
        others: list[dict[str, Scalar]] = [{"chunk_size": case.scene.chunk // 2}]
        others += [{"layout": 0}, {"layout": 1}] if case.parity else [{"layout": 0x102}]
        others += [] if case.scene.lost else [{"model.failed": 1}]
        for facts in others:
            said, counted = taken_for(case, **facts).rows()
            assert moved(said) != moved(counted), (str(case), facts)


def require_promised(case: Compared) -> None:
    """What docs/use/predict.md says of every load of up to 1 MiB."""
    said, counted = map(sums, case.rows())
    if not case.parity:
        assert said[1::2] == counted[1::2], case
        assert counted[0] <= said[0], case
        assert counted[2] <= said[2], case
        if not case.by_chance:
            assert moved(case.rows()[0]) == moved(case.rows()[1]), case
    elif case.load.depth > 1:
        assert counted[3] <= said[3], case
        assert counted[1] <= 1.1 * said[1], case
        assert counted[0] + counted[2] <= 1.1 * (said[0] + said[2]) + 2, case
    else:
        assert abs(sum(counted[1::2]) - sum(said[1::2])) <= sum(said[1::2]) / 50, case


@pytest.mark.timeout(900)
def test_steady_io_of_others_is_taken_off_and_told(tmp_path: Path) -> None:
    number = [scene.name for scene in MATRIX].index(BESIDE)
    (case,) = compared(tmp_path, {number: ()})
    (finding,) = case.findings
    assert finding.message.startswith("Someone else was doing I/O all the time: ubda about ")
    disturbed, *others = case.ledger.rows[1:]
    assert disturbed.counted is not None
    assert disturbed.idle.reads > 100
    rest = disturbed.counted - disturbed.idle - disturbed.predicted
    assert abs(rest.reads) < 0.2 * disturbed.idle.reads
    assert all(row.counted == row.predicted for row in others)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> list[Compared]:
    wanted: dict[int, Sequence[int]] = {
        number: () for number, scene in enumerate(MATRIX) if not scene.others
    }
    return compared(tmp_path_factory.mktemp("ledger"), wanted)


def table(cases: Sequence[Compared]) -> list[str]:
    """A row for each array at each depth."""
    heads = ("cases", "requests", "bytes equal on every member", "bytes equal in all",
             "all counters equal")  # fmt: skip
    lines = [f"| array | depth | {' | '.join(heads)} |", "| --- |" + " --- |" * 6]
    rows: dict[tuple[str, int], Counter[str]] = {}
    for case in cases:
        said, counted = case.rows()
        for key in ((case.scene.name, case.load.depth), ("**all**", case.load.depth)):
            rows.setdefault(key, Counter()).update({
                heads[0]: 1, heads[1]: case.load.requests,
                heads[2]: moved(said) == moved(counted),
                heads[3]: sums(said)[1::2] == sums(counted)[1::2], heads[4]: said == counted,
            })  # fmt: skip
    for (name, depth), row in sorted(
        rows.items(), key=lambda head: (head[0][1], head[0][0] == "**all**")
    ):
        lines.append(f"| {name} | {depth} | {' | '.join(str(row[head]) for head in heads)} |")
    return lines


def write_table(cases: Sequence[Compared]) -> None:
    lines = [f"Linux {cases[0].kernel}", "", *table(cases), "", "Bytes not equal:", ""]
    for case in cases:
        said, counted = case.rows()
        if moved(said) != moved(counted) and not case.by_chance:
            lines.append(f"- {case}: counted {sums(counted)}, said {sums(said)}")
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if path := os.environ.get("IOSONDE_LEDGER_TABLE"):
        with Path(path).open("a") as file:
            file.write(text)


def _long(function: Any) -> Any:
    for mark in long:
        function = mark(function)
    return function


@_long
def test_the_matrix(everything: list[Compared]) -> None:
    write_table(everything)
    for case in everything:
        require_promised(case)
    singly = [
        comparison
        for comparison in everything
        if comparison.load.depth == 1 and not comparison.by_chance
    ]
    off = [
        str(comparison)
        for comparison in singly
        if moved(comparison.rows()[0]) != moved(comparison.rows()[1])
    ]
    assert len(off) <= len(singly) // 50, off


@_long
def test_random_reads_of_raid_6(tmp_path: Path) -> None:
    """A page that two requests of a degraded array share may or may not be in the stripe cache."""
    numbers = range(len(MATRIX), len(MATRIX) + len(RANDOM_READS))
    cases = compared(tmp_path, dict.fromkeys(numbers, ()))
    write_table(cases)
    for case in cases:
        require_promised(case)
        if not case.scene.lost:
            said, counted = case.rows()
            assert moved(said) == moved(counted), case
