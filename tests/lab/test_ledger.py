"""What the ledger counts against what Debian's kernel counts, device by device.

Arrays are made by mdadm and driven by pread and pwrite with O_DIRECT, one request at a time; a
device's own counters are read before and after. What differs and why is in
docs/decisions/0081-where-the-ledger-differs-from-the-kernel.md.
"""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from iosonde.predict.model import Prediction, model_of, predict, top_of
from iosonde.predict.requests import Requests
from iosonde.predict.what_if import SettingValues, variants
from iosonde.stack.file import understand
from tests.lab.conftest import good, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

NAME, DISKS, KIB, MIB, SECTOR = "test-ledger", 8, 1024, 2**20, 512
Request = tuple[str, int, int]  # "r" or "w", offset, length
Counted = tuple[int, int, int, int]  # reads, bytes read, writes, bytes written

# On the node: for each case makes an array, applies requests, prints what each disk counted.
SCRIPT = """
import json, mmap, os, subprocess, sys, time

def run(*argv):
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

def put(path, text):
    with open(path, "w") as file:
        file.write(text)

def counted():
    rows = []
    for disk in disks:
        name = os.path.basename(os.path.realpath(disk))
        stat = [int(one) for one in open("/sys/block/%s/stat" % name).read().split()]
        rows.append([stat[0], stat[2] * 512, stat[4], stat[6] * 512])
    return rows

def count(case):
    level = case["level"]
    members = ["missing" if one in case["lost"] else disk for one, disk in enumerate(disks)]
    words = ["--chunk=%dK" % (case["chunk"] // 1024)] if level != 1 else []
    words += ["--layout=" + case["layout"]] if case["layout"] else []
    words += ["--bitmap=none", "--assume-clean"] if level else []
    run("mdadm", "--create", "/dev/md9", "--run", "--quiet", "--level=%d" % level,
        "--raid-devices=%d" % len(disks), "--metadata=1.2", *words, *members)
    try:
        if level:
            put("/sys/block/md9/md/safe_mode_delay", "0")
            put("/sys/block/md9/md/array_state", "active")
        if case["rmw_level"] is not None:
            put("/sys/block/md9/md/rmw_level", str(case["rmw_level"]))
        device = os.open("/dev/md9", os.O_RDWR | os.O_DIRECT)
        time.sleep(0.1)
        before = counted()
        for op, offset, length in case["requests"]:
            part = memoryview(memory)[:length]
            move = os.pwritev if op == "w" else os.preadv
            done = move(device, [part], offset)
            assert done == length, (op, offset, length, done)
            part.release()
        time.sleep(0.1)
        after = counted()
        os.close(device)
    finally:
        for _ in range(30):
            if not subprocess.run(["mdadm", "--stop", "--quiet", "/dev/md9"]).returncode:
                break
            time.sleep(0.1)
        run("mdadm", "--zero-superblock", *[one for one in members if one != "missing"])
    return [[b - a for a, b in zip(*rows)] for rows in zip(before, after)]

subprocess.run(["udevadm", "settle", "--timeout=30"])
subprocess.run(["udevadm", "control", "--stop-exec-queue"])
memory = mmap.mmap(-1, 8 << 20)
memory.write(b"x" * (8 << 20))
for case in json.loads(sys.argv[1]):
    disks = ["/dev/disk/by-id/virtio-d%d" % one for one in range(1, case["disks"] + 1)]
    print(json.dumps(count(case)), flush=True)
"""


@dataclass(frozen=True)
class Case:
    """An array and what is done to it; `span` bytes of it are used, `shift` moves all requests."""

    level: int
    disks: int
    size: int
    op: str = "w"
    shift: int = 0
    chunk: int = 64 * KIB
    layout: str = ""
    lost: tuple[int, ...] = ()
    rmw_level: int | None = None
    random: bool = True
    count: int = 16
    span: int = 40 * MIB

    def __str__(self) -> str:
        parts = [f"raid{self.level}x{self.disks}", self.layout, f"{self.chunk // KIB}k", self.op]
        parts += [str(self.size), f"+{self.shift}", *(f"lost{number}" for number in self.lost)]
        parts += ["" if self.random else "seq", f"rmw{self.rmw_level}" if self.rmw_level else ""]
        return "-".join(part for part in parts if part)

    def requests(self) -> list[Request]:
        chance = random.Random(str(self))
        room = (self.span - self.shift) // self.size - 1
        blocks = [chance.randrange(room) if self.random else number for number in range(self.count)]
        return [(self.op, self.shift + block * self.size, self.size) for block in blocks]

    def asked(self) -> dict[str, Any]:
        """As the script takes it."""
        return {
            "level": self.level, "disks": self.disks, "chunk": self.chunk, "layout": self.layout,
            "lost": self.lost, "rmw_level": self.rmw_level, "requests": self.requests(),
        }  # fmt: skip

    def counted(self, rows: list[list[int]]) -> list[Counted]:
        """Without the superblock that the first write brings."""
        marked = int(self.level > 0 and self.op == "w")
        return [
            (reads, read, writes - own, written - own * SECTOR)
            for member, (reads, read, writes, written) in enumerate(rows)
            for own in [marked * (member not in self.lost)]
        ]

    def predicted(self) -> Prediction:
        of = ", ".join(f"d{number}" for number in range(1, self.disks + 1))
        lines = ["stack: s", "hosts: {n1: {at: local}}", "layers:"]
        lines += [
            f"  d{number}: {{kind: disk, host: n1, size: 64 MiB, path: /dev/x{number}}}"
            for number in range(1, self.disks + 1)
        ]
        lines.append(
            f"  r: {{kind: md, level: {self.level}, chunk_size: {self.chunk}, of: [{of}], "
            f"layout: '{self.layout}'}}"
        )
        stack = understand("\n".join(lines), "s.yaml")
        changes = (
            [SettingValues("r", "failed", (" ".join(map(str, self.lost)),))] if self.lost else []
        )
        if self.rmw_level is not None:
            changes.append(SettingValues("r", "rmw_level", (str(self.rmw_level),)))
        (variant,) = variants(stack, top_of(stack), changes)
        return predict(model_of(variant.top, stack.mtu, variant.extra), made(self.requests()))


