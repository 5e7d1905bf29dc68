"""A fio that waits for nothing: it reads the job, writes some of the file, and says what fio would.

The time is that of the job: runtime where there is one, else its bytes at the rates of _DISK. What
differs from run to run is drawn from a seed, in the directory that IOSONDE_FAKE_FIO names: `seed`
and `spread` (of the rates, 0.02) there may be written by a test, `runs` counts the calls. Without
the variable every call is the first. tests/fakes/test_fio.py holds it to the real one.

Source:
    fio 3.33: stat.c, show_thread_status_json(), plat_val_to_idx(); init.c; HOWTO.
"""

from __future__ import annotations

import errno
import fcntl
import json
import math
import os
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

DIRECTIONS = ("read", "write", "trim")
PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
# Seconds before the first byte, bytes per second, I/Os at once: of a disk and of the page cache.
_DISK = (100e-6, 1e9, 32)
_CACHE = (4e-6, 4e9, 4)
_WIDTH = 0.4  # standard deviation of the logarithm of latencies
_BITS = 6  # FIO_IO_U_PLAT_BITS
_FLAGS = {"time_based", "group_reporting", "stonewall", "new_group", "thread", "randommap"}
_OPTIONS = _FLAGS | set(
    """
    name rw bs size io_size numjobs iodepth runtime direct ioengine filename allow_file_create
    rwmixread rate rate_iops fsync fdatasync end_fsync verify do_verify loops buffered norandommap
    invalidate refill_buffers startdelay ramp_time offset fallocate randrepeat randseed description
    overwrite sync verify_fatal verify_backlog verify_state_save percentile_list lat_percentiles
    clat_percentiles buffer_compress_percentage dedupe_percentage randrepeat thinktime
    """.split()  # noqa: SIM905 - a table
)
_ALIASES = {"readwrite": "rw", "blocksize": "bs", "timeout": "runtime", "nr_files": "nrfiles"}
_RW = {
    "read": "r", "randread": "r", "write": "w", "randwrite": "w", "rw": "rw", "readwrite": "rw",
    "randrw": "rw", "trim": "t", "randtrim": "t",
}  # fmt: skip
_UNITS = {"k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


class Failed(Exception):
    """Fio ends with status 1 and this text."""


def size(text: str) -> int:
    """Bytes of "4k", "16m", "1g"."""
    match = re.fullmatch(r"(\d+)\s*([kmgt]?)i?b?", text.strip().lower())
    if not match:
        raise Failed(f"fio: failed parsing size={text}")
    return int(match[1]) * _UNITS.get(match[2], 1)


def seconds(text: str) -> float:
    """Seconds of "1", "300ms", "2m"."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s|m|h|)", text.strip())
    if not match:
        raise Failed(f"fio: failed parsing runtime={text}")
    return float(match[1]) * {"us": 1e-6, "ms": 1e-3, "m": 60.0, "h": 3600.0}.get(match[2], 1.0)


@dataclass
class Section:
    """A job: its own options, and all that hold for it."""

    name: str
    own: dict[str, str]
    options: dict[str, str]
    group: int = 0

    def number(self, key: str, default: int) -> int:
        return int(self.options.get(key) or default)

    @property
    def moves(self) -> str:
        word = self.options.get("rw", "read").partition(":")[0]
        if word not in _RW:
            raise Failed(f"fio: failed parsing rw={word}")
        return _RW[word]


@dataclass
class Asked:
    """The command line."""

    output: str = ""
    form: str = "normal"
    parse_only: bool = False
    readonly: bool = False
    sections: list[Section] = field(default_factory=list)
    defaults: dict[str, str] = field(default_factory=dict)


def _checked(key: str, value: str, name: str) -> str:
    key = _ALIASES.get(key, key)
    if key not in _OPTIONS:
        # The real one says so of what it does not know; this one of what it does not stand for.
        raise Failed(f"Bad option <{key}{value and f'={value}'}>\nfio: job {name} dropped")
    return key


def _options_of_files(path: str, asked: Asked) -> None:
    text = sys.stdin.read() if path == "-" else open(path, encoding="utf-8").read()  # noqa: PTH123,SIM115 - as short as fio's start is to be
    section: Section | None = None
    for line in map(str.strip, text.splitlines()):
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            name = line.strip("[]")
            section = None
            if not name.startswith("global"):
                section = Section(name, {}, dict(asked.defaults))
                asked.sections.append(section)
            continue
        key, _, value = line.partition("=")
        _give(asked, section, key.strip(), value.strip())


def _give(asked: Asked, section: Section | None, key: str, value: str) -> None:
    key = _checked(key, value, section.name if section else "global")
    if section is None:
        asked.defaults[key] = value
    else:
        section.own[key] = section.options[key] = value


def parse(argv: list[str]) -> Asked:
    """Read a command line, and the job file that it names."""
    asked = Asked()
    section: Section | None = None
    arguments = iter(argv)
    for word in arguments:
        if not word.startswith("--"):
            _options_of_files(word, asked)
            continue
        key, given, value = word[2:].partition("=")
        if key in {"parse-only", "readonly"}:
            setattr(asked, key.replace("-", "_"), True)
            continue
        if not given and key not in _FLAGS:
            value = next(arguments, "")
        if key == "output":
            asked.output = value
        elif key == "output-format":
            asked.form = value
        elif key not in {"eta", "aux-path", "idle-prof", "alloc-size"}:
            if key == "name":
                section = Section(value, {}, dict(asked.defaults))
                asked.sections.append(section)
            _give(asked, section, key, value)
    if not asked.sections:
        raise Failed("No job(s) defined")
    _number_groups(asked)
    return asked


def _number_groups(asked: Asked) -> None:
    """Give each job its group; what only reads may hold nothing else."""
    for at, section in enumerate(asked.sections):
        new = at > 0 and ("stonewall" in section.options or "new_group" in section.options)
        section.group = (asked.sections[at - 1].group if at else 0) + new
        if asked.readonly and section.moves != "r":
            raise Failed(f"fio: job <{section.name}> has write or trim bit set, but fio is in "
                         "read-only mode")  # fmt: skip


# ── what the job does ─────────────────────────────────────────────────────────────────────────


@dataclass
class Moved:
    """What a job, or all jobs of a group report, did in one direction."""

    ios: int = 0
    bytes: int = 0
    runtime: int = 0  # milliseconds
    latency: float = 0.0
    submit: float = 0.0

    def add(self, other: Moved) -> None:
        if total := self.ios + other.ios:
            self.latency = (self.latency * self.ios + other.latency * other.ios) / total
        self.submit = max(self.submit, other.submit)
        self.ios += other.ios
        self.bytes += other.bytes
        self.runtime = max(self.runtime, other.runtime)


@dataclass
class Work:
    """A job's, by direction, and its calls of fsync."""

    by: dict[str, Moved]
    syncs: int
    runtime: int
    error: int = 0


def work(section: Section, chance: random.Random, spread: float, length: int) -> Work:
    """What one process of a job does.

    Args:
        section: the job.
        chance: where the spread is drawn.
        spread: of the rates, as a part of them.
        length: bytes of the target.
    """
    options = section.options
    block = size((options.get("bs") or "4k").partition(",")[0])
    direct = options.get("direct", "0") not in {"", "0"}
    start, speed, most = _DISK if direct or "fsync" in options else _CACHE
    depth = section.number("iodepth", 1) if options.get("ioengine") in {"libaio", "io_uring"} else 1
    jobs = section.number("numjobs", 1)
    if direct and block % 512:
        return Work({}, 0, 0, errno.EINVAL)
    service = start + block / speed
    syncs_every = section.number("fsync", 0) or section.number("fdatasync", 0)
    rate = min(depth, most / jobs) / service * math.exp(chance.gauss(0, spread))
    if syncs_every:
        rate = 1 / (1 / rate + _DISK[0] * 10 / syncs_every)
    letters = section.moves
    if limit := options.get("rate_iops"):
        rate = min(rate, size(limit.partition(",")[0]) * len(letters))
    if limit := options.get("rate"):
        rate = min(rate, size(limit.partition(",")[0]) / block * len(letters))
    whole = size(options.get("io_size") or options.get("size") or str(length)) // block * block
    whole *= section.number("loops", 1)
    if whole == 0:
        raise Failed(f"fio: {section.name}: the file is smaller than a block")
    figure = seconds(options["runtime"]) if options.get("runtime") else math.inf
    if "time_based" in options and math.isfinite(figure):
        ran = figure
    else:
        ran = min(whole / block / rate, figure)
    ios = max(round(ran * rate), 1)
    runtime = max(round(ran * 1000), 1)
    reads = round(ios * section.number("rwmixread", 50) / 100) if letters == "rw" else ios
    counts = {"r": (reads,), "w": (0, ios), "t": (0, 0, ios), "rw": (reads, ios - reads)}[letters]
    by = {
        way: Moved(count, count * block, runtime, min(depth / rate, service * depth), service / 20)
        for way, count in zip(DIRECTIONS, counts, strict=False)
        if count
    }
    if letters == "w" and options.get("verify", "0") not in {"0", "null"} \
            and options.get("do_verify", "1") != "0":  # fmt: skip
        again = max(round(ios * service / depth * 1000), 1)
        by["read"] = Moved(ios, ios * block, again, service, service / 20)
    written = by["write"].ios if "write" in by else 0
    syncs = max(written // syncs_every - 1, 1) if syncs_every and written else 0
    return Work(by, syncs, sum({moved.runtime for moved in by.values()}))


def touch(section: Section, readonly: bool) -> int:
    """Open the target as fio does, write a little where the job writes; its length in bytes."""
    path = section.options.get("filename") or f"{section.name}.0.0"
    wanted = size(section.options.get("size") or "0")
    if not os.path.exists(path):  # noqa: PTH110 - pathlib takes longer to import than all of this
        if section.options.get("allow_file_create") == "0":
            raise Failed("fio: file creation disallowed by allow_file_create=0")
        with open(path, "wb") as made:  # noqa: PTH123
            made.truncate(wanted)
    flags = os.O_RDONLY if section.moves == "r" else os.O_RDWR
    try:
        handle = os.open(path, flags | os.O_CLOEXEC)
    except OSError as problem:
        raise Failed(f"fio: open {path}: {problem.strerror}") from None
    try:
        length = os.lseek(handle, 0, os.SEEK_END)
        if section.moves != "r" and not readonly:
            end = min(wanted or length, length)
            for offset in (0, max(end - 4096, 0) // 4096 * 4096):
                os.pwrite(handle, os.urandom(min(4096, end)), offset)
    finally:
        os.close(handle)
    return length or wanted


# ── what is said of it ────────────────────────────────────────────────────────────────────────


def bin_of(value: int) -> int:
    """The latency that stands for the bin of a value (plat_val_to_idx, plat_idx_to_val)."""
    if value < 2 << _BITS:
        return value
    shift = value.bit_length() - 1 - _BITS
    return (value >> shift << shift) + (1 << shift >> 1)


def _spread(mean: float, count: int, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Latency in nanoseconds and how many I/Os had it: a lognormal distribution of that mean."""
    parts = min(count, 200)
    for part in range(parts):
        share = (part + 0.2 + 0.6 * chance.random()) / parts
        factor = math.exp(_WIDTH * _normal(share) - _WIDTH**2 / 2)
        value = max(round(mean * 1e9 * factor), 1)
        yield value, count // parts + (part < count % parts)


def _normal(share: float) -> float:
    """The quantile of the normal distribution: Abramowitz and Stegun, 26.2.23; within 0.0005."""
    tail = min(share, 1 - share)
    t = math.sqrt(-2 * math.log(tail))
    top = 2.515517 + 0.802853 * t + 0.010328 * t * t
    value = t - top / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t**3)
    return math.copysign(value, share - 0.5)


def latencies(mean: float, count: int, chance: random.Random, *, bins: bool) -> dict[str, Any]:
    """The object of one kind of latency."""
    if not count:
        return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    rows = list(_spread(mean, count, chance))
    middle = sum(value * many for value, many in rows) / count
    squares = sum((value - middle) ** 2 * many for value, many in rows)
    values: dict[str, Any] = {
        "min": min(rows)[0], "max": max(rows)[0], "mean": round(middle, 6),
        "stddev": round(math.sqrt(squares / (count - 1)) if count > 1 else 0.0, 6), "N": count,
    }  # fmt: skip
    if bins:
        held: dict[int, int] = {}
        for value, many in rows:
            held[bin_of(value)] = held.get(bin_of(value), 0) + many
        ordered = sorted(held.items())
        values["percentile"] = {f"{q:.6f}": _quantile(ordered, count, q) for q in PERCENTILES}
        values["bins"] = {str(value): many for value, many in ordered}
    return values


def _quantile(ordered: list[tuple[int, int]], count: int, q: float) -> int:
    seen = 0
    for value, many in ordered:
        seen += many
        if seen >= q / 100 * count:
            return value
    return ordered[-1][0]


def _direction(moved: Moved, chance: random.Random) -> dict[str, Any]:
    """The object "read", "write" or "trim"."""
    ran = moved.runtime / 1000
    speed = moved.bytes / ran if ran else 0.0
    rate = moved.ios / ran if ran else 0.0
    submit = latencies(moved.submit, moved.ios, chance, bins=False)
    complete = latencies(moved.latency - moved.submit, moved.ios, chance, bins=True)
    total = dict(complete)
    for key in ("percentile", "bins"):
        total.pop(key, None)
    for key in ("min", "max", "mean"):
        total[key] = round(total[key] + submit[key], 6) if key == "mean" else \
            total[key] + submit[key]  # fmt: skip
    samples = int(ran / 0.5) if moved.ios else 0
    per_second = {"bw": speed / 1024, "iops": rate}
    rows = {
        key: {"min": round(value * 0.97), "max": round(value * 1.03)} if samples else
        {"min": 0, "max": 0} for key, value in per_second.items()
    }  # fmt: skip
    seen = bool(samples)
    return {
        "io_bytes": moved.bytes, "io_kbytes": moved.bytes // 1024, "bw_bytes": round(speed),
        "bw": int(speed / 1024), "iops": round(rate, 6), "runtime": moved.runtime,
        "total_ios": moved.ios, "short_ios": 0, "drop_ios": 0,
        "slat_ns": submit, "clat_ns": complete, "lat_ns": total,
        "bw_min": rows["bw"]["min"], "bw_max": rows["bw"]["max"], "bw_agg": 100.0 * seen,
        "bw_mean": round(speed / 1024 * seen, 6), "bw_dev": round(speed / 1024 * 0.01 * seen, 6),
        "bw_samples": samples, "iops_min": rows["iops"]["min"], "iops_max": rows["iops"]["max"],
        "iops_mean": round(rate * seen, 6), "iops_stddev": round(rate * 0.01 * seen, 6),
        "iops_samples": samples,
    }  # fmt: skip


def _levels(keys: str, full: str, share: float = 100.0) -> dict[str, float]:
    return {key: share if key == full else 0.0 for key in keys.split()}


def _report(
    section: Section, done: list[Work], elapsed: int, chance: random.Random
) -> dict[str, Any]:
    """A job's object: of one process, or of all of a group."""
    total = {way: Moved() for way in DIRECTIONS}
    for task in done:
        for way, moved in task.by.items():
            total[way].add(moved)
    syncs = sum(task.syncs for task in done)
    depth = section.number("iodepth", 1)
    reached = next((at for at in (1, 2, 4, 8, 16, 32) if depth <= at), 64)
    usual = max((move.latency for move in total.values()), default=0.0) * 1e6
    steps = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
    micro = next((str(at) for at in steps if usual < at), "")
    milli = "" if micro else next((str(at) for at in (*steps, 2000) if usual < at * 1000), ">=2000")
    ten = " ".join(map(str, steps))
    few = "0 4 8 16 32 64 >=64"
    synced = latencies(_DISK[0] * 10, syncs, chance, bins=True)
    return {
        "jobname": section.name, "groupid": section.group,
        "error": max(task.error for task in done), "eta": 0,
        "elapsed": elapsed,
        "job options": {key: value for key, value in section.own.items() if key not in _FLAGS},
        **{way: _direction(moved, chance) for way, moved in total.items()},
        "sync": {"total_ios": syncs, "lat_ns": synced},
        "job_runtime": sum(task.runtime for task in done),
        "usr_cpu": 4.5, "sys_cpu": 9.25, "ctx": sum(move.ios for move in total.values()),
        "majf": 0, "minf": 14 * len(done),
        "iodepth_level": _levels("1 2 4 8 16 32 >=64", str(reached) if reached < 64 else ">=64"),
        "iodepth_submit": _levels(few, "4"), "iodepth_complete": _levels(few, "4"),
        "latency_ns": _levels(ten, ""), "latency_us": _levels(ten, micro),
        "latency_ms": _levels(f"{ten} 2000 >=2000", milli),
        "latency_depth": depth, "latency_target": 0, "latency_percentile": 100.0,
        "latency_window": 0,
    }  # fmt: skip


def _disks(sections: list[Section], done: Mapping[int, list[Work]]) -> list[dict[str, Any]]:
    """The disk below the target, as far as the kernel names it."""
    state = os.stat(sections[0].options.get("filename") or f"{sections[0].name}.0.0")  # noqa: PTH116
    number = state.st_rdev or state.st_dev
    sysfs = f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"
    if not os.path.exists(sysfs):  # noqa: PTH110
        return []
    name = os.path.realpath(sysfs).rpartition("/")[2]
    moved = {way: sum(work.by[way].ios for rows in done.values() for work in rows if way in work.by)
             for way in ("read", "write")}  # fmt: skip
    return [{
        "name": name, "read_ios": moved["read"], "write_ios": moved["write"], "read_merges": 0,
        "write_merges": 0, "read_ticks": moved["read"] // 10, "write_ticks": moved["write"] // 10,
        "in_queue": sum(moved.values()) // 10, "util": 90.0,
    }]  # fmt: skip


def _chance() -> tuple[random.Random, float]:
    """Where this call's figures are drawn, and their spread."""
    place = os.environ.get("IOSONDE_FAKE_FIO", "")
    if not place:
        return random.Random("1:0"), 0.02
    values = {"seed": "1", "spread": "0.02", "runs": "0"}
    with open(f"{place}/runs", "a+", encoding="utf-8") as file:  # noqa: PTH123
        fcntl.flock(file, fcntl.LOCK_EX)
        for name, usual in tuple(values.items()):
            path = f"{place}/{name}"
            if os.path.exists(path):  # noqa: PTH110
                values[name] = open(path, encoding="utf-8").read().strip() or usual  # noqa: PTH123,SIM115
        file.truncate(0)
        file.write(str(int(values["runs"]) + 1))
    return random.Random(f"{values['seed']}:{values['runs']}"), float(values["spread"])


def result(asked: Asked) -> dict[str, Any]:
    """The whole document."""
    chance, spread = _chance()
    done: dict[int, list[Work]] = {}
    for at, section in enumerate(asked.sections):
        length = touch(section, asked.readonly)
        jobs = section.number("numjobs", 1)
        done[at] = [work(section, chance, spread, length) for _ in range(jobs)]
    ran: dict[int, int] = {}
    for at, section in enumerate(asked.sections):
        here = max(task.runtime for task in done[at])
        ran[section.group] = max(ran.get(section.group, 0), here)
    elapsed = sum(ran.values()) // 1000 + 1
    reports: list[dict[str, Any]] = []
    grouped: dict[int, tuple[Section, list[Work]]] = {}
    for at, section in enumerate(asked.sections):
        if "group_reporting" in section.options:
            grouped.setdefault(section.group, (section, []))[1].extend(done[at])
        else:
            reports += [_report(section, [task], elapsed, chance) for task in done[at]]
    reports += [_report(section, rows, elapsed, chance) for section, rows in grouped.values()]
    now = time.time()
    document: dict[str, Any] = {
        "fio version": "fio-3.33", "timestamp": int(now), "timestamp_ms": int(now * 1000),
        "time": time.ctime(now),
    }  # fmt: skip
    if defaults := {key: value for key, value in asked.defaults.items() if key not in _FLAGS}:
        document["global options"] = defaults
    return document | {"jobs": reports, "disk_util": _disks(asked.sections, done)}


def main(argv: list[str]) -> int:
    """What the command does; its exit status."""
    if argv[:1] == ["--version"]:
        sys.stdout.write("fio-3.33\n")
        return 0
    try:
        asked = parse(argv)
        if asked.parse_only:
            for section in asked.sections:
                seconds(section.options.get("runtime") or "1")
            return 0
        document = result(asked)
    except (Failed, OSError) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    failed = [job for job in document["jobs"] if job["error"]]
    for job in failed:
        sys.stderr.write(f"fio: io_u error on file {job['jobname']}: Invalid argument\n")
    if not asked.form.startswith("json"):
        sys.stdout.write("fio-3.33\nthe text form is not part of this one\n")
        return 0
    text = json.dumps(document, indent=2) + "\n"
    if asked.output:
        with open(asked.output, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)
    else:
        sys.stdout.write(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
