"""Broken trees of btrfs. Oracle: lines counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "broken.txt").read_text()


def _errors(text: str) -> list[dict[str, object]]:
    return [dict(counter.values) for counter in counters(text, "btrfs")]


@pytest.mark.parametrize("text", [TEXT, TEXT.partition("\n")[2]])
def test_errors_below_a_command_and_alone(text: str) -> None:
    assert _errors(text) == [
        {
            "checksum_failures": 2, "bytenr_mismatches": 2, "bad_blocks": 2,
            "blocks": [30408704, 61014016],
        }
    ]  # fmt: skip


@pytest.mark.parametrize("text", [
    "I saw checksum verify failed on 30408704 found in the log\n",
    "bytenr mismatch, want=x, have=y\n",
    "ERROR: cannot open file system\n",
])  # fmt: skip
def test_what_looks_like_it(text: str) -> None:
    assert not _errors(text)
    assert not [entry for entry in read(text) if "btrfs" in str(entry)]


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _errors(text) == _errors(TEXT), shape
