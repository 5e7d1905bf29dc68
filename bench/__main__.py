"""`python -m bench NAME|all [--json] [--quick] [--campaigns N] [--problem NAME]`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from bench import BENCHES
from bench.figures import machine
from iosonde import units
from iosonde.errors import IosondeError
from iosonde.records.bench import BenchFigures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iosonde.records.bench import BenchFigure


def main() -> int:
    """Run the benchmarks that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", choices=[*BENCHES, "all"])
    parser.add_argument("--json", action="store_true", help="print iosonde.bench/1")
    parser.add_argument("--quick", action="store_true", help="small inputs: does it still run?")
    parser.add_argument(
        "--campaigns", type=int, metavar="N",
        help="tune-cost: campaigns of the cheapest methods (10000); of others as fewer as planned",
    )  # fmt: skip
    parser.add_argument(
        "--problem", action="append", metavar="NAME", help="tune-cost: strips, ties, equal or large"
    )
    asked = parser.parse_args()
    documents = []
    for name in BENCHES if asked.name == "all" else [asked.name]:
        try:
            figures = BENCHES.load(name)(quick=asked.quick, **_options(name, asked))
        except IosondeError as problem:
            sys.stderr.write(f"bench {name}: {problem}\n")
            return problem.exit_code
        documents.append(BenchFigures(name, tuple(figures), machine()).to_json())
        if not asked.json:
            _print(name, figures)
    if asked.json:
        print(json.dumps(documents[0] if asked.name != "all" else documents, indent=2))
    return 0


def _options(name: str, asked: argparse.Namespace) -> dict[str, object]:
    """What only one of the benchmarks knows."""
    if name != "tune-cost":
        return {}
    given = {"campaigns": asked.campaigns, "only": asked.problem}
    return {key: value for key, value in given.items() if value is not None}


def _print(name: str, figures: Sequence[BenchFigure]) -> None:
    print(f"{name}")
    for figure in figures:
        value = _show(figure.value, figure.unit)
        against = f"   against {figure.against}" if figure.against else ""
        ratio = "" if figure.ratio is None else f"   ratio {figure.ratio:.3g}"
        spread = ""
        if figure.interval:
            low, high = (_show(amount, figure.unit) for amount in figure.interval)
            spread = f"   ({low} … {high})"
        count = f"   n {figure.count:,}" if figure.count else ""
        target = f"   to reach {figure.target}: {figure.reached}" if figure.target else ""
        print(f"  {figure.name:<52} {value:>14}{against}{ratio}{spread}{count}{target}")


def _show(value: float, unit: str) -> str:
    """As everywhere, but for minutes, which are too coarse to be compared."""
    return f"{value:,.0f} s" if unit == "s" and value >= 120 else units.show(value, unit)


if __name__ == "__main__":
    sys.exit(main())
