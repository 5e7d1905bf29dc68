"""`python -m tests.simulation FIRST COUNT [--pasts N] [--fault NAME]`: plays histories."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

from tests.simulation.history import Broken, Chronicle
from tests.simulation.machine import Machine, enclosed

EVERY = 400
MOST = 20  # broken histories that are told, after which a worker ends


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--pasts", type=int, default=8)
    parser.add_argument("--fault", default="")
    parser.add_argument("--worker", type=int, default=-1)
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 8))
    parser.add_argument("--every", type=int, default=EVERY, help="one of these is run for real too")
    parser.add_argument("--most", type=int, default=MOST)
    options = parser.parse_args()
    if options.worker >= 0:
        return _work(options)
    argv = [
        sys.executable,
        "-m",
        "tests.simulation",
        *sys.argv[1:],
        "--workers",
        str(options.workers),
    ]
    workers = [subprocess.Popen([*argv, "--worker", str(at)]) for at in range(options.workers)]
    if options.most > 1:
        return max(worker.wait() for worker in workers)
    while all(worker.poll() in {None, 0} for worker in workers) and None in [
        worker.poll() for worker in workers
    ]:
        time.sleep(0.05)
    for worker in workers:  # the first broken history was asked for
        worker.kill()
    return max(abs(worker.wait()) for worker in workers)


def _work(options: argparse.Namespace) -> int:
    from tests.simulation.faults import planted

    if options.every:
        enclosed()
    machine, begun, broken, played = Machine(options.every), time.process_time(), [], 0
    with ExitStack() as stack:
        if options.fault:
            stack.enter_context(planted(options.fault))
        chronicle = Chronicle(machine, options.pasts)
        for seed in _seeds(options):
            played += 1
            if played % 1000 == 0:
                sys.stderr.write(f"{played} played, {machine.executions} executions\n")
            try:
                chronicle.play(seed)
            except Broken as problem:
                broken.append(str(problem))
                sys.stderr.write(f"{problem}\n")
                if len(broken) >= options.most:
                    break
    seconds = time.process_time() - begun
    sys.stdout.write(
        json.dumps(
            {
                "played": played,
                "executions": machine.executions,
                "real": machine.real,
                "compared": machine.compared,
                "seconds": round(seconds, 1),
                "broken": broken,
            }
        )
        + "\n"
    )
    return 1 if broken else 0


def _seeds(options: argparse.Namespace) -> Iterator[int]:
    """A worker's histories, past by past: what shares a past meets the same states again."""
    for past in range(options.worker, options.pasts, options.workers):
        first = options.first + (past - options.first) % options.pasts
        yield from range(first, options.first + options.count, options.pasts)


if __name__ == "__main__":
    sys.exit(main())
