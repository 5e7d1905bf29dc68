"""Which outputs are later parts of what one command printed, and so of its host.

`multipath -ll` prints a map below the other, `fdisk -l` a disk, `mdadm --detail` an array for each
of its arguments; the prompt that names host and command stands above the first alone. A part is of
the same command where only blank lines stand between, or few other ones that no person wrote; in
the same block and quoted as deep; and where it is of the same tool or of one that the
command calls: `pvs; vgs; lvs`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedLoad,
    PrintedState,
    PrintedTrial,
)
from iosonde.text.clean import quote_depth
from iosonde.text.cursor import MACHINE, Output, Prompt, prompt_in
from iosonde.text.prose import is_sentence
from iosonde.text.shell import is_prompt

Printed = TypeVar("Printed", PrintedTrial, PrintedState, PrintedCounters, PrintedLoad)
MOST = 4
"""Lines between two parts that nothing reads."""
_BLANK = 2
"""Blank lines that a tool prints between two parts, as fdisk does."""
_SAID = re.compile(r".*:$|\s*(?:#|//|-{2}|[*•=+]\s)")
"""A label or a comment of a person's."""
_SEPARATOR = re.compile(r"[;&|\n]")
_BLOCK = re.compile(r"[ \t]*(?:`{3}|~{3}|</?(?:pre|code)\b|\[/?code)", re.IGNORECASE)


class LastCommand(NamedTuple):
    """The command whose output was read last, its tool, and the last of its lines.

    Where it is not there, the prompt has the host that the output itself names, as sysstat does.
    """

    line: int = 0
    tool: str = ""
    prompt: Prompt = Prompt("")


NO_COMMAND = LastCommand()


def last_command(line: int, output: Output, reading: OutputReading) -> LastCommand:
    """The command and the host of an output, or nothing where it has neither.

    Args:
        line: number of the output's last one.
        output: what read it.
        reading: of it.
    """
    every: list[PrintedTrial | PrintedState | PrintedCounters]
    every = [*reading.trials, *reading.states, *reading.counters]
    prompts = [Prompt(record.command, record.host) for record in every]
    prompts = [prompt for prompt in prompts if prompt.command or prompt.host]
    return LastCommand(line, output.tool, prompts[0]) if prompts else NO_COMMAND


def command_above(between: Sequence[str], last: LastCommand) -> LastCommand:
    """The command that some lines are of, which stand above a later part of its output.

    Args:
        between: clean lines, from the one below the last output.
        last: command of that.
    """
    for place in range(len(between) - 1, -1, -1):
        if prompt := prompt_in(between[place]):
            last, between = LastCommand(prompt=prompt), between[place + 1 :]
            break
    if any(between):
        goes_on = all(between) and not any(map(_is_said, between))
    else:
        goes_on = len(between) <= _BLANK
    return last if goes_on else NO_COMMAND


def _is_said(line: str) -> bool:
    """Whether a line is a person's, or a prompt without a command."""
    return bool(_SAID.match(line) or MACHINE.search(line)) or (is_prompt(line) or is_sentence(line))


def is_same_block(raw: Sequence[str]) -> bool:
    """Whether lines as they stand in a text are all of one block, and quoted as deep.

    Args:
        raw: the last line of an output, those below it, and the first of the next one.
    """
    depths = {quote_depth(line) for line in raw if line.strip()}
    return len(depths) <= 1 and not any(map(_BLOCK.match, raw[1:]))


def may_print(output: Output, last: LastCommand) -> bool:
    """Whether what a reader reads may be a later part of a command's output."""
    if not last.prompt.host and not last.prompt.command:
        return False
    if output.tool == last.tool:
        return True
    calls = [part.split() for part in _SEPARATOR.split(last.prompt.command)]
    called = {word.rpartition("/")[2] for call in calls for word in call[:2]}
    return not called.isdisjoint(getattr(output, "commands", ()))


def of_same_command(reading: OutputReading, prompt: Prompt) -> OutputReading:
    """The same with the host and the command of the part above, where it names none.

    A measurement keeps its own command alone: another one may have been left out.
    """
    return replace(
        reading,
        trials=tuple(of_host(trial, prompt.host) for trial in reading.trials),
        states=tuple(_of_command(state, prompt) for state in reading.states),
        counters=tuple(_of_command(counters, prompt) for counters in reading.counters),
    )


def has_command(reading: OutputReading) -> bool:
    """Whether an output has a command or a host of its own."""
    every: list[PrintedTrial | PrintedState | PrintedCounters | PrintedLoad]
    every = [*reading.trials, *reading.states, *reading.counters, *reading.loads]
    return any(record.host or record.command for record in every)


def of_host(record: Printed, host: str) -> Printed:
    """The same, with the host where it names none."""
    return record if record.host or not host else replace(record, host=host)


def _of_command(record: Printed, prompt: Prompt) -> Printed:
    return replace(record, host=prompt.host, command=prompt.command)
