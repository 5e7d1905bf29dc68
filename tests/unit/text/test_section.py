"""An output ends where a page's next section begins, whatever stands in that.

Oracle: what the two samples hold when each is a text of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import TextLocation, Unread
from iosonde.text.find import FoundOutput
from tests.mangle import read

OUTPUTS = Path(__file__).parents[2] / "outputs"
_PAIRS = [
    ("iozone-3.489/automatic-report.txt", "zfs-composed/list.txt"),
    ("smart-composed/smartctl-nvme.txt", "bcache-6.1/device.txt"),
    ("ssacli-2/status.txt", "benchmarks-composed/kbench.txt"),
]


def _text(name: str) -> str:
    return (OUTPUTS / name).read_text()


def _places(text: str, shift: int = 0) -> list[tuple[str, int, int]]:
    every: list[FoundOutput | Unread] = read(text)
    assert all(isinstance(output, FoundOutput) for output in every)
    places: list[tuple[str, TextLocation]] = [(output.tool, output.place) for output in every]
    return [(tool, at.first_line + shift, at.last_line + shift) for tool, at in places]


@pytest.mark.parametrize(("above", "below"), _PAIRS)
def test_the_output_of_the_next_section_is_read_too(above: str, below: str) -> None:
    begin = f"{_text(above)}\n\n## Ticket 7\n\n"
    expected = _places(_text(above)) + _places(_text(below), begin.count("\n"))
    assert _places(begin + _text(below)) == expected


def test_a_row_of_smartctl_begins_with_a_number_sign_and_ends_nothing() -> None:
    above = _text("smart-composed/smartctl-ata.txt")
    rows = "# 1  Short offline       Completed without error       00%      1234         -\n"
    ((_, _, last),) = _places(f"{above}\nSMART Self-test log structure revision number 1\n{rows}")
    assert last == above.count("\n") + 3
