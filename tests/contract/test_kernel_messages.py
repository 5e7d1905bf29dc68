"""Every message of the kernel that a technology declares is in the sample, and is read by it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.layers import KERNEL_MESSAGES
from iosonde.layers._kernel_log.events import KernelMessage
from iosonde.text.document import Document
from iosonde.text.find import FoundOutput, find
from iosonde.text.log_lines import log_prefix

SAMPLE = Path(__file__).parents[1] / "outputs" / "kernel-log" / "every-message.txt"
LINES = tuple(SAMPLE.read_text().splitlines())
MESSAGES = tuple(message for kind in KERNEL_MESSAGES for message in KERNEL_MESSAGES.load(kind))


def _reader(line: str) -> KernelMessage | None:
    """The first message by the table whose literal and pattern are in a line."""
    prefix = log_prefix(line)
    assert prefix is not None
    return next(
        (
            message for message in MESSAGES
            if message.literal in line and re.compile(message.pattern).match(line, prefix.end)
            and not (message.is_bare and prefix.clock)
        ),
        None,
    )  # fmt: skip


def test_each_message_has_a_line_that_no_earlier_message_takes() -> None:
    read = [_reader(line) for line in LINES]
    assert None not in read
    without = [message.literal for message in MESSAGES if message not in read]
    assert without == []


def test_each_line_is_counted_once() -> None:
    (output,) = find(Document("log", SAMPLE.read_bytes()))
    assert isinstance(output, FoundOutput)
    counts = {message.counts for message in MESSAGES if message.counts}
    counted = sum(
        value
        for thing in output.counters
        if thing.tool == "kernel log"
        for name, value in thing.values.items()
        if name in counts and isinstance(value, int)
    )
    assert counted == sum(1 for line in LINES if (message := _reader(line)) and message.counts)


@pytest.mark.parametrize("kind", list(KERNEL_MESSAGES))
def test_a_counter_of_a_kind_is_a_sign_of_a_single_trouble(kind: str) -> None:
    """Findings ask a counter's name what it is a sign of."""
    for message in KERNEL_MESSAGES.load(kind):
        signs = {
            other.trouble
            for other in MESSAGES
            if (other.kind, other.counts) == (message.kind, message.counts)
        }
        assert len(signs) == 1, message.counts


@pytest.mark.parametrize("kind", list(KERNEL_MESSAGES))
def test_a_counter_has_no_name_of_a_list(kind: str) -> None:
    for message in KERNEL_MESSAGES.load(kind):
        counters = {other.counts for other in MESSAGES if other.kind in {message.kind, ""}}
        assert not counters & re.compile(message.pattern).groupindex.keys(), message.literal
