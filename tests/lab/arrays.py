"""Arrays of md on a node of the lab: made, loaded and counted in parts, and predicted likewise.

An array is made once and loaded part after part, each part in a region of its own, so that no
part finds anything of another in md's stripe cache. A member's own counters are read before and
after each part, when nothing is under way any more.
"""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from iosonde import _core
from iosonde.predict.model import StackModel, model_of, top_of
from iosonde.predict.what_if import SettingValues, variants
from iosonde.stack.file import understand
from tests.lab.conftest import ssh

KIB, MIB, SECTOR = 1024, 2**20, 512
DISK = 160 * MIB
Request = tuple[str, int, int]  # "r" or "w", offset, length
Row = tuple[int, int, int, int]  # of a member: reads, bytes read, writes, bytes written

# On the node: makes each array, loads it part by part, prints what each member counted of each.
SCRIPT = """
import concurrent.futures, json, mmap, os, subprocess, sys, threading, time

def run(*argv):
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

def put(path, text):
    with open(path, "w") as file:
        file.write(text)

def counted(names):
    rows = []
    for name in names:
        stat = [int(one) for one in open("/sys/block/%s/stat" % name).read().split()]
        rows.append([stat[0], stat[2] * 512, stat[4], stat[6] * 512])
    return rows

def settled(names):
    rows, same = counted(names), 0
    while same < 3:
        time.sleep(0.01)
        now = counted(names)
        busy = any(open("/sys/block/%s/inflight" % name).read().split() != ["0", "0"]
                   for name in names)
        same = same + 1 if now == rows and not busy else 0
        rows = now
    return rows

own = threading.local()

def move(device, op, offset, length):
    if not hasattr(own, "memory"):
        own.memory = mmap.mmap(-1, 4 << 20)
        own.memory.write(b"x" * (4 << 20))
    part = memoryview(own.memory)[:length]
    done = (os.pwritev if op == "w" else os.preadv)(device, [part], offset)
    assert done == length, (op, offset, length, done)
    part.release()

def load(device, requests, depth):
    if depth == 1:
        for request in requests:
            move(device, *request)
        return
    with concurrent.futures.ThreadPoolExecutor(depth) as pool:
        list(pool.map(lambda request: move(device, *request), requests))

def count(array):
    disks = ["/dev/disk/by-id/virtio-d%d" % (one + 1) for one in range(array["disks"])]
    names = [os.path.basename(os.path.realpath(disk)) for disk in disks]
    members = ["missing" if one in array["lost"] else disk for one, disk in enumerate(disks)]
    level = array["level"]
    words = ["--chunk=%dK" % (array["chunk"] // 1024)] if level != 1 else []
    words += ["--bitmap=none", "--assume-clean"] if level else []
    run("mdadm", "--create", "/dev/md9", "--run", "--quiet", "--level=%d" % level,
        "--raid-devices=%d" % len(disks), "--metadata=1.2", *words, *members)
    found = []
    try:
        if level:
            put("/sys/block/md9/md/safe_mode_delay", "0")
            put("/sys/block/md9/md/array_state", "active")
        device = os.open("/dev/md9", os.O_RDWR | os.O_DIRECT)
        load(device, [array["first"]], 1)
        before = settled(names)
        for requests in array["parts"]:
            load(device, requests, array["depth"])
            after = settled(names)
            found.append([[b - a for a, b in zip(*rows)] for rows in zip(before, after)])
            before = after
        os.close(device)
    finally:
        for _ in range(30):
            if not subprocess.run(["mdadm", "--stop", "--quiet", "/dev/md9"]).returncode:
                break
            time.sleep(0.1)
        run("mdadm", "--zero-superblock", *[one for one in members if one != "missing"])
    return found

subprocess.run(["udevadm", "settle", "--timeout=30"])
subprocess.run(["udevadm", "control", "--stop-exec-queue"])
for array in json.loads(sys.argv[1]):
    print(json.dumps(count(array)), flush=True)
"""


