"""free in other languages. Oracle: every language says the same; totals are sums of the rest."""

from __future__ import annotations

import re
from pathlib import Path

from tests.mangle import counters

OUTPUTS = Path(__file__).parents[2] / "outputs" / "languages-debian-12"
TABLES = re.split(r"(?m)^(?=\$ )", (OUTPUTS / "free.txt").read_text())[1:]
MIB = 1 << 20


def test_every_language() -> None:
    assert len(TABLES) == 11
    for table in TABLES:
        (row,) = counters(table)
        figures = {name: value for name, value in row.values.items() if isinstance(value, int)}
        assert row.kind == "memory", table
        assert (figures["memory_total"], figures["swap_used"]) == (7900 * MIB, 500 * MIB), table
        assert figures["total_total"] == figures["memory_total"] + figures["swap_total"], table
        assert figures["total_free"] == figures["memory_free"] + figures["swap_free"], table
        assert (figures["low_total"], figures["high_total"]) == (7900 * MIB, 0), table
