"""`python -m tests.fuzz`: all readers, or those named, for some time each; a table at the end."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.readers import readers
from tests.fuzz.run import attempt, fuzz, hold_memory, keep, smaller


def main() -> int:
    """Exit 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("reader", nargs="*", help="beginnings of names; none: all")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each (60)")
    parser.add_argument("--seed", type=int, default=None, help="else from the clock")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--list", action="store_true", help="list the readers")
    parser.add_argument("--input", type=Path, help="try this one file with each reader")
    options = parser.parse_args()
    chosen = [
        output_reader for name, output_reader in readers().items()
        if not options.reader or any(name.startswith(begin) for begin in options.reader)
    ]  # fmt: skip
    if options.list:
        sys.stdout.writelines(
            f"{output_reader.name} ({len(output_reader.samples)} samples)\n"
            for output_reader in chosen
        )
        return 0
    hold_memory()
    if options.input:
        for output_reader in chosen:
            sys.stdout.write(
                f"{output_reader.name}: {attempt(output_reader, options.input.read_bytes())}\n"
            )
        return 0
    seed = int(time.time()) if options.seed is None else options.seed
    sys.stdout.write(f"seed {seed}\n| reader | executions | seconds | slowest, s | findings |\n")
    sys.stdout.write("|---|---|---|---|---|\n")
    number = 0
    for output_reader in chosen:
        outcome = fuzz(output_reader, options.seconds, seed=seed)
        number += len(outcome.findings)
        sys.stdout.write(
            f"| {outcome.name} | {outcome.executions} | {outcome.seconds:.0f} | "
            f"{outcome.slowest:.2f} | {len(outcome.findings)} |\n"
        )
        for problem, data in list(outcome.findings.items()):
            outcome.findings[problem] = smaller(output_reader, data, problem)
        for path, problem in zip(keep(outcome, options.findings), outcome.findings, strict=True):
            sys.stdout.write(f"  {path}: {problem}\n")
        sys.stdout.flush()
    return 1 if number else 0


sys.exit(main())
