"""Where the outputs of the three tools begin and end, one after the other in one text."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.text.find import FoundOutput
from tests.mangle import read, states

OUTPUTS = Path(__file__).parents[3] / "outputs"
STORCLI, MEGACLI, SSACLI = (
    (OUTPUTS / path).read_text()
    for path in (
        "storcli-7/vall-show-all.txt",
        "megacli-8/ldinfo.txt",
        "ssacli-2/config-detail.txt",
    )
)
PROSE = """

The drives were then replaced one by one, with a day between them for the array to be rebuilt.
Nobody looked at the battery of the controller until the next outage, which came in the summer.
Since then a script looks at it every morning. It writes to the log of the host what it has found.
"""


def outputs_of(text: str) -> list[tuple[str, int, str]]:
    """Tool and number of subjects of each output, and its last line."""
    rows = text.splitlines()
    return [
        (state.tool, len(state.subjects), rows[output.place.last_line - 1].strip())
        for output in read(text)
        if isinstance(output, FoundOutput)
        for state in output.states
    ]


@pytest.mark.parametrize("between", [PROSE, PROSE * 3])
def test_each_output_ends_before_the_sentences_after_it(between: str) -> None:
    alone = [finding for text in (STORCLI, MEGACLI, SSACLI) for finding in outputs_of(text)]
    assert [tool for tool, _, _ in alone] == ["storcli", "MegaCli", "ssacli"]
    assert outputs_of(between.join((STORCLI, MEGACLI, SSACLI, ""))) == alone


def test_a_command_ends_the_output_above_it() -> None:
    text = f"# ssacli ctrl all show config detail\n{SSACLI}\n# uptime\n10:02 up 3 days: fine\n"
    (state,) = states(text)
    assert state.command == "hpssacli ctrl all show config detail"
    assert outputs_of(text) == outputs_of(SSACLI)


def test_sentences_alone_are_no_output() -> None:
    assert outputs_of(PROSE) == []
    assert outputs_of("The card in Slot 2 has four drives.\n" + PROSE) == []
