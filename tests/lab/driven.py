"""Runs on a lab's node: makes a layer for each case, applies requests, prints what disks counted.

Its argument is a list of cases as JSON; for each a line comes back: the counters of each disk
during the requests, and afterwards until nothing is held back any more. Sent to the node as text
by test_ledger_layers.py, so it imports nothing of ours.
"""

# ruff: noqa: PTH103, PTH110, PTH119, PTH123, PTH207, T201

from __future__ import annotations

import contextlib
import fcntl
import glob
import json
import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

SECTOR, ARRAY = 512, "/dev/md9"
Rows = list[list[int]]
memory = mmap.mmap(-1, 8 << 20)


def run(*argv: str) -> None:
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def put(path: str, text: object) -> None:
    with open(path, "w") as file:
        file.write(str(text))


def disk(number: int) -> str:
    return os.path.realpath(f"/dev/disk/by-id/virtio-d{number}")


def counted(disks: list[str]) -> Rows:
    """Reads, bytes read, writes, bytes written of each disk."""
    rows = []
    for disk in disks:
        with open(f"/sys/block/{os.path.basename(disk)}/stat") as file:
            stat = [int(word) for word in file.read().split()]
        rows.append([stat[0], stat[2] * SECTOR, stat[4], stat[6] * SECTOR])
    return rows


def between(before: Rows, after: Rows) -> Rows:
    return [[b - a for a, b in zip(*rows)] for rows in zip(before, after)]  # noqa: B905


def settled(disks: list[str], seconds: float) -> Rows:
    """The counters as soon as they have not moved for some time."""
    last, since, begin = counted(disks), time.monotonic(), time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.1)
        if (now := counted(disks)) != last:
            last, since = now, time.monotonic()
        assert since - begin < 120, "the disks do not come to rest"
    return last


def drive(path: str, requests: list[Any], *, direct: bool, pause: float = 0) -> None:
    """One request at a time; "s" is an fsync. By a program of its own: bcache remembers of each
    how long its streams are."""
    child = os.fork()
    if not child:
        try:
            ask(path, requests, direct=direct, pause=pause)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0, "the requests failed"


def ask(path: str, requests: list[Any], *, direct: bool, pause: float) -> None:
    device = os.open(path, os.O_RDWR | (os.O_DIRECT if direct else 0))
    for op, offset, length in requests:
        time.sleep(pause)
        if op == "s":
            os.fsync(device)
            continue
        part = memoryview(memory)[:length]
        done = (os.pwritev if op == "w" else os.preadv)(device, [part], offset)
        assert done == length, (op, offset, length, done)
        part.release()
    os.close(device)
    os._exit(0)


def bitmap(case: dict[str, Any]) -> list[Rows]:
    """An array with a write-intent bitmap: while its bits are set, and when they are cleared."""
    disks = [disk(number) for number in range(1, case["disks"] + 1)]
    chunk = [] if case["level"] == 1 else [f"--chunk={case['chunk'] // 1024}K"]
    run(
        "mdadm", "--create", ARRAY, "--run", "--quiet", f"--level={case['level']}", *chunk,
        f"--raid-devices={len(disks)}", "--metadata=1.2", "--bitmap=internal", "--assume-clean",
        f"--bitmap-chunk={case['bit'] // 1024}K", *disks,
    )  # fmt: skip
    try:
        put("/sys/block/md9/md/safe_mode_delay", "0")
        put("/sys/block/md9/md/array_state", "active")
        held = os.open(ARRAY, os.O_RDWR)  # closing it for the last time would flush
        put("/sys/block/md9/md/bitmap/time_base", "0.2")
        settled(disks, 1.5)  # mdadm makes it with all bits set
        put("/sys/block/md9/md/bitmap/time_base", "500")
        before = settled(disks, 0.3)
        drive(ARRAY, case["requests"], direct=True)
        during = settled(disks, 0.3)
        put("/sys/block/md9/md/bitmap/time_base", "0.2")
        after = settled(disks, 1.5)
        os.close(held)
    finally:
        for _ in range(30):
            if not subprocess.run(["mdadm", "--stop", "--quiet", ARRAY], check=False).returncode:
                break
            time.sleep(0.1)
        run("mdadm", "--zero-superblock", *disks)
    return [between(before, during), between(during, after)]


def wait_for_file(path: str, seconds: float = 20) -> None:
    """Waits until a file is there."""
    end = time.monotonic() + seconds
    while not os.path.exists(path):
        assert time.monotonic() < end, f"{path} does not come"
        time.sleep(0.1)