def made(requests: Sequence[Request]) -> Requests:
    table = np.array([request[1:] for request in requests], dtype=np.uint64)
    ops = np.array([int(request[0] == "w") for request in requests], dtype=np.uint8)
    return Requests(ops, table[:, 0].copy(), table[:, 1].copy())


LEVELS = ((0, 4), (1, 2), (1, 3), (10, 4), (10, 5), (4, 4), (5, 3), (5, 4), (5, 8), (6, 4), (6, 8))
EXACT = (
    *(Case(level, disks, 4 * KIB, count=60) for level, disks in LEVELS),
    *(Case(level, disks, 512, shift=512) for level, disks in LEVELS),
    *(Case(level, disks, 4 * KIB, "r", shift=512) for level, disks in LEVELS),
    *(Case(level, disks, 64 * KIB) for level, disks in LEVELS),
    Case(0, 4, 256 * KIB, shift=16 * KIB, count=8), Case(10, 5, 256 * KIB, shift=16 * KIB, count=8),
    Case(0, 4, MIB, "r", shift=4096, count=8), Case(5, 5, MIB, "r", shift=4096, count=8),
    *(Case(5, 5, 4096, chunk=16 * KIB, layout=name, count=40) for name in ("la", "ra", "ls", "rs")),
    *(
        Case(6, 5, 8 * KIB, chunk=16 * KIB, layout=choice, count=40)
        for choice in ("parity-first", "parity-last", "left-symmetric-6", "ddf-zero-restart")
    ),
    *(Case(10, disks, 96 * KIB, layout=name) for disks in (4, 5) for name in ("n3", "f2", "o2")),
    *(Case(5, 5, 8 * KIB, rmw_level=level, count=40) for level in (0, 1, 2)),
    *(Case(5, 4, 4 * KIB, op, lost=lost) for op in "rw" for lost in ((0,), (3,))),
    *(Case(6, 6, 4 * KIB, op, lost=lost) for op in "rw" for lost in ((1,), (1, 4))),
    *(Case(level, 4, 64 * KIB, op, lost=(1,)) for op in "rw" for level in (1, 10, 4)),
    Case(5, 4, 192 * KIB, random=False), Case(5, 3, 1024 * KIB), Case(5, 6, 4 * KIB, chunk=MIB),
)  # fmt: skip
BANDS = (
    *(Case(level, disks, 64 * KIB, shift=32 * KIB) for level, disks in ((5, 4), (6, 6), (4, 4))),
    *(Case(level, disks, 256 * KIB, shift=16 * KIB, count=10) for level, disks in ((5, 5), (6, 8))),
    Case(5, 4, 192 * KIB, shift=64 * KIB, random=False, count=30),
    Case(5, 4, 256 * KIB, lost=(2,), count=10),
)


READ_COPIES = Case(10, 4, 256 * KIB, "r", shift=16 * KIB)
AT_ONCE = 20

Kernel = dict[str, list[Counted]]


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    """What the kernel counts in each case."""
    cases = [*EXACT, *BANDS, READ_COPIES]
    groups: Kernel = {}
    options = ("--name", NAME, "--nodes", "1", "--disks", str(DISKS), "--size", "64 MiB")
    with running(NAME, *options):
        for begin in range(0, len(cases), AT_ONCE):
            some = cases[begin : begin + AT_ONCE]
            arguments = [
                shlex.quote(text) for text in (SCRIPT, json.dumps([c.asked() for c in some]))
            ]
            lines = ssh(NAME, "n1", "python3", "-c", *arguments).splitlines()
            for case, line in zip(some, lines, strict=True):
                groups[str(case)] = case.counted(json.loads(line))
    return groups