@dataclass(frozen=True)
class Part:
    """A load of one kind: `shift` moves all its requests off the places that they would have."""

    size: int
    op: str
    shift: int
    random: bool

    @property
    def count(self) -> int:
        """Requests of it: the fewer the larger they are."""
        return max(3, min(12, 5 * MIB // self.size))

    def __str__(self) -> str:
        order = "random" if self.random else "sequential"
        return f"{self.op} {self.size} +{self.shift} {order}"


@dataclass(frozen=True)
class Array:
    """An array and the parts of its load, which are made `depth` requests at a time."""

    level: int
    disks: int
    chunk: int
    lost: tuple[int, ...]
    parts: tuple[Part, ...]
    depth: int = 1

    def __str__(self) -> str:
        lost = "".join(f", lost {number}" for number in self.lost)
        return f"RAID {self.level} × {self.disks}, {self.chunk // KIB} KiB{lost}"

    @property
    def width(self) -> int:
        """Bytes of a stripe's data, of which each region begins at a multiple."""
        data = {0: self.disks, 1: 1, 4: self.disks - 1, 5: self.disks - 1, 6: self.disks - 2}
        # With an odd number of members RAID 10 comes to the same place after two rows.
        return self.chunk * data.get(self.level, self.disks)

    def requests(self) -> list[list[Request]]:
        """Of each part, in a region of its own; the first stripe is left to the first write."""
        chance, begin = random.Random(str(self)), self.width
        rows = []
        for part in self.parts:
            blocks = 2 * part.count
            order = chance.sample(range(blocks), part.count) if part.random else range(part.count)
            rows.append([
                (part.op, begin + part.shift + number * part.size, part.size) for number in order
            ])  # fmt: skip
            room = part.shift + blocks * part.size
            begin += -(-room // self.width) * self.width + self.width
        return rows

    @property
    def first(self) -> Request:
        """What marks the array as written to."""
        return ("w", 0, 4 * KIB)

    def model(self) -> StackModel:
        of = ", ".join(f"d{number}" for number in range(1, self.disks + 1))
        lines = ["stack: s", "hosts: {n1: {at: local}}", "layers:"]
        lines += [
            f"  d{number}: {{kind: disk, host: n1, size: {DISK}, path: /dev/x{number}}}"
            for number in range(1, self.disks + 1)
        ]
        lines.append(
            f"  r: {{kind: md, level: {self.level}, chunk_size: {self.chunk}, of: [{of}]}}"
        )
        stack = understand("\n".join(lines), "s.yaml")
        changes = (
            [SettingValues("r", "failed", (" ".join(map(str, self.lost)),))] if self.lost else []
        )
        (variant,) = variants(stack, top_of(stack), changes)
        return model_of(variant.top, stack.mtu, variant.extra)

    def predicted(self, *, together: bool) -> list[list[Row]]:
        """Of each part what each member gets, as the core says it."""
        model = self.model()
        end = max(offset + length for part in self.requests() for _, offset, length in part)
        assert end <= model.size, f"{self}: the parts need {end} of {model.size} bytes"
        core = _core.Ledger(model.nodes, together=together)
        apply(core, [self.first])
        places = [model.places[f"d{number}"] for number in range(1, self.disks + 1)]
        rows = []
        for part in self.requests():
            core.reset()
            apply(core, part)
            counts = [core.counts(place) for place in places]
            rows.append(
                [
                    (count.reads, count.read_bytes, count.writes, count.write_bytes)
                    for count in counts
                ]
            )
        return rows


def apply(core: _core.Ledger, requests: Sequence[Request]) -> None:
    table = np.array([request[1:] for request in requests], dtype=np.uint64)
    ops = np.array([int(request[0] == "w") for request in requests], dtype=np.uint8)
    core.run(ops.tobytes(), table[:, 0].tobytes(), table[:, 1].tobytes())


def counted(lab: str, arrays: Sequence[Array], at_once: int = 8) -> Iterator[list[list[Row]]]:
    """What the kernel of a node counts of each array's parts, in order."""
    for begin in range(0, len(arrays), at_once):
        some = arrays[begin : begin + at_once]
        asked: list[Mapping[str, object]] = [
            {
                "level": raid.level, "disks": raid.disks, "chunk": raid.chunk, "lost": raid.lost,
                "first": raid.first, "parts": raid.requests(), "depth": raid.depth,
            }
            for raid in some
        ]  # fmt: skip
        arguments = [shlex.quote(name) for name in (SCRIPT, json.dumps(asked))]
        for line in ssh(lab, "n1", "python3", "-c", *arguments).splitlines():
            yield [[(*row,) for row in part] for part in json.loads(line)]
