"""`time` of a command: how long it took, and how busy it was; its forms are in _timing.py.

It is a result where the command stands above it, and kept as counters of the host where it does
not. `cpu.user` and `cpu.system` are of one core. What dd itself printed above the times is read
with them by dd.py. A line of `real` alone counts right below its command.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.loads._timing import Timing, real_at, timing_at
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, Prompt, TextCursor, prompt_in
from iosonde.text.secrets import without_secrets

_TIMED = re.compile(r"(?:^|[\s;({|/`])time\s+(?:-[hlpv]\s+)?(?P<command>\S.{0,600}?)\s*$")
_LOOP = re.compile(r"(?:^|[\s;])(?:for|while|until)\s[^\n]{1,300}?;\s*do\s(?:.{0,200}\s)?time\s")
_REACH = 60
_RIGHT_BELOW = 2


class TimedCommand(Output):
    tool = "time"
    anchors = (
        "real\t", "real ", "s system ", "system 0:", "elapsed ", "Command being timed: ", "pf+0w",
    )  # fmt: skip
    looks_above: ClassVar[bool] = True
    """What the command printed stands between, and may have a reader of its own."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if timing_at(cursor, cursor.at):
            return cursor.at
        if real_at(line) and _asked(cursor, cursor.at, None, _RIGHT_BELOW)[1].command:
            return cursor.at
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        line = cursor.line(first)
        timing = timing_at(cursor, first)
        if timing is None:
            return self._real_alone(cursor, first, line)
        begin, prompt = _asked(cursor, first, timing)
        if not prompt.command:
            values = {"real": timing.real, "user": timing.user, "sys": timing.system}
            counters = PrintedCounters(self.tool, "a command that is not named", "", values)
            return OutputReading(first, timing.last, counters=(counters,))
        metrics, kinds = {"elapsed": timing.real}, {"elapsed": "s"}
        if timing.real:
            for name, seconds in (("cpu.user", timing.user), ("cpu.system", timing.system)):
                metrics[name], kinds[name] = seconds / timing.real, "fraction"
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult(metrics=metrics, units=kinds),),
            command=prompt.command,
            host=prompt.host,
            label=_program(prompt.command),
            elapsed=(timing.real,),
            steps={"elapsed": timing.step},
            details={"user": timing.user, "system": timing.system, **timing.more},
        )
        return OutputReading(begin, timing.last, trials=(trial,))

    def _real_alone(self, cursor: TextCursor, first: int, line: str) -> OutputReading:
        """The time of the command right above; those on user and sys were left out."""
        begin, prompt = _asked(cursor, first, None, _RIGHT_BELOW)
        real = real_at(line)
        if real is None or not prompt.command:
            raise Unreadable("the lines on user and sys are cut off")
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult.of({"elapsed": real[0]}),),
            command=prompt.command,
            host=prompt.host,
            label=_program(prompt.command),
            elapsed=(real[0],),
            steps={"elapsed": real[1]},
        )
        return OutputReading(begin, first, trials=(trial,))


def _program(command: str) -> str:
    """The program that was timed, without what sets its environment."""
    for word in command.split():
        if word not in {"sudo", "env", "nice"} and "=" not in word:
            return word.rpartition("/")[2].strip("'\"`();")
    return ""


def _asked(
    cursor: TextCursor, first: int, timing: Timing | None, reach: int = _REACH
) -> tuple[int, Prompt]:
    """Index of the command's line, and what was timed: zsh's line says it, else it stands above."""
    if timing and timing.command:
        return first, Prompt(timing.command)
    repeats = False
    for index in range(first - 1, max(first - reach - 1, -1), -1):
        line = cursor.line(index)
        repeats = repeats or real_at(line) is not None
        prompt = prompt_in(line)
        text = prompt.command if prompt else line.strip(" \t`")
        if prompt is None and not text.startswith(("time ", "sudo time ", "/usr/bin/time ")):
            if "; time " not in text:
                continue
            text = text[text.index("; time ") + 2 :]
        timed = _TIMED.search(text)
        if timed and repeats and not _LOOP.search(text):
            break  # the time of the first was this command's; of another, nothing tells
        if timed:
            command = without_secrets(timed["command"].rstrip("`"))
            return index, Prompt(command, prompt.host if prompt else "")
        if prompt:
            break
    return first, Prompt("")
