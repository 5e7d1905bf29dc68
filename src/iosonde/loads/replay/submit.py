"""Issues the requests of a trace at their times; runs on the measured host, by its python3 alone.

    python3 submit.py REQUESTS TARGET RESULT IN_FLIGHT DIRECT

REQUESTS: a line `iosonde requests 1 COUNT …`, then columns: times (ns from the start, uint64),
offsets (uint64), lengths (uint32), operations (uint8: 0 read, 1 write, 2 flush). RESULT: a line
`iosonde replayed 1 COUNT`, then columns: how late each was issued and how long it took (ns, int64),
error number (uint16, 0: none). Little-endian.

As many threads as requests may be in flight take the requests in their order; each waits until its
request is due, issues it and waits for its end. So a request is late only where no thread is free,
or where the machine is busy. Each processor has a process with a share of the requests, because the
threads of one share an interpreter lock.

Source: Python 3.8, os.preadv(3); Linux 6.1, prctl(2): PR_SET_TIMERSLACK is 29.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
import sys
import threading
import time
from array import array

READ, WRITE = 0, 1
PROCESSES = 8
RESULT_BYTES = 18  # of a request
_SLACK = 29
_SHORT = 5  # EIO: fewer bytes than were asked for
_LEAD = 50_000_000  # ns in which the threads start
_RANDOM = 1 << 20


class AskedRequests:
    """The columns of a file of requests."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:  # noqa: PTH123 - runs without this package
            self.count = int(file.readline().split()[3])
            columns = []
            for kind in "QQIB":
                column = array(kind)
                column.fromfile(file, self.count)
                if sys.byteorder == "big":
                    column.byteswap()
                columns.append(column)
        self.times, self.offsets, self.lengths, self.ops = columns


class ReplayResults:
    """What became of each request, in memory that the processes share."""

    def __init__(self, count: int) -> None:
        self.area = mmap.mmap(-1, max(count, 1) * RESULT_BYTES)
        whole = memoryview(self.area)
        self.late = whole[: count * 8].cast("q")
        self.took = whole[count * 8 : count * 16].cast("q")
        self.errors = whole[count * 16 : count * 18].cast("H")

    def save(self, path: str, count: int) -> None:
        """Write the file of results."""
        if sys.byteorder == "big":
            raise SystemExit("a big-endian machine cannot replay")
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(b"iosonde replayed 1 %d\n" % count)
            file.write(memoryview(self.area)[: count * RESULT_BYTES])


def work(fd: int, asked: AskedRequests, results: ReplayResults, numbers: itertools.count[int],
         start: int, into: memoryview, source: memoryview) -> None:  # fmt: skip
    """One thread: one request after the other until there are no more."""
    clock = time.monotonic_ns
    while True:
        number = next(numbers)
        if number >= asked.count:
            return
        length, offset, op = asked.lengths[number], asked.offsets[number], asked.ops[number]
        due, error, done = start + asked.times[number], 0, length
        wait = due - clock()
        if wait > 0:
            time.sleep(wait * 1e-9)
        began = clock()
        try:
            if op == READ:
                done = os.preadv(fd, [into[:length]], offset)
            elif op == WRITE:
                done = os.pwritev(fd, [source[:length]], offset)
            else:
                os.fdatasync(fd)
        except OSError as problem:
            error = problem.errno or _SHORT
        ended = clock()
        results.late[number] = began - due
        results.took[number] = ended - began
        results.errors[number] = error or (0 if done == length else _SHORT)


def replay_share(
    numbers: itertools.count[int],
    target: str,
    threads: int,
    direct: bool,
    asked: AskedRequests,
    results: ReplayResults,
    start: int,
) -> None:
    """One process: every so many-th request."""
    flags = os.O_RDWR if WRITE in asked.ops else os.O_RDONLY
    fd = os.open(target, flags | (os.O_DIRECT if direct else 0))
    longest = max(asked.lengths) or 1
    into, source = mmap.mmap(-1, longest), mmap.mmap(-1, longest)
    noise = os.urandom(min(longest, _RANDOM))
    for begin in range(0, longest, len(noise)):
        source[begin : begin + len(noise)] = noise[: longest - begin]
    ctypes.CDLL(None).prctl(_SLACK, 1, 0, 0, 0)
    sys.setswitchinterval(1e-4)
    given = (fd, asked, results, numbers, start, memoryview(into), memoryview(source))
    workers = [threading.Thread(target=work, args=given, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main() -> int:
    """Replay the file of requests; 0 where all were issued."""
    path, target, result, in_flight, direct = sys.argv[1:]
    asked = AskedRequests(path)
    results = ReplayResults(asked.count)
    parts = max(1, min(len(os.sched_getaffinity(0)), int(in_flight), PROCESSES))
    threads = -(-int(in_flight) // parts)
    start = time.monotonic_ns() + _LEAD
    children = []
    for part in range(parts):
        child = os.fork()
        if not child:
            status = 1
            try:
                numbers = itertools.count(part, parts)
                replay_share(numbers, target, threads, direct == "1", asked, results, start)
                status = 0
            except OSError as problem:
                sys.stderr.write(f"{problem.strerror}\n")
                sys.stderr.flush()
            finally:
                os._exit(status)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    if not failed:
        results.save(result, asked.count)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
