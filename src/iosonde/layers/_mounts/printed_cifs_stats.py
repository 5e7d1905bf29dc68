"""/proc/fs/cifs/Stats: what went over each share that is mounted by CIFS, and failed.

Source: Linux 6.1 fs/cifs/cifs_debug.c, cifs_stats_proc_show(); fs/cifs/smb2ops.c,
smb2_print_stats() ("%d total %d failed", before 5.0 and for oplock breaks "%d sent %d failed");
fs/cifs/smb1ops.c, cifs_print_stats() (several counters in a line).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of_own

_NUMBER = r"(\d{1,20})"
_WHOLE = tuple(
    (re.compile(rf"\s*{pattern}\s*$"), names)
    for pattern, names in (
        (rf"CIFS Session: {_NUMBER}", ("sessions",)),
        (rf"Share \(unique mount targets\): {_NUMBER}", ("shares",)),
        (rf"SMB Request/Response Buffer: {_NUMBER} Pool size: {_NUMBER}",
         ("buffers", "buffer_pool")),
        (rf"SMB Small Req/Resp Buffer: {_NUMBER} Pool size: {_NUMBER}",
         ("small_buffers", "small_buffer_pool")),
        (rf"Total Large {_NUMBER} Small {_NUMBER} Allocations",
         ("large_allocations", "small_allocations")),
        (rf"Operations \(MIDs\): {_NUMBER}", ("operations_in_flight",)),
        (rf"{_NUMBER} session {_NUMBER} share reconnects",
         ("session_reconnects", "share_reconnects")),
        (rf"Total vfs operations: {_NUMBER} maximum at one time: {_NUMBER}",
         ("vfs_operations", "vfs_operations_at_once")),
    )
)  # fmt: skip
_TITLE = re.compile(r"\s*Resources in use\s*$")
_IN_FLIGHT = re.compile(r"\s*Max requests in flight: \d{1,10}\s*$")
_SHARE = re.compile(r"\s*\d{1,5}\) (?P<share>\\\\\S.{1,255}?)(?P<gone>\s+DISCONNECTED)?\s*$")
_OF_SHARE = (
    (re.compile(rf"\s*Bytes read: {_NUMBER}\s+Bytes written: {_NUMBER}\s*$"),
     ("bytes_read", "bytes_written")),
    (re.compile(rf"\s*Open files: {_NUMBER} total \(local\), {_NUMBER} open on server\s*$"),
     ("open_files", "open_files_on_server")),
    (re.compile(rf"\s*SMBs: {_NUMBER}(?: since \S.{{1,60}}?)?\s*$"), ("smbs",)),
    (re.compile(rf"\s*Reads:\s+{_NUMBER} Bytes: {_NUMBER}\s*$"), ("reads", "bytes_read")),
    (re.compile(rf"\s*Writes:\s+{_NUMBER} Bytes: {_NUMBER}\s*$"), ("writes", "bytes_written")),
)  # fmt: skip
_CALLS = re.compile(rf"\s*(?P<name>[A-Z]\w{{3,30}}): {_NUMBER} (?:total|sent) {_NUMBER} failed\s*$")
_OLD = re.compile(r"\s*(?:[A-Z][A-Za-z\d]{2,12}(?: [A-Za-z]{5,7})?:?\s{1,3}\d{1,20}\s{0,3}){1,5}$")
_PAIR = re.compile(rf"([A-Z][A-Za-z\d]{{2,12}}(?: [A-Za-z]{{5,7}})?):?\s{{1,3}}{_NUMBER}")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class CifsStats(StateOutput):
    tool = "cifs Stats"
    anchors = (
        "Share (unique mount targets)", " Pool size: ", " share reconnects",
        "TreeConnects: ", "QueryDirectories: ", "OplockBreaks: ", " open on server",
    )  # fmt: skip
    commands = ("cat", "grep", "tail", "head", "less")
    nothing = "it names no share and counts nothing"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        of_all: dict[str, Json] = {}
        shares: list[tuple[str, dict[str, Json]]] = []
        last = first
        for index, line in close_lines(cursor, first, gap=3):
            if share := _SHARE.match(line):
                shares.append((share["share"], {"disconnected": True} if share["gone"] else {}))
            elif not _is_own(line):
                break
            elif values := dict(_figures(line)):
                is_of_all = not shares or any(form.match(line) for form, _ in _WHOLE)
                (of_all if is_of_all else shares[-1][1]).update(values)
            last = index
        named = [("", of_all), *shares]
        return last, list(self._counters(named, prompt))

    def _counters(
        self, named: list[tuple[str, dict[str, Json]]], prompt: Prompt
    ) -> Iterator[PrintedCounters]:
        for name, values in named:
            if values:
                yield self.counted("filesystem" if name else "host", name, values, prompt)


def _is_own(line: str) -> bool:
    forms = (form for form, _ in (*_WHOLE, *_OF_SHARE))
    others = (_TITLE, _IN_FLIGHT, _SHARE, _CALLS)
    return any(form.match(line) for form in (*forms, *others)) or bool(_OLD.match(line))


def _figures(line: str) -> Iterator[tuple[str, int]]:
    """The counters of a line, by names of our own or the kernel's."""
    for form, names in (*_WHOLE, *_OF_SHARE):
        if match := form.match(line):
            yield from zip(names, map(int, match.groups()), strict=True)
            return
    if calls := _CALLS.match(line):
        name = _CAPITAL.sub("_", calls["name"]).lower()
        yield name, int(calls[2])
        yield f"{name}_failed", int(calls[3])
    elif _OLD.match(line):
        for name, figure in _PAIR.findall(line):
            yield _CAPITAL.sub("_", name).replace(" ", "_").lower(), int(figure)
