"""A series of attempts, its lines as they come, and its table."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from tests.hostile.harness.attempt import Outcome, attempt


def table(outcomes: Iterable[Outcome]) -> str:
    """Attempts by form and by what was killed, as Markdown."""
    made: Counter[tuple[str, str]] = Counter()
    broken: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        for what in (
            ("killed", outcome.role),
            ("form", outcome.form),
            ("moment", outcome.phase),
            ("", "all"),
        ):
            made[what] += 1
            broken[what] += bool(outcome.broken)
    lines = ["| | | attempts | broken |", "|---|---|---|---|"]
    lines += [
        f"| {kind} | {name} | {made[kind, name]} | {broken[kind, name]} |"
        for kind, name in sorted(made, reverse=True)
    ]
    reasons = Counter(_kind(what) for outcome in outcomes for what in outcome.broken)
    lines += ["", "| what was broken | attempts |", "|---|---|"]
    lines += [f"| {what} | {count} |" for what, count in reasons.most_common()]
    return "\n".join(lines)


def _kind(what: str) -> str:
    return what.partition(":")[0]


def main() -> int:
    """0 where all promises were kept."""
    options = argparse.ArgumentParser(prog="python -m tests.hostile.harness")
    options.add_argument("--count", type=int, default=12)
    options.add_argument("--seed", default="1")
    options.add_argument("--first", type=int, default=0, help="number of the first attempt")
    options.add_argument("--only", help="one attempt, by its seed")
    options.add_argument("--log", type=Path, help="append each outcome as a line of JSON")
    given = options.parse_args()
    seeds = [f"{given.seed}:{given.first + number}" for number in range(given.count)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was begun is taken away
    outcomes: list[Outcome] = []
    for seed in [given.only] if given.only else seeds:
        outcomes.append(attempt(seed))
        sys.stdout.write(f"{outcomes[-1]}\n")
        sys.stdout.flush()
        if given.log:
            with given.log.open("a") as log:
                log.write(json.dumps(asdict(outcomes[-1])) + "\n")
    sys.stdout.write(f"\n{table(outcomes)}\n")
    return int(any(outcome.broken for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