@pytest.mark.parametrize("case", EXACT, ids=str)
def test_equal_to_the_io(kernel: Kernel, case: Case) -> None:
    disks = case.predicted().disks()
    mine = [(disk.reads, disk.read_bytes, disk.writes, disk.write_bytes) for disk in disks]
    assert mine == kernel[str(case)]


@pytest.mark.parametrize("case", BANDS, ids=str)
def test_equal_in_bytes_where_merging_is_left_to_chance(kernel: Kernel, case: Case) -> None:
    disks, counted = case.predicted().disks(), kernel[str(case)]
    assert [(disk.reads, disk.read_bytes, disk.write_bytes) for disk in disks] == [
        (reads, read, written) for reads, read, _, written in counted
    ]
    total = sum(writes for _, _, writes, _ in counted)
    low, high = (sum(disk.writes_band[side] for disk in disks) for side in (0, 1))
    assert low * 0.9 <= total <= high * 1.1


def test_reads_of_raid10_in_all(kernel: Kernel) -> None:
    disks, counted = READ_COPIES.predicted().disks(), kernel[str(READ_COPIES)]
    for pair in (slice(0, 2), slice(2, 4)):
        mine = [(counts.reads, counts.read_bytes) for counts in disks[pair]]
        theirs = [row[:2] for row in counted[pair]]
        assert np.sum(mine, axis=0).tolist() == np.sum(theirs, axis=0).tolist()


SAN = """
stack: test-ledger-san
hosts: {{storage: {{}}, diskless: {{}}}}
layers:
  d1: {{kind: disk, host: storage, size: 96 MiB}}
  d2: {{kind: disk, host: storage, size: 96 MiB}}
  d3: {{kind: disk, host: storage, size: 96 MiB}}
  d4: {{kind: disk, host: storage, size: 96 MiB}}
  r10: {{kind: md, level: 10, chunk_size: 64 KiB, of: [d1, d2, d3, d4], assume_clean: true}}
  lv: {{kind: lvm, of: r10}}
  target: {{kind: aoe_target, of: lv, mtu: {mtu}}}
  aoe: {{kind: aoe, of: target, host: diskless, mtu: {mtu}}}
"""
STATS = "cat /sys/block/vd[b-e]/stat"
QUIET = (
    "for m in /sys/block/md*/md; do echo 0 > $m/safe_mode_delay; echo active > $m/array_state; done"
)
DRIVE = """
import glob, json, mmap, os, sys
device = os.open(glob.glob("/dev/etherd/e*.*")[0], os.O_RDWR | os.O_DIRECT)
memory = mmap.mmap(-1, 1 << 20)
for op, offset, length in json.loads(sys.argv[1]):
    part = memoryview(memory)[:length]
    done = os.pwritev(device, [part], offset) if op == "w" else os.preadv(device, [part], offset)
    assert done == length
    part.release()
"""


def stats(lab: str) -> np.ndarray[Any, Any]:
    lines = ssh(lab, "storage", STATS).splitlines()
    rows = [[int(word) for word in line.split()] for line in lines]
    return np.array([[row[0], row[2], row[4], row[6]] for row in rows])


@pytest.mark.parametrize("mtu", [4131, 4200])
def test_from_aoe_to_the_disks(tmp_path: Path, mtu: int) -> None:
    """4 KiB through a frame, a volume and RAID 10: at 4131 each arrives as 3584 and 512 bytes."""
    file = tmp_path / "san.yaml"
    file.write_text(SAN.format(mtu=mtu))
    chance = random.Random(mtu)
    requests = [("rw"[number % 2], chance.randrange(30_000) * 4096, 4096) for number in range(200)]
    lab = "test-ledger-san"
    with running(lab, file):
        good("up", file)
        for node in ("storage", "diskless"):
            ssh(lab, node, "udevadm", "control", "--stop-exec-queue")
        ssh(lab, "storage", "sh", "-c", shlex.quote(QUIET))
        arguments = [shlex.quote(DRIVE), shlex.quote(json.dumps([("w", 0, 4096)]))]
        ssh(lab, "diskless", "python3", "-c", *arguments)  # the superblock is written now
        before = stats(lab)
        ssh(lab, "diskless", "python3", "-c", arguments[0], shlex.quote(json.dumps(requests)))
        counted = (stats(lab) - before).tolist()
    stack = understand(file.read_text(), str(file))
    prediction = predict(model_of(top_of(stack), stack.mtu), made(requests))
    sizes = {layer.id: layer.write_sizes for layer in prediction.layers}
    assert sizes["target"] == ({4096: 100} if mtu == 4200 else {3584: 100, 512: 100})
    mine = [
        [disk.reads, disk.read_bytes // SECTOR, disk.writes, disk.write_bytes // SECTOR]
        for disk in prediction.disks()
    ]
    assert [row[2:] for row in mine] == [row[2:] for row in counted]
    reads = np.array(mine)[:, :2].sum(axis=0) - np.array(counted)[:, :2].sum(axis=0)
    assert reads.tolist() == [0, 0]
