"""`python -m bench NAME|all [--json] [--quick]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

from bench import BENCHES
from iosonde import units
from iosonde.errors import IosondeError


def machine() -> dict[str, Any]:
    """What the figures were measured on; enough to know when they may be compared."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu, "cpus": os.cpu_count(), "memory": memory, "kernel": platform.release(),
        "python": platform.python_version(), "measured": time.time(),
    }  # fmt: skip


def main() -> int:
    """Run the benchmarks that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", choices=[*BENCHES, "all"])
    parser.add_argument("--json", action="store_true", help="print iosonde.bench/1")
    parser.add_argument("--quick", action="store_true", help="small inputs: does it still run?")
    asked = parser.parse_args()
    documents = []
    for name in BENCHES if asked.name == "all" else [asked.name]:
        try:
            figures = list(BENCHES.load(name)(quick=asked.quick))
        except IosondeError as problem:
            sys.stderr.write(f"bench {name}: {problem}\n")
            return problem.exit_code
        documents.append(
            {"schema": "iosonde.bench/1", "bench": name, "figures": figures, "machine": machine()}
        )
        if not asked.json:
            _print(name, figures)
    if asked.json:
        print(json.dumps(documents[0] if asked.name != "all" else documents, indent=2))
    return 0


def _print(name: str, figures: list[dict[str, Any]]) -> None:
    print(f"{name}")
    for figure in figures:
        ratio = "" if figure["ratio"] is None else f"   ratio {figure['ratio']:.3g}"
        value = units.show(figure["value"], figure["unit"])
        print(f"  {figure['name']:<34} {value:>14}   against {figure['against']}{ratio}")


if __name__ == "__main__":
    sys.exit(main())
