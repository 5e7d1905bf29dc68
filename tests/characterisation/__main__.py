"""`python -m tests.characterisation --write [PART OF A NAME…]` records what the commands print."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.characterisation.cases import cases
from tests.characterisation.record import EXPECTED, actual, recorded
from tests.characterisation.stored import prepare


def main() -> int:
    """Exit 1 where something differs and is not written."""
    parser = argparse.ArgumentParser(prog="python -m tests.characterisation", description=__doc__)
    parser.add_argument("part", nargs="*", help="parts of names; none: all")
    parser.add_argument("--write", action="store_true", help="record; else say what differs")
    options = parser.parse_args()
    table = cases()
    chosen = [name for name in table if not options.part or any(x in name for x in options.part)]
    differing = []
    with tempfile.TemporaryDirectory() as place:
        store = Path(place) / "store"
        ids = prepare(store)
        for number, name in enumerate(chosen):
            printed = actual(table[name], Path(place) / f"{number}" / "case", store, ids)
            file = recorded(name)
            if not file.exists() or file.read_text() != printed:
                differing.append(name)
                if options.write:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(printed)
    gone = [path for path in EXPECTED.rglob("*.txt") if _name(path) not in table]
    for path in gone if options.write else ():
        path.unlink()
    sys.stdout.writelines(f"{name}\n" for name in [*differing, *map(_name, gone)])
    sys.stdout.write(f"{len(chosen)} cases, {len(differing)} differ, {len(gone)} are no more\n")
    return int(not options.write and bool(differing or gone))


def _name(path: Path) -> str:
    return path.relative_to(EXPECTED).as_posix().removesuffix(".txt")


if __name__ == "__main__":
    sys.exit(main())
