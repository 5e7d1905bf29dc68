"""Stacks as they are found, in states before and after a load, and their ledgers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iosonde.explain.rules.ledger import differences
from iosonde.loads.load import REQUESTS
from iosonde.loads.named import declare_load
from iosonde.measure.counting import COUNTED
from iosonde.predict.account import ledger_of
from iosonde.records.evidence import EvidenceSet, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.load import LoadResult, RawOutput, Target, TargetKind
from iosonde.records.prediction import Ledger, LedgerRow
from iosonde.records.run import Loop, Trial
from iosonde.records.stack import Capture, HostFacts, Scalar, StackLayer

KIB, MIB, SECTOR = 1024, 2**20, 512
SLOW, FAST = "vdb", "vdc"
Row = tuple[int, int, int, int]  # reads, bytes read, writes, bytes written
STATUS = "dmsetup status --noflush"


def layer(kind: str, name: str, below: Sequence[str], **facts: Scalar) -> StackLayer:
    size = int(facts.pop("size", 96 * MIB) or 0)
    device = str(facts.pop("device", f"/dev/{name}"))
    facts.setdefault("kernel_name", name)
    ids = tuple(f"h/{text}" for text in below)
    return StackLayer(f"h/{kind}:{name}", kind, "h", device, size, ids, facts=facts)


DISKS = (layer("disk", SLOW, ()), layer("disk", FAST, ()))
NUMBERS = {f"/sys/class/block/{SLOW}/dev": "254:16", f"/sys/class/block/{FAST}/dev": "254:32"}


@dataclass(frozen=True)
class Stack:
    """A cache on two disks, in states before and after a load; `counted` by device."""

    layers: tuple[StackLayer, ...]
    facts: Mapping[str, str]
    before: Mapping[str, str]
    after: Mapping[str, str]

    def ledger(
        self, requests: Sequence[tuple[str, int, int]], counted: Mapping[str, Row], *more: Stack
    ) -> tuple[Ledger, list[Finding]]:
        """Of a loop of a second, and one with the states of each of `more`."""
        load = declare_load(
            "fio --name=x --rw=randrw --bs=4k --direct=1 --size=64m", where="test", directory=Path()
        )
        loops = tuple(stack.loop(requests, counted, self.facts) for stack in (self, *more))
        target = Target("h", self.layers[0].device, TargetKind.DEVICE)
        capture = Capture(0.0, (HostFacts("h", "6.1", 2, None),), self.layers)
        ledger = ledger_of(Trial("t", "h", "p", target, load, "fio", loops, capture))
        assert ledger is not None
        measured = TrialEvidence("x at p", "run/t", "run", "fio", {}, ledger=ledger)
        return ledger, list(differences(EvidenceSet(trials=(measured,))))

    def loop(
        self,
        requests: Sequence[tuple[str, int, int]],
        counted: Mapping[str, Row],
        facts: Mapping[str, str],
    ) -> Loop:
        nothing = dict.fromkeys(counted, (0, 0, 0, 0))
        readings = [figures(groups) for groups in (nothing, nothing, nothing, counted)]
        document = {
            "idle_seconds": 2.0, "readings": readings, "facts": {"h": dict(facts)},
            "states": [{"h": dict(self.before)}, {"h": dict(self.after)}], "declared": [],
        }  # fmt: skip
        files = {COUNTED: json.dumps(document).encode(), REQUESTS: iolog(requests)}
        result = LoadResult({}, {}, issued={"write": len(requests)})
        return Loop(0, 0.0, 1.0, result, RawOutput(0, b"", b"", files))


def iolog(requests: Iterable[tuple[str, int, int]]) -> bytes:
    """Requests as fio writes them."""
    lines = ["fio version 2 iolog", "/dev/x add", "/dev/x open"]
    lines += [f"/dev/x {way} {offset} {length}" for way, offset, length in requests]
    return "\n".join([*lines, "/dev/x close"]).encode()


def figures(counts: Mapping[str, Row], start: int = 0) -> dict[str, Any]:
    """As /proc/diskstats has them; `start`: what it counted before."""
    return {
        "h": {
            device: [
                start + reads, 0, start + read // SECTOR, 0,
                start + writes, 0, start + written // SECTOR, 0, 0, 0, 0,
            ]
            for device, (reads, read, writes, written) in counts.items()
        }
    }  # fmt: skip


def least(row: LedgerRow) -> Row:
    return four(row.between[0] if row.between else row.predicted)


def most(row: LedgerRow) -> Row:
    return four(row.between[1] if row.between else row.predicted)


def four(record: Any) -> Row:
    return record.reads, record.read_bytes, record.writes, record.write_bytes


def rows(ledger: Ledger) -> dict[str, LedgerRow]:
    return {row.device: row for row in ledger.rows}


def asked(way: str, count: int, size: int = 4 * KIB) -> list[tuple[str, int, int]]:
    return [(way, block * size, size) for block in range(count)]


def of(way: str, count: int, size: int = 4 * KIB) -> Row:
    here = count, count * size
    return (*here, 0, 0) if way == "read" else (0, 0, *here)
