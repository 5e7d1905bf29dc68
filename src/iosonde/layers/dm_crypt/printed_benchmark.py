"""`cryptsetup benchmark`: how fast ciphers and key derivations run in memory, as counters.

Source: cryptsetup 2.6, src/cryptsetup.c (action_benchmark(): "%15s  %9zub  %10.1f MiB/s  %10.1f
MiB/s"; action_benchmark_kdf(): "PBKDF2-%-9s %7u iterations per second for %zu-bit key", "%-10s %4u
iterations, %5u memory, %1u parallel threads (CPUs) for %zu-bit key (requested %u ms time)"; memory
is in KiB); 1.6 and older print no length of the key.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, first_match, top_of_own
from iosonde.text.torn import joinings

_KEY = r"(?: for (?P<key>\d{2,4})-bit key)?"
_PBKDF2 = re.compile(
    rf"\s*PBKDF2-(?P<hash>\w{{2,16}})\s+(?:(?P<rate>\d{{1,9}}) iterations per second{_KEY}|N/A)\s*$"
)
_ARGON = re.compile(
    r"\s*(?P<kdf>argon2(?:id|i|d))\s+(?:(?P<iterations>\d{1,9}) iterations, (?P<memory>\d{1,10}) "
    rf"memory, (?P<threads>\d{{1,4}}) parallel threads \(CPUs\){_KEY}"
    r" \(requested (?P<time>\d{1,9}) ms time\)|N/A)\s*$"
)
_RATE = r"\d{1,9}\.\d MiB/s|N/A"
_CIPHER = re.compile(
    r"\s*(?P<cipher>[a-z][\w:()-]{2,60})\s+(?P<key>\d{2,4})b\s+"
    rf"(?P<encryption>{_RATE})\s+(?P<decryption>{_RATE})\s*$"
)
_COMMENT = re.compile(
    r"\s*(?:# ?)?(?:Tests are approximate using memory only \(no storage IO\)\."
    r"|Algorithm \|\s+Key \|\s+Encryption \|\s+Decryption"
    r"|Cipher speed test is not available\.)\s*$"
)
_BEGUN = re.compile(r"\s*argon2(?:id|i|d)\s+\d{1,9} iterations, \d")
_MOST = 200


class CryptsetupBenchmark(StateOutput):
    tool = "cryptsetup benchmark"
    anchors = (
        "# Tests are approximate", "Algorithm |", "PBKDF2-", " parallel threads (CPUs)",
        "128b  ", "256b  ", "512b  ",
    )  # fmt: skip
    commands = ("cryptsetup",)
    reach = 3
    nothing = "no figure follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _is_own, most=_MOST)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters, last, rest = list[PrintedCounters](), first, list[str]()
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            if prompt_in(line) and not _COMMENT.match(line):
                break
            whole = next((text for text in joinings([*rest, line]) if _row(text)), "")
            if row := _row(whole):
                rest, last = [], index
                counters += self._counters(row, prompt)
            elif rest and len(rest) < 2:
                rest.append(line)
            elif _BEGUN.match(line):
                rest = [line]
            elif _COMMENT.match(line):
                last = index
            else:
                break
        return last, counters

    def _counters(self, row: re.Match[str], prompt: Prompt) -> list[PrintedCounters]:
        """What a row says; nothing where it says that it is not available."""
        parts = {name: text for name, text in row.groupdict().items() if text and text != "N/A"}
        values: dict[str, Json] = {}
        for name in ("encryption", "decryption"):
            if name in parts:
                values[name] = float(parts[name].partition(" ")[0]) * units.MIB
        for name, given, unit in (("iterations_per_second", "rate", 1), ("threads", "threads", 1),
                                  ("iterations", "iterations", 1),
                                  ("memory", "memory", units.KIB)):  # fmt: skip
            if given in parts:
                values[name] = int(parts[given]) * unit
        if "time" in parts:
            values["requested_seconds"] = int(parts["time"]) / 1000
        if not values:
            return []
        if "key" in parts:
            values["key_bits"] = int(parts["key"])
        if "cipher" in parts:
            return [self.counted("cipher", f"{parts['cipher']} {parts['key']}b", values, prompt)]
        name = f"PBKDF2-{parts['hash']}" if "hash" in parts else parts["kdf"]
        return [self.counted("key_derivation", name, values, prompt)]


def _row(line: str) -> re.Match[str] | None:
    forms = (_PBKDF2, _ARGON, _CIPHER)
    return first_match(forms, line)


def _is_own(line: str) -> bool:
    return bool(_row(line) or _COMMENT.match(line) or _BEGUN.match(line))
