"""pgbench -i: how long a database took to fill its tables."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import counters, mangled

SAMPLE = (
    Path(__file__).parents[2] / "outputs" / "commands-composed" / "pgbench-fill.txt"
).read_text()  # fmt: skip
TOOL = "pgbench -i"


def test_its_steps_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        (filled,) = counters(given, TOOL)
        assert dict(filled.values) == {
            "tuples": 2_000_000, "fill.seconds": 3.21, "seconds": 5.1,
            "drop_tables.seconds": 0.02, "create_tables.seconds": 0.04,
            "client_side_generate.seconds": 3.3, "vacuum.seconds": 0.44,
            "primary_keys.seconds": 1.3,
        }, shape  # fmt: skip


def test_a_sum_that_a_terminal_tore() -> None:
    torn = SAMPLE.replace("generate 3.30 s", "generate 3\n.30 s")
    (filled,) = counters(torn, TOOL)
    assert filled.values["client_side_generate.seconds"] == 3.3


def test_an_older_one_and_prose() -> None:
    old = (
        "creating tables...\ngenerating data...\n"
        "100000 of 100000 tuples (100%) done (elapsed 0.09 s, remaining 0.00 s)\n"
        "vacuum...\nset primary keys...\ndone.\n"
    )
    (filled,) = counters(old, TOOL)
    assert dict(filled.values) == {"tuples": 100_000, "fill.seconds": 0.09}
    assert not counters("All tuples (100%) were moved by client-side generate.\n", TOOL)
