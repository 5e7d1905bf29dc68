"""File systems without room for data or for files, as df shows them, and programs that met one.

What df shows full may be full by nature: images that are only read (squashfs, ISO 9660, the
partitions of appliances) have every block in use. What cannot be told from one is not judged.

Source: df(1) of coreutils 9.1 ("Available" is what others than root may use, rounded up: 0 is none;
"Use%" is rounded up to whole hundredths); statfs(2), f_bavail; Linux fs/btrfs/super.c,
btrfs_statfs() (0 is available where the metadata are full; since 5.6 only where nothing is left to
allocate); fs/squashfs/super.c, squashfs_statfs() and fs/isofs/inode.c, isofs_statfs() (no block is
free); errno(3), ENOSPC; write(2); mkdir(2); inotify_add_watch(2) (ENOSPC for a limit that is none
of a file system's).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde import units
from iosonde.layers._mounts.facts import STORAGE, printed_kind
from iosonde.records.evidence import (
    CounterEvidence,
    EvidenceSet,
    Rule,
    StateEvidence,
    subject_of,
)
from iosonde.records.finding import Evidence, Finding

_NEARLY = 0.98  # share in use
_FEW_INODES = 0.99
_LEAST_OF_FULL = 0.9  # of its size; what ext4 keeps for root is a twentieth
_AMPLE = 20 * units.GIB  # free bytes, of which a share of two in a hundred is nobody's trouble yet
_LARGER_THAN_IMAGES = 16 * units.GIB
_LARGER_THAN_FIRMWARE = 1536 * units.MIB
_IN_MEMORY = 700 * units.MIB
"""What an appliance that runs in memory has as its root is smaller, and full as it is made."""
_OF_POOLS = "zfs"
_TYPES = STORAGE - {"swap", "vfat", "exfat"}
_WITHOUT_TYPE = printed_kind("filesystem")
"""What a df without -T shows, of whatever type it is."""
_OTHER_DEVICES = re.compile(
    r"/dev/(?:loop|sr\d|scd\d|cd|dvd|acd\d|fd\d|ram|mtd|ubiblock|block/|disk\d|shm|fuse|mapper/live)"
    r"|/dev/md\d+[a-z]|/dev/(?:devfs|none)|.*@[^:]*$|.*\.(?:iso|img|sqsh|squashfs|dmg)$",
    re.IGNORECASE,
)
"""Discs, loops, memory, flash of appliances, Android, disks of macOS, and snapshots."""
_DEVICE = re.compile(r"/dev/[\w.!:+-]|[\w.@:\[\]-]+:/|//[\w.-]+/\S")
"""A device, an export of NFS or of a cluster, a share."""
_OTHER_POINTS = re.compile(
    r"/(?:snap|var/lib/snapd/snap|rom|cdrom|run|lib/live|usr/lib/live|isodevice|proc|sys|dev|Volumes"
    r"|System|vmfs|ro|initrd|sysroot)(?:/|$)|.*/\.(?:snapshots?|zfs)(?:/|$)"
)
_WRITTEN = re.compile(r"/(?:boot|var|home|tmp|opt|srv|data|usr/local)(?:/|$)")
"""Places that are there to be written to."""
_ENOSPC = "No space left on device"
_FILE = re.compile(
    r"(?:^|[\s'\"`‘“«„])(?P<path>/[^\s'\"’”»:`]{1,200})"
    r"|['`‘“«„](?P<name>[\w.+-]{1,100}(?:/[\w.+-]{1,100}){0,8})['’”»]"
)
_NO_FILES = re.compile(r"/(?:dev|sys|proc|run|cgroup|acct|cpuset)(?:/|$)|.*(?:cgroup|cpuset)")
_NO_FILE_SYSTEM = re.compile(
    r"inotify|watch|semaphore|semget|shmget|ioctl|mmap|device-mapper", re.IGNORECASE
)
_FILLS = frozenset({"dd", "yes", "shred", "sfill", "fio", "fallocate", "stress", "stress-ng"})
"""Programs that are started to fill what they are given."""


def _full_systems(case: EvidenceSet) -> Iterator[Finding]:
    """File systems with no block free, or with hardly any."""
    reported: set[tuple[str, str, str]] = set()
    for state in _latest(case, "available"):
        available, share = state.number("available"), state.values.get("used_share")
        if not isinstance(share, float) or share < _NEARLY or _may_be_an_image(state):
            continue
        if (key := _same(state)) in reported:
            continue  # mounted at a second place
        reported.add(key)
        if available <= 0:
            yield _no_block(state)
        elif available < _AMPLE:
            yield _few_blocks(state, share)


def _same(state: StateEvidence) -> tuple[str, str, str]:
    """What all places have in common where one device, or one pool, is mounted."""
    device = str(state.values.get("device") or "")
    pool = device.partition("/")[0]
    return state.source, state.host, pool if state.kind == _OF_POOLS else device


def _latest(case: EvidenceSet, figure: str) -> list[StateEvidence]:
    """What each mount point is shown as last, where df shows what is mounted there."""
    last: dict[tuple[str, str], StateEvidence] = {}
    for state in case.of_kind(_WITHOUT_TYPE, *_TYPES):
        if state.name.startswith("/") and state.values.get(figure) is not None:
            last[state.source, state.name] = state
    return [state for state in last.values() if _is_judged(case, state)]


def _is_judged(case: EvidenceSet, state: StateEvidence) -> bool:
    """Whether what is mounted is neither of another kind nor mounted only to be read."""
    device = str(state.values.get("device") or "")
    if _OTHER_DEVICES.match(device) or _OTHER_POINTS.match(state.name):
        return False
    if not (_DEVICE.match(device) or state.kind == _OF_POOLS):
        return False
    size = state.number("size")
    if state.name == "/" and 0 < size < _IN_MEMORY and state.kind not in _TYPES:
        return False
    return not any(
        other.source == state.source and other.name == state.name and other.values.get("ro") is True
        for other in case.states
    )


def _may_be_an_image(state: StateEvidence) -> bool:
    """Whether every block is in use, as it is of images, and neither type, size nor place tell.

    A file system that is written to has blocks of its own: what users may have is less than its
    size. Whole gigabytes do not show it.
    """
    size = state.number("size")
    if state.kind in _TYPES or state.number("available") > 0 or size >= _LARGER_THAN_IMAGES:
        return False
    if state.number("used") < size or _WRITTEN.match(state.name):
        return False
    return state.name != "/" or size < _LARGER_THAN_FIRMWARE


def _no_block(state: StateEvidence) -> Finding:
    used, size = state.number("used"), state.number("size")
    place = f"{state.name} ({state.values['device']})"
    if used < _LEAST_OF_FULL * size:
        return Finding(
            "out-of-space", "warning", subject_of(state),
            f"df shows nothing available on {place}, though {units.show_bytes(used)} of its "
            f"{units.show_bytes(size)} are in use: the rest is kept back (a reserve, a quota) or, "
            "of a btrfs, allocated in chunks while its metadata are full, and then writes fail; "
            "btrfs of Linux 5.4 and 5.5 also shows so while there is space that it has not "
            "allocated yet, and then they do not.",
            _evidence(state),
            f"`btrfs filesystem usage {state.name}` shows what of a btrfs is not allocated: where "
            f"it is next to nothing, `btrfs balance start -dusage=10 {state.name}` gives back "
            "chunks of data that are hardly used, without deleting any; of other types look at "
            "reserves and quotas (`tune2fs -l`: reserved blocks)",
            f"`df -h {state.name}` shows room",
        )  # fmt: skip
    return Finding(
        "out-of-space", "error", subject_of(state),
        f"df shows {place} full: of its {units.show_bytes(size)} no block is left to others than "
        "root, and a write that needs one fails with “No space left on device”.",
        _evidence(state), _MAKE_ROOM.format(point=state.name),
        f"`df -h {state.name}` shows room; programs that were refused are started anew",
    )  # fmt: skip


def _few_blocks(state: StateEvidence, share: float) -> Finding:
    left = units.show_bytes(state.number("available"))
    return Finding(
        "out-of-space", "warning", subject_of(state),
        f"{state.name} ({state.values['device']}) is nearly full: {left} of {_size(state)} are "
        f"left ({units.show_fraction(share)} in use, as df rounds it); once they are used up, "
        "writes fail.",
        _evidence(state), _MAKE_ROOM.format(point=state.name),
        f"`df -h {state.name}` shows room",
    )  # fmt: skip


_MAKE_ROOM = (
    "see what fills it (`du -xh -d 1 {point} | sort -h`) and move or delete what nobody needs; a "
    "deleted file counts until no process has it open (`lsof +L1`), and snapshots keep what they "
    "hold; or grow the device and then the file system"
)


def _size(state: StateEvidence) -> str:
    return units.show_bytes(state.number("size"))


def _evidence(state: StateEvidence) -> tuple[Evidence, ...]:
    return state.evidence(
        "device", "size", "used", "available", "used_share",
        units={**dict.fromkeys(("size", "used", "available"), "B"), "used_share": "fraction"},
    )  # fmt: skip


def _no_inodes(case: EvidenceSet) -> Iterator[Finding]:
    """File systems that can hold no more files, however much room they have."""
    reported: set[tuple[str, str, str]] = set()
    for state in _latest(case, "inodes_free"):
        free, share = state.number("inodes_free"), state.values.get("inodes_used_share")
        number = state.number("inodes") or state.number("inodes_used") + free
        if not isinstance(share, float) or share < _FEW_INODES or number < _MANY:
            continue
        if (key := _same(state)) in reported or free > number * (1 - _NEARLY):
            continue
        reported.add(key)
        gone = free <= 0
        yield Finding(
            "out-of-space", "error" if gone else "warning", subject_of(state),
            f"{state.name} ({state.values['device']}) has "
            + ("no inode left" if gone else f"{free:,} of {number:,} inodes left")
            + ": new files and directories are refused with “No space left on device”"
            + (", whatever room df shows." if gone else " once they are used up."),
            state.evidence("device", "inodes", "inodes_used", "inodes_free", "inodes_used_share",
                           units={"inodes_used_share": "fraction"}),
            f"find where the many files are (`du --inodes -x -d 1 {state.name} | sort -n`; often "
            "sessions, caches, mail queues, layers of containers) and delete those that nobody "
            "needs; the number of inodes of ext4 is fixed when it is made (`mkfs.ext4 -i`), that "
            "of XFS grows with its free space",
            f"`df -i {state.name}` shows free inodes",
        )  # fmt: skip


_MANY = 10_000
"""Inodes of a file system that is more than a small image."""


def _refused_writes(case: EvidenceSet) -> Iterator[Finding]:
    """Programs that were told that there is no space, where no df shows what is full."""
    shown = {state.source for state in case.states if _is_shown_full(state)}
    for counters in case.counted("errors of programs"):
        path = _refused_path(counters)
        if counters.source in shown or not path:
            continue
        place = path if path.startswith("/") else "its directory"
        yield Finding(
            "out-of-space", "warning", _teller(counters),
            f"{counters.name} was refused room for {path}: the file system there had no free block "
            "or inode, or a quota of a project or a pool below it was used up.",
            (Evidence("error", _ENOSPC, "", counters.where),),
            f"`df -h` and `df -i` of {place} say which of blocks and inodes it is; where both are "
            "free, look at quotas and at the pool or the server below; what was being written is "
            "incomplete",
            "the same command ends without an error",
        )  # fmt: skip


def _teller(counters: CounterEvidence) -> str:
    return f"{counters.host}: {counters.name}" if counters.host else counters.name


def _is_shown_full(state: StateEvidence) -> bool:
    """Whether df shows no block or no inode free, which says more than a program's message."""
    shares = (state.values.get("used_share"), state.values.get("inodes_used_share"))
    is_full = any(isinstance(share, float) and share >= _NEARLY for share in shares)
    return is_full and _DEVICE.match(str(state.values.get("device") or "")) is not None


def _refused_path(counters: CounterEvidence) -> str:
    """The file, in a file system, that a program could not write for lack of space."""
    messages = counters.values.get("messages")
    for message in messages if isinstance(messages, list) else ():
        text = str(message)
        if counters.name in _FILLS | {""} or _ENOSPC not in text or _NO_FILE_SYSTEM.search(text):
            continue
        file = _FILE.search(text)
        path = (file["path"] or file["name"]) if file else ""
        if path and not _NO_FILES.match(path):
            return path
    return ""


RULES: tuple[Rule, ...] = (
    Rule("out-of-space", "file systems", "File systems with no block free, or hardly any.",
         "df(1); statfs(2); errno(3), ENOSPC", _full_systems, stage="waiting"),
    Rule("out-of-space", "file systems", "File systems without free inodes.",
         "df(1), -i; mke2fs(8), -i; errno(3), ENOSPC", _no_inodes, stage="waiting"),
    Rule("out-of-space", "file systems", "Programs that found no space to write to.",
         "errno(3), ENOSPC; write(2)", _refused_writes, stage="waiting"),
)  # fmt: skip
