"""The shell's `time` of a command: how long it took, and how busy it was.

It is a result where the command stands above it, and kept as counters of the host where it does
not. `cpu.user` and `cpu.system` are of one core. What dd itself printed above the times is read
with them by dd.py. A line of `real` alone counts right below its command.

Source: bash 5.2, execute_cmd.c, print_formatted_time(): a tab before 0m0.000s; POSIX.1-2017, time:
seconds with two decimals after a blank; GNU time 1.9, time.c, default_format; zsh 5.9, Src/jobs.c,
printtime(); ksh and Solaris' time pad with blanks.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.loads._timing import Timing, real_at, seconds_of, step_of, timing_at
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, Prompt, TextCursor, prompt_in

_ZSH = re.compile(
    r"^\s*+(?P<command>\S.{0,300}?)  (?P<user>\d{1,9}\.\d\d)s user (?P<sys>\d{1,9}\.\d\d)s system "
    r"\d{1,6}% cpu (?:(?:(?P<h>\d{1,4}):)?(?P<m>\d{1,4}):)?(?P<s>\d{1,6}(?:\.\d{1,3})?) total\s*$"
)
_GNU = re.compile(
    r"^\s*(?P<user>\d{1,9}\.\d\d)user (?P<sys>\d{1,9}\.\d\d)system (?:(?P<h>\d{1,4}):)?"
    r"(?P<m>\d{1,4}):(?P<s>\d\d(?:\.\d\d)?)elapsed "
)
_TIMED = re.compile(r"(?:^|[\s;({|/`])time\s+(?:-p\s+)?(?P<command>\S.{0,600}?)\s*$")
_LOOP = re.compile(r"(?:^|[\s;])(?:for|while|until)\s.*;\s*do\s")
_REACH = 60
_RIGHT_BELOW = 2


class TimedCommand(Output):
    tool = "time"
    anchors = (
        "real\t", "real ", "s system ", "system 0:", "elapsed ",
    )  # fmt: skip
    looks_above: ClassVar[bool] = True
    """What the command printed stands between, and may have a reader of its own."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _GNU.match(line) or _ZSH.match(line) or timing_at(cursor, cursor.at):
            return cursor.at
        if real_at(line) and _asked(cursor, cursor.at, None, _RIGHT_BELOW)[1].command:
            return cursor.at
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        line = cursor.line(first)
        single = _GNU.match(line) or _ZSH.match(line)
        timing = _of_line(single, first) if single else timing_at(cursor, first)
        if timing is None:
            return self._real_alone(cursor, first, line)
        begin, prompt = _asked(cursor, first, single)
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
            details={"user": timing.user, "system": timing.system},
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


def _of_line(match: re.Match[str], index: int) -> Timing:
    """What a line of zsh or of GNU time says."""
    user, system = float(match["user"]), float(match["sys"])
    return Timing(seconds_of(match), user, system, step_of(match["s"]), index)


def _asked(
    cursor: TextCursor, first: int, single: re.Match[str] | None, reach: int = _REACH
) -> tuple[int, Prompt]:
    """Index of the command's line, and what was timed: zsh's line says it, else it stands above."""
    if single and (command := single.groupdict().get("command")):
        return first, Prompt(command)
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
            command = timed["command"].rstrip("`")
            return index, Prompt(command, prompt.host if prompt else "")
        if prompt:
            break
    return first, Prompt("")
