"""iozone's command line as a load: what is kept, what iosonde sets itself, what is refused.

Source: iozone 3.489, iozone.c, main(): options; sizes without a letter are in KiB.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iosonde import units
from iosonde.errors import ToolRefuses, UsageError
from iosonde.records.stack import Json

_VALUES = frozenset({
    "-r", "-s", "-i", "-t", "-l", "-u", "-n", "-g", "-q", "-y", "-S", "-L", "-j", "-d", "-J", "-V",
    "-H", "-k", "-+p", "-+w", "-+y", "-+C",
})  # fmt: skip
_SHOWS = frozenset({"-v", "-h"})
"""What shows the version and the options, and runs nothing."""
_FLAGS = frozenset({
    "-a", "-A", "-c", "-e", "-I", "-o", "-O", "-p", "-R", "-z", "-M", "-C", "-T", "-x", "-Q", "-E",
    "-K", "-m", "-W", "-D", "-G", "-B", "-+u", "-+n", "-+T", "-+r", "-+D", "-+z", "-+B", "-+d",
    "-+N", "-+V",
})  # fmt: skip
_OURS = {
    "-f": "the target says where the load is applied",
    "-F": "the target says where the load is applied",
    "-b": "the result is kept in the store, not in a spreadsheet",
    "-w": "iosonde removes what it made",
}
_REFUSED = {
    "-U": "it would unmount and mount a file system",
    "-X": "it would write to files of its own choice",
    "-Y": "it would write to files of its own choice",
    "-+m": "it would start programs on other hosts",
    "-+x": "it changes the sizes behind the study's back",
    "-N": "it prints times in which no speed can be read",
    "-Z": "it mixes mapped and written access, whose order is not defined",
}
_SIZE = re.compile(r"(\d+)([kKmMgG]?)")
_SCALE = {"": units.KIB, "k": units.KIB, "m": units.MIB, "g": units.GIB}
_AUTO_MOST = 512 * units.MIB


@dataclass(frozen=True, slots=True)
class IozoneArguments:
    """A command line as far as it is kept: (option, value) pairs, and notes on the rest."""

    options: tuple[tuple[str, str | None], ...]
    notes: tuple[str, ...]

    def all(self, option: str) -> list[str]:
        """The values of an option that may come several times."""
        return [value or "" for name, value in self.options if name == option]

    def has(self, option: str) -> bool:
        """Whether it is there."""
        return any(name == option for name, _ in self.options)

    def as_arguments(self) -> list[str]:
        """As arguments for iozone."""
        return [word for name, value in self.options for word in (name, value) if word is not None]

    @property
    def tests(self) -> tuple[int, ...]:
        """The numbers after -i."""
        return tuple(int(value) for value in self.all("-i"))

    @property
    def records(self) -> tuple[int, ...]:
        """Record sizes in bytes."""
        return tuple(_bytes(value) for value in self.all("-r"))

    @property
    def processes(self) -> int | None:
        """How many work at the same time; None in single-stream mode."""
        most = [int(value) for option in ("-t", "-u", "-l") for value in self.all(option)]
        return max(most, default=None)

    @property
    def size(self) -> int:
        """Bytes of each file."""
        sizes = [_bytes(value) for value in self.all("-s")]
        if sizes:
            return max(sizes)
        if self.has("-a") or self.has("-g"):
            return max([_bytes(value) for value in self.all("-g")], default=_AUTO_MOST)
        return units.KIB * 512


def read_arguments(text: str, *, where: str) -> IozoneArguments:
    """A pasted command line.

    Raises:
        UsageError: an option that iozone has not, or that must not be used here.
    """
    try:
        arguments = shlex.split(text)
    except ValueError as problem:
        raise UsageError(f"this is not a command: {problem}", where=where) from None
    while arguments and (
        arguments[0] in {"sudo", "time"} or arguments[0].rpartition("/")[2] == "iozone"
    ):
        del arguments[0]
    options: list[tuple[str, str | None]] = []
    notes: list[str] = []
    for name, value in _pairs(arguments, where):
        if name in _OURS:
            notes.append(f"{name} is left out: {_OURS[name]}")
        else:
            _check(name, value, where)
            options.append((name, value))
    return IozoneArguments(tuple(options), tuple(notes))


def of_spec(spec: Mapping[str, Json]) -> IozoneArguments:
    """The command line that a stored load was made of."""
    arguments, notes = spec.get("arguments"), spec.get("notes")
    listed = [str(word) for word in arguments] if isinstance(arguments, list) else []
    kept_notes = tuple(str(note) for note in notes) if isinstance(notes, list) else ()
    return IozoneArguments(tuple(_pairs(listed, "")), kept_notes)


def _pairs(arguments: Sequence[str], where: str) -> Iterator[tuple[str, str | None]]:
    """Options with their values; -F takes names up to the next option."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in _REFUSED:
            raise UsageError(f"iozone's {word} is not taken: {_REFUSED[word]}", where=where)
        if word == "-F":
            while rest and not rest[0].startswith("-"):
                del rest[0]
            yield word, None
        elif word in {"-f", "-b"} or word in _VALUES:
            if not rest:
                raise ToolRefuses(f"iozone's {word} needs a value", where=where)
            yield word, rest.pop(0)
        elif word in _FLAGS or word in _OURS:
            yield word, None
        elif word[:2] in _VALUES and len(word) > 2:
            yield word[:2], word[2:]
        elif re.fullmatch(r"-[A-Za-z]{2,}", word) and all(
            f"-{letter}" in _FLAGS for letter in word[1:]
        ):
            rest[:0] = [f"-{letter}" for letter in word[1:]]
        else:
            # getopt(3) complains of options alone: other words are passed over.
            refusal = ToolRefuses if word.startswith("-") and word not in _SHOWS else UsageError
            raise refusal(
                f"iozone has no option {word!r} that iosonde knows",
                where=where,
                hint="see iozone -h; the target is given by --target",
            )


def _check(name: str, value: str | None, where: str) -> None:
    if name in {"-r", "-s", "-g", "-n", "-q", "-y"} and not _SIZE.fullmatch(value or ""):
        raise UsageError(f"iozone's {name} {value} is not a size", where=where, hint="4k, 1m or 2g")
    whole = name in {"-t", "-l", "-u"}
    if whole and not re.fullmatch(r"[1-9]\d{0,3}", value or ""):
        raise UsageError(f"iozone's {name} {value} is not a number of processes", where=where)
    if name == "-i" and not re.fullmatch(r"\d{1,2}", value or ""):
        raise UsageError(f"iozone's -i {value} is not the number of a test", where=where,
                         hint="0 is write, 1 read, 2 random, 8 mixed")  # fmt: skip


def _bytes(text: str) -> int:
    match = _SIZE.fullmatch(text)
    return int(match[1]) * _SCALE[match[2].lower()] if match else 0
