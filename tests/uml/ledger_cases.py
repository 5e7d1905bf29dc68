"""The table of arrays and loads whose ledger is compared with a real kernel's counters.

A scene is an array in a state; each load on it has a region of its own, so that it finds nothing
of another in md's stripe cache. `tests/uml/ledgers.py` runs them in a guest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

KIB, MIB = 1024, 2**20
REGION = 16 * MIB
GAP = 2 * MIB
"""Behind each region, more than a stripe: what lies in one row is in md's stripe cache."""
FIRST = 4 * MIB
"""Bytes before the first region, where one write marks an array as written to."""


@dataclass(frozen=True)
class Load:
    """What fio does: pattern as of `--rw`, bytes of a request and how far off its grid it lies."""

    pattern: str
    size: int
    shift: int = 0
    depth: int = 1
    count: int = 200
    seed: int = 1

    def __str__(self) -> str:
        size, shift = (
            f"{count // KIB}k" if count >= KIB else str(count) for count in (self.size, self.shift)
        )
        shift = f" +{shift}" if self.shift else ""
        return f"{self.pattern} {size}{shift}, depth {self.depth}, seed {self.seed}"

    @property
    def requests(self) -> int:
        """As many as are asked for, or as the region holds, each place once."""
        return min(self.count, (REGION - GAP - self.shift) // self.size)

    @property
    def reads(self) -> bool:
        return self.pattern in {"read", "randread"}

    def section(self, number: int) -> str:
        """The keys of a fio job but for its file, in the region of that number."""
        keys = {
            "rw": self.pattern, "bs": self.size, "direct": 1,
            "ioengine": "psync" if self.depth == 1 else "libaio", "iodepth": self.depth,
            "offset": FIRST + number * REGION + self.shift, "size": REGION - GAP - self.shift,
            "number_ios": self.requests, "randseed": self.seed,
        }  # fmt: skip
        return "\n".join(f"{key}={value}" for key, value in keys.items())

    def command(self, number: int) -> str:
        """The same as a command line."""
        keys = self.section(number).splitlines()
        return " ".join(["fio", "--name=x", *(f"--{key}" for key in keys)])


@dataclass(frozen=True)
class Scene:
    """An array of so many of the guest's disks, or a volume over arrays (`script`).

    `layout` is mdadm's word; `lost` are the slots without a member; `others` is a command
    that does I/O beside the loads.
    """

    name: str
    level: int
    disks: int
    chunk: int
    loads: tuple[Load, ...]
    layout: str = ""
    lost: tuple[int, ...] = ()
    script: str = ""
    target: str = "/dev/md9"
    others: str = ""

    def commands(self) -> list[str]:
        """What builds it from empty disks."""
        if self.script:
            return self.script.strip().splitlines()
        members = " ".join(
            "missing" if slot in self.lost else disk(slot) for slot in range(self.disks)
        )
        return [created("/dev/md9", self.level, self.chunk, self.layout, members)]


def disk(number: int) -> str:
    return f"/dev/ubd{'abcdefgh'[number]}"


def created(device: str, level: int, chunk: int, layout: str, members: str) -> str:
    """mdadm's command for an array that need not be synchronised."""
    arguments = [f"--level={level}", f"--raid-devices={len(members.split())}", "--metadata=1.2"]
    arguments += [f"--chunk={chunk // KIB}K"] if level != 1 else []
    arguments += [f"--layout={layout}"] if layout else []
    arguments += ["--bitmap=none", "--assume-clean"] if level else []
    return f"mdadm --create {device} --run --quiet {' '.join(arguments)} {members}"


def volumes_on_odd_partitions(level: int, chunk: int) -> str:
    """A volume of two stripes over two arrays of partitions, none of which begins on a chunk."""
    lines = []
    for array in range(2):
        members = []
        for member in range(3):
            base, begin = disk(3 * array + member), 2051 + 13 * (3 * array + member)
            lines.append(
                f"parted -s -a none {base} mklabel gpt mkpart x {begin}s {begin + 290000}s"
            )
            members.append(f"{base}1")
        lines.append(created(f"/dev/md{8 + array}", level, chunk, "", " ".join(members)))
    lines += [
        "pvcreate -q -y /dev/md8 /dev/md9",
        "vgcreate -q vg0 /dev/md8 /dev/md9",
        "lvcreate -q -y -W n -Z n -n lv0 -i 2 -I 32k -l 100%FREE vg0",
    ]
    return "\n".join(lines)


SINGLY = (
    Load("randread", 4 * KIB), Load("randread", 12 * KIB, 4 * KIB), Load("randread", 512),
    Load("randread", 100 * KIB, 512, count=60), Load("read", 64 * KIB, count=60),
    Load("randwrite", 4 * KIB), Load("randwrite", 12 * KIB, 4 * KIB),
    Load("write", 64 * KIB, count=60), Load("randwrite", 64 * KIB, count=60),
    Load("randrw", 4 * KIB),
)  # fmt: skip
DEEPLY = tuple(
    Load(pattern, size, shift, depth=32)
    for pattern, size, shift in (
        ("randread", 4 * KIB, 0), ("randread", 12 * KIB, 4 * KIB), ("randwrite", 4 * KIB, 0),
        ("randwrite", 12 * KIB, 4 * KIB), ("randrw", 8 * KIB, 0),
    )
)  # fmt: skip
ALL = (*SINGLY, *DEEPLY)
"""Those of depth 32 last: md lets the stripe cache grow for them, and keeps it so."""


STEADY = (
    "fio --name=others --filename=/dev/ubda --rw=randread --bs=4k --direct=1 --time_based "
    "--runtime=600 --rate_iops=100 --allow_file_create=0"
)
"""Somebody who reads a member, 100 times a second."""


def _scene(
    level: int, disks: int, chunk: int, *, layout: str = "", lost: tuple[int, ...] = (),
    loads: tuple[Load, ...] = ALL,
) -> Scene:  # fmt: skip
    parts = [f"RAID {level}", f"of {disks}", f"{chunk // KIB} KiB"] if level != 1 else [
        "RAID 1", f"of {disks}"
    ]  # fmt: skip
    parts += [layout] * bool(layout) + [f"without {' '.join(map(str, lost))}"] * bool(lost)
    return Scene(", ".join(parts).replace(", of", " of"), level, disks, chunk, loads, layout, lost)


MATRIX = (
    _scene(0, 4, 64 * KIB),
    _scene(0, 3, 16 * KIB),
    _scene(1, 2, 64 * KIB),
    _scene(10, 4, 64 * KIB),
    _scene(10, 4, 64 * KIB, lost=(1,)),
    _scene(10, 3, 64 * KIB),
    _scene(10, 5, 64 * KIB, layout="f2"),
    _scene(10, 5, 64 * KIB, layout="f2", lost=(2,)),
    _scene(10, 3, 64 * KIB, layout="o2"),
    _scene(5, 5, 128 * KIB),
    _scene(5, 5, 128 * KIB, lost=(3,)),
    _scene(5, 4, 64 * KIB, layout="right-asymmetric"),
    _scene(5, 3, 16 * KIB, layout="parity-first"),
    _scene(6, 7, 64 * KIB),
    _scene(6, 7, 64 * KIB, lost=(2,)),
    _scene(6, 7, 64 * KIB, lost=(0, 4)),
    _scene(6, 4, 64 * KIB),
    _scene(6, 5, 32 * KIB, layout="ddf-N-continue"),
    Scene("LVM, 2 stripes of 32 KiB over 2 RAID 5 of 3 on odd partitions", 5, 6, 64 * KIB, ALL,
          script=volumes_on_odd_partitions(5, 64 * KIB), target="/dev/vg0/lv0"),
    Scene("LVM, 2 stripes of 32 KiB over 2 RAID 0 of 3 on odd partitions", 0, 6, 16 * KIB, ALL,
          script=volumes_on_odd_partitions(0, 16 * KIB), target="/dev/vg0/lv0"),
    _scene(5, 3, 64 * KIB, layout="left-asymmetric"),
    _scene(5, 3, 64 * KIB, layout="right-symmetric"),
    _scene(4, 4, 64 * KIB),
    _scene(6, 4, 16 * KIB, lost=(1,)),
    _scene(6, 5, 64 * KIB, layout="left-asymmetric", lost=(0, 1)),
    replace(
        _scene(5, 4, 64 * KIB, loads=(Load("randread", 4 * KIB, count=400),)), others=STEADY,
        name="RAID 5 of 4, 64 KiB, others beside it",
    ),
)  # fmt: skip

_READS = tuple(
    Load("randread", size, shift, depth, count=500, seed=seed)
    for depth in (1, 32)
    for seed, (size, shift) in enumerate(
        ((4 * KIB, 0), (12 * KIB, 4 * KIB), (512, 0), (20 * KIB, 1536), (28 * KIB, 0)), 100
    )
)
RANDOM_READS = tuple(
    _scene(6, disks, 64 * KIB, layout=layout, lost=lost, loads=tuple(
        replace(load, seed=load.seed + 10 * number) for number, load in enumerate(_READS)
    ))
    for disks in (4, 5, 7)
    for layout in ("left-symmetric", "right-asymmetric", "ddf-zero-restart")
    for lost in ((), (1,), (0, disks - 2))
)  # fmt: skip
"""Random reads of RAID 6, each load with a seed of its own."""

SCENES = (*MATRIX, *RANDOM_READS)