def gone(pattern: str, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while glob.glob(pattern):
        assert time.monotonic() < end, f"{pattern} stays"
        time.sleep(0.1)


def bcache(case: dict[str, Any]) -> list[Rows]:
    """A cache, the slow disk first: during the requests, and while all is written back."""
    disks = [disk(1), disk(2)]
    run("modprobe", "bcache")
    run("wipefs", "--quiet", "--all", *disks)
    run("make-bcache", "--bucket", str(case["bucket"]), "-C", disks[1], "-B", disks[0])
    for member in disks:
        with contextlib.suppress(OSError):  # udev may have been faster
            put("/sys/fs/bcache/register_quiet", member)
    at = f"/sys/block/{os.path.basename(disks[0])}/bcache/"
    wait_for_file(at + "cache")
    wait_for_file("/dev/bcache0")
    try:
        put(at + "cache_mode", case["mode"])
        put(at + "sequential_cutoff", case["cutoff"])
        put(at + "writeback_running", 0)
        put(at + "writeback_percent", 40)
        for name in ("congested_read_threshold_us", "congested_write_threshold_us"):
            put(at + "cache/" + name, 0)
        put(at + "cache/journal_delay_ms", case["journal_delay"])
        held = os.open("/dev/bcache0", os.O_RDWR)
        before = settled(disks, 2)
        drive("/dev/bcache0", case["requests"], direct=True)
        during = settled(disks, 0.5)
        put(at + "writeback_percent", 0)
        put(at + "writeback_running", 1)
        after = settled(disks, 3)
        os.close(held)
    finally:
        put(at + "detach", 1)
        gone(at + "cache")
        put(at + "stop", 1)
        for stop in glob.glob("/sys/fs/bcache/*-*/stop"):
            put(stop, 1)
        gone("/sys/fs/bcache/*-*")
        gone(at)
        run("wipefs", "--quiet", "--all", *disks)
    return [between(before, during), between(during, after)]


def ext4(case: dict[str, Any]) -> list[Rows]:
    """A file that is all written already: during the requests, and until nothing is mounted."""
    name, place = disk(1), "/mnt/driven"
    os.makedirs(place, exist_ok=True)
    options = "lazy_itable_init=0,lazy_journal_init=0"
    run(
        "mkfs.ext4",
        "-q",
        "-F",
        "-b",
        "4096",
        "-J",
        f"size={case['journal'] >> 20}",
        "-E",
        options,
        name,
    )
    mount = ("mount", "-o", f"data={case['data']},noatime,commit=300", name, place)
    run(*mount)
    with open(f"{place}/file", "wb") as file:
        file.writelines([memory] * (case["size"] // len(memory)))
    run("umount", place)
    run(*mount)
    put("/proc/sys/vm/dirty_writeback_centisecs", 0)
    put("/proc/sys/vm/drop_caches", 3)
    with open(f"{place}/file", "rb") as file:  # where its inode and its extents lie is read now
        os.pread(file.fileno(), 1, 0)
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    before = settled([name], 1)
    # A file's time has the grain of the kernel's ticks: with a pause each write changes it.
    drive(f"{place}/file", case["requests"], direct=case["direct"], pause=0.01)
    during = settled([name], 0.5)
    run("umount", place)
    after = settled([name], 0.5)
    put("/proc/sys/vm/dirty_writeback_centisecs", 500)
    return [between(before, during), between(during, after)]


def pages(case: dict[str, Any]) -> list[Rows]:
    """A disk through the page cache: during the requests, and when all is written."""
    name = disk(1)
    put("/proc/sys/vm/dirty_writeback_centisecs", 0)
    put("/proc/sys/vm/dirty_background_bytes", case["background"])
    put("/proc/sys/vm/drop_caches", 3)
    held = os.open(name, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)  # else udev reads partitions when it has been written
    before = settled([name], 0.5)
    drive(name, case["requests"], direct=False)
    during = settled([name], 0.5)
    os.fsync(held)
    after = settled([name], 0.5)
    os.close(held)
    put("/proc/sys/vm/dirty_background_ratio", 10)
    put("/proc/sys/vm/dirty_writeback_centisecs", 500)
    return [between(before, during), between(during, after)]


UDEVLESS = ("--noudevsync", "--noudevrules")  # udev has been stopped


def mapped(name: str, table: str) -> str:
    """A device of the device mapper."""
    run("dmsetup", "create", *UDEVLESS, name, "--table", table)
    run("dmsetup", "mknodes", name)
    return f"/dev/mapper/{name}"


def unmapped(*names: str) -> None:
    for name in names:
        if not subprocess.run(
            ["dmsetup", "info", name], check=False, capture_output=True
        ).returncode:
            run("dmsetup", "remove", *UDEVLESS, "--retry", name)


def target_status(name: str) -> list[str]:
    """What the target of a device says of itself."""
    done = subprocess.run(["dmsetup", "status", "--noflush", name], check=True, capture_output=True)
    return done.stdout.decode().split()[3:]


def warmed(name: str, offsets: list[int], size: int) -> None:
    """Reads places of a cache, one after the other, until the block of each is in it."""
    device = os.open(f"/dev/mapper/{name}", os.O_RDONLY | os.O_DIRECT)
    part, end = memoryview(memory)[:size], time.monotonic() + 60
    for offset in offsets:
        hits = target_status(name)[4]
        while target_status(name)[4] == hits:
            assert time.monotonic() < end, f"not all is cached: {target_status(name)}"
            os.preadv(device, [part], offset)
    part.release()
    os.close(device)


def dm_cache(case: dict[str, Any]) -> list[Rows]:
    """A cache, the slow disk first, its metadata on a third that is not counted.

    Besides the counters, those of the cache: hits and misses of reads and of writes, demotions,
    promotions, dirty blocks; when the requests have ended, and in the end.
    """
    disks, block = [disk(1), disk(2)], case["block"] // SECTOR
    run("modprobe", "-a", "dm_cache", "dm_cache_smq")
    run("dd", "if=/dev/zero", f"of={disk(3)}", "bs=1M", "count=1", "oflag=direct", "status=none")
    size = int(open(f"/sys/block/{os.path.basename(disks[0])}/size").read())  # noqa: SIM115
    policy = case["policy"]
    try:
        meta = mapped("drivenmeta", f"0 65536 linear {disk(3)} 0")
        data = mapped("drivendata", f"0 {case['blocks'] * block} linear {disks[1]} 0")
        head = f"0 {size} cache {meta} {data} {disks[0]} {block} 1"
        hot = mapped("drivenhot", f"{head} {case['mode']} {policy} 0")
        held = os.open(hot, os.O_RDWR)
        if case["warm"]:
            warmed("drivenhot", case["warm"], 4096)
        # What smq knows of how often it was right is forgotten each second.
        before, lines = settled(disks, 2.5 if case["warm"] else 0.3), target_status("drivenhot")
        begin = time.monotonic()
        drive(hot, case["requests"], direct=True, pause=case["pause"])
        took = time.monotonic() - begin
        during, ended = settled(disks, 0.3), target_status("drivenhot")
        after, last = settled(disks, 4), target_status("drivenhot")
        os.close(held)
    finally:
        unmapped("drivenhot", "drivendata", "drivenmeta")
    counted = [
        [int(b) - int(a) for a, b in zip(lines[4:10], names[4:10])] + [int(names[10])]  # noqa: B905
        for names in (ended, last)
    ]
    return [between(before, during), between(during, after), [*counted, [int(1000 * took)]]]


def dm_writecache(case: dict[str, Any]) -> list[Rows]:
    """A write cache, the slow disk first: during the requests, and while all is written back."""
    disks = [disk(1), disk(2)]
    run("modprobe", "dm_writecache")
    run("dd", "if=/dev/zero", f"of={disks[1]}", "bs=1M", "count=2", "oflag=direct", "status=none")
    size = int(open(f"/sys/block/{os.path.basename(disks[0])}/size").read())  # noqa: SIM115
    options = ["start_sector", "2048", *(str(word) for word in case["options"])]
    try:
        fast = mapped("drivenfast", f"0 {case['size'] // SECTOR} linear {disks[1]} 0")
        text = f"{case['block']} {len(options)} {' '.join(options)}"
        hot = mapped("drivenhot", f"0 {size} writecache s {disks[0]} {fast} {text}")
        held = os.open(hot, os.O_RDWR)
        before = settled(disks, 0.5)
        drive(hot, case["requests"], direct=True, pause=case["pause"])
        during, ended = settled(disks, case["settle"]), target_status("drivenhot")
        run("dmsetup", "message", "drivenhot", "0", "flush")
        after = settled(disks, 1)
        os.close(held)
    finally:
        unmapped("drivenhot", "drivenfast")
    return [between(before, during), between(during, after), [[int(name) for name in ended]]]


KINDS: dict[str, Callable[[dict[str, Any]], list[Rows]]] = {
    "bitmap": bitmap, "bcache": bcache, "ext4": ext4, "pages": pages,
    "dm_cache": dm_cache, "dm_writecache": dm_writecache,
}  # fmt: skip


def main() -> None:
    subprocess.run(["udevadm", "settle", "--timeout=30"], check=False)
    subprocess.run(["udevadm", "control", "--stop-exec-queue"], check=False)
    memory.write(b"x" * len(memory))
    for case in json.loads(sys.argv[1]):
        print(json.dumps(KINDS[case["kind"]](case)), flush=True)


if __name__ == "__main__":
    main()
