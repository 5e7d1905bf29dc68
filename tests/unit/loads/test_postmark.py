"""PostMark. Oracle: rates are counts over its seconds, cut to whole figures."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs" / "postmark-composed" / "one.txt").read_text()


def test_files_and_bytes_a_second() -> None:
    (run,) = counters(TEXT)
    values = cast("dict[str, float]", run.values)
    assert (values["seconds"], values["transactions.seconds"]) == (40, 25)
    assert values["transactions_per_second"] == 20000 / 25
    for name in ("created", "deleted"):
        assert values[f"{name}_per_second"] == values[name] / 40
        alone = "creation_alone" if name == "created" else "deletion_alone"
        mixed = values[f"{name}.mixed_with_transactions"]
        assert values[name] == values[f"{name}.{alone}"] + mixed
        assert values[f"{name}.mixed_with_transactions_per_second"] == mixed / 25
    for name in ("read", "appended"):
        assert values[f"{name}_per_second"] == values[name] / 25
    assert values["read.bandwidth"] == values["read.bytes"] / 40 == 1.5 * 2**20
    assert values["write.bandwidth"] == values["write.bytes"] / 40


def test_nothing_read() -> None:
    nothing = "0.000000 bytes read (0.000000 bytes per second)"
    text = TEXT.replace("60.00 megabytes read (1.50 megabytes per second)", nothing)
    ((values,),) = ([run.values for run in counters(text)],)
    assert (values["read.bytes"], values["read.bandwidth"]) == (0, 0)
    assert values["write.bytes"] == 180 * 2**20


def test_every_shape() -> None:
    expected = [dict(run.values) for run in counters(TEXT)]
    for shape, changed in mangled(TEXT, wraps=False):
        assert [dict(run.values) for run in counters(changed)] == expected, shape


def test_two_runs_and_a_part() -> None:
    part = TEXT[TEXT.index("Time:") : TEXT.index("pm>quit")]
    assert len(counters(part + "\n" + part)) == 2
    (run,) = counters(TEXT[TEXT.index("Data:") :])
    assert set(run.values) == {"read.bytes", "read.bandwidth", "write.bytes", "write.bandwidth"}


@pytest.mark.parametrize("text", [
    "Creation alone: 12 files are too few\n",
    "It did 40 seconds of transactions (many)\n",
    "We got 4.5 megabytes per second) at most\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert counters(text) == []
