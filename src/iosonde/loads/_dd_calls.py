"""What a command line of dd asks for: the operands of its calls, and the load that they make.

Source: coreutils 9.1, src/dd.c, usage(); lib/xstrtol.c.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator, Mapping

from iosonde import units
from iosonde.errors import UsageError
from iosonde.records.stack import Scalar

_TAKES = re.compile(r"^\w+=")
_REDIRECTED = re.compile(r"(?<![\d&>])>{1,2}\s*(\S+)")
_APART = re.compile(r"[;\n|(){}]|&&")
_PASSING = re.compile(r"\|\s{0,4}(?:pv|cat|m?buffer)(?:\s[^|;&>]{0,80})?(?=>)")
_SOURCES = frozenset({"/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"})
_PREFIXES = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_THOUSANDS = re.compile(r"(?P<number>\d{1,15})(?P<prefix>[kKMGT])B")
"""Source: coreutils, lib/xstrtol.c: a `B` behind the prefix makes it a power of 1000."""


def split_calls(command: str) -> list[dict[str, str]]:
    """The operands of each call of dd in a command, with a redirection in place of `of`.

    A program between them that changes nothing is left out: `dd if=/dev/zero | pv > /dev/sdb`.
    """
    calls = []
    for part in _APART.split(_PASSING.sub(" ", command)):
        if not re.search(r"(?:^|[\s/\"'])dd(?:\s|$)", part):
            continue
        redirected = _REDIRECTED.search(part)
        try:
            operands = shlex.split(part)
        except ValueError:
            operands = part.split()
        call = {
            word.partition("=")[0]: word.partition("=")[2].rstrip("\"'")
            for word in operands
            if _TAKES.match(word)
        }
        if redirected and "of" not in call:
            call["of"] = redirected[1].strip("\"'")
        calls.append(call)
    return calls


def calls_of(command: str, count: int) -> list[Mapping[str, str]]:
    """The call that each of the results belongs to; empty where that is not known."""
    calls = split_calls(command)
    if calls and count % len(calls) == 0:
        return [calls[place % len(calls)] for place in range(count)]
    if calls and all(call == calls[0] for call in calls):
        return [calls[0]] * count
    return [{}] * count


def direction_of(call: Mapping[str, str]) -> str:
    """Whose speed it is: of what is read, of what is written, or of a copy."""
    if not call:
        return "copy"
    source, sink = call.get("if", ""), call.get("of", "")
    kernels = source in _SOURCES or not source
    if sink in {"", "/dev/null"} and source and not kernels:
        return "read"
    return "write" if kernels and sink not in {"", "/dev/null"} else "copy"


def block_size(operand: str) -> int:
    """Bytes of "128k", "1M" and "1MiB", which are powers of 1024, and of "128MB", which is of 1000.

    Raises:
        UsageError: it is no size.
    """
    size = _THOUSANDS.fullmatch(operand)
    if size is None:
        return units.parse_bytes(operand)
    return int(size["number"]) * _PREFIXES[size["prefix"].upper()]


def options_of(call: Mapping[str, str], direction: str) -> Iterator[tuple[str, Scalar]]:
    if direction != "copy":
        yield "rw", direction
    yield from (("iodepth", 1), ("numjobs", 1))
    with contextlib.suppress(UsageError):
        yield "bs", block_size(call.get("bs", "512" if call else ""))
    if call and direction != "copy":
        flags = call.get("iflag" if direction == "read" else "oflag", "").split(",")
        yield "direct", "direct" in flags
        yield "sync", bool({"sync", "dsync"} & set(flags))
    if call:
        ends = set(call.get("conv", "").split(","))
        yield "end_fsync", bool(ends & {"fsync", "fdatasync"})
