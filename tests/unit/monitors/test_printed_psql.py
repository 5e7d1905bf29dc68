"""Records of psql. Oracle: what stands in the sample, times over a thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs" / "postgresql-composed" / "records.txt").read_text()


def test_times_are_seconds_and_the_rest_is_as_printed() -> None:
    writer, reads, writes = counters(TEXT, "psql")
    assert (writer.kind, writer.name) == ("database", "")
    assert writer.values["checkpoint_write_time"] == 7023.401
    assert (writer.values["checkpoints_timed"], writer.values["buffers_backend_fsync"]) == (1814, 0)
    assert writer.values["stats_reset"] == "2024-01-01 10:00:00.123456+00"
    assert (reads.name, writes.name) == ("client backend relation normal",
                                         "checkpointer relation normal")  # fmt: skip
    assert reads.values == {
        "reads": 12345, "read_time": 4.3215, "op_bytes": 8192, "hits": 1234567, "evictions": 1000,
    }  # fmt: skip
    assert writes.values == {"writes": 777, "write_time": 0.25, "writebacks": 12}


def test_records_of_something_else_are_not_taken() -> None:
    text = "-[ RECORD 1 ]----\nid   | 7\nname | heron\nwrite_time | 5\n"
    assert not counters(text, "psql")


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    given = [(row.name, row.values) for row in counters(text, "psql")]
    assert given == [(row.name, row.values) for row in counters(TEXT, "psql")], shape
