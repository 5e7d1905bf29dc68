"""`xfs_db` (a superblock, `freesp`), `xfs_spaceman freesp` and `xfs_logprint`: inside of an XFS.

Other structures that xfs_db prints are kept as names and texts, like those of any command.

Source: xfsprogs 6.1, db/sb.c (sb_flds[], "version"), db/freesp.c and spaceman/freesp.c
(printhist(), dumpsummary(); 6.4 adds "blkcdf" and "extcdf"; lengths are in blocks), logprint/
logprint.c (main(): "data device: 0x%llx", in sectors of 512 bytes), log_print_all.c ("log tail").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, close_pairs, top_of

_NAMES = frozenset({
    "magicnum", "blocksize", "dblocks", "rblocks", "rextents", "uuid", "logstart", "rootino",
    "rbmino", "rsumino", "rextsize", "agblocks", "agcount", "rbmblocks", "logblocks", "versionnum",
    "sectsize", "inodesize", "inopblock", "fname", "blocklog", "sectlog", "inodelog", "inopblog",
    "agblklog", "rextslog", "inprogress", "imax_pct", "icount", "ifree", "fdblocks", "frextents",
    "uquotino", "gquotino", "pquotino", "qflags", "flags", "shared_vn", "inoalignmt", "unit",
    "width", "dirblklog", "logsectlog", "logsectsize", "logsunit", "features2", "bad_features2",
    "features_compat", "features_ro_compat", "features_incompat", "features_log_incompat", "crc",
    "spino_align", "lsn", "meta_uuid", "metadirino", "rgcount", "rgextents", "rgblklog", "pad",
    "rtstart", "rtreserved", "fpack",
})  # fmt: skip
_FIELD = re.compile(
    r"\s*(?P<name>[a-z][a-z_0-9]{2,24}) = (?P<value>\d{1,20}|0x[0-9a-f]{1,16}"
    r"(?: \((?:correct|bad|unknown)\))?|\"[^\"]{0,60}\"|[0-9a-f-]{36}|null)\s*$"
)
_RENAMED = {"blocksize": "block_size", "dblocks": "blocks", "sectsize": "sector_size",
            "agcount": "allocation_groups"}  # fmt: skip
_FREE_HEAD = re.compile(r"\s*from\s+to\s+extents\s+blocks\s+pct(?P<sums>\s+blkcdf\s+extcdf)?\s*$")
_FREE_ROW = re.compile(
    r"\s*(?P<from>\d{1,10})\s+(?P<to>\d{1,10})\s+(?P<extents>\d{1,15})\s+(?P<blocks>\d{1,17})\s+"
    r"(?P<percent>\d{1,3}\.\d\d)(?:\s+\d{1,3}\.\d\d\s+\d{1,3}\.\d\d)?\s*$"
)
_FREE_SUM = re.compile(
    r"\s*(?:total free extents (?P<free_extents>\d{1,15})"
    r"|total free blocks (?P<free_blocks>\d{1,17})"
    r"|average free extent size (?P<average>\d{1,15}(?:\.\d{1,9})?(?:e\+\d\d)?|-?nan))\s*$"
)
_LOG_DEVICE = re.compile(
    r"\s*log device: 0x[0-9a-f]{1,16} daddr: (?P<start>\d{1,17}) length: (?P<length>\d{1,17})\s*$"
)
_LOG_STATE = re.compile(
    r"\s*log tail: (?P<tail>\d{1,17}) head: (?P<head>\d{1,17}) state: <(?P<state>[A-Z]{3,12})>\s*$"
)
_LOG_OWN = re.compile(r"\s*(?:xfs_logprint:|data device: 0x[0-9a-f]{1,16})\s*$")


class XfsSuperblock(StateOutput):
    tool = "xfs_db"
    anchors = ("magicnum = 0x58465342", "dblocks = ", "agblocks = ",
                                          "fdblocks = ", "ifree = ")  # fmt: skip
    commands = ("xfs_db",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _field(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _field)
        near = (cursor.line(cursor.at + distance) for distance in (1, 2))
        is_asked = bool(command_before(cursor, first, self.commands, reach=self.reach)[1].command)
        return first if first < cursor.at or is_asked or any(map(_field, near)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pairs, last = close_pairs(cursor, first, _field, 200)
        if "fname" in pairs:  # the label, filled up with zeros
            pairs["fname"] = pairs["fname"].replace("\\000", "").replace("null", "")
        values = {_RENAMED.get(name, name): value for name, value in as_labelled(pairs).items()}
        block = values.get("block_size")
        if isinstance(block, int):
            for name, size in (("fdblocks", "free"), ("blocks", "size"), ("logblocks", "log_size")):
                if isinstance(count := values.get(name), int):
                    values[size] = count * block
        return last, [PrintedSubject("xfs", _device(prompt), values, prompt.host)]


class XfsFreeSpace(StateOutput):
    tool = "xfs_db freesp"
    anchors = ("from      to extents", "extents  blocks    pct",
                                          "total free extents ", "total free blocks ",
                                          "average free extent size ")  # fmt: skip
    commands = ("xfs_db", "xfs_spaceman")
    reach = 4
    nothing = "no row follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _FREE_HEAD.match(line) and not _FREE_SUM.match(line):
            return None
        return top_of(cursor, lambda above: bool(_FREE_ROW.match(above) or _FREE_HEAD.match(above)))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, values, last = list[Json](), dict[str, Json](), first
        for index, line in close_lines(cursor, first, 400):
            row, total = _FREE_ROW.match(line), _FREE_SUM.match(line)
            if not row and not total and not (index == first and _FREE_HEAD.match(line)):
                break
            last = index
            if row and not values:
                rows.append({
                    **{name: int(row[name]) for name in ("from", "to", "extents", "blocks")},
                    "share": round(float(row["percent"]) / 100, 4),
                })  # fmt: skip
            elif total:
                values |= {name: int(total[name]) for name in ("free_extents", "free_blocks")
                           if total[name]}  # fmt: skip
                if total["average"] and "nan" not in total["average"]:
                    values["average_free_extent_blocks"] = float(total["average"])
        if rows:
            values["histogram"] = rows
        if not values:
            return last, []
        return last, [self.counted("xfs", _device(prompt), values, prompt)]


class XfsLog(StateOutput):
    """The head of `xfs_logprint`, and of `xfs_logprint -t`."""

    tool = "xfs_logprint"
    anchors = ("log device: 0x", "log tail: ")
    commands = ("xfs_logprint",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _LOG_DEVICE.match(line) and not _LOG_STATE.match(line):
            return None
        return top_of(
            cursor, lambda above: bool(_LOG_OWN.match(above) or _LOG_DEVICE.match(above)), most=6
        )

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last = dict[str, Scalar](), first
        for index, line in close_lines(cursor, first, 16, gap=3):
            device, state = _LOG_DEVICE.match(line), _LOG_STATE.match(line)
            if (not device and not state and not _LOG_OWN.match(line)) or prompt_in(line):
                break
            last = index
            if device:
                values |= {"log_start": int(device["start"]) * units.SECTOR,
                           "log_size": int(device["length"]) * units.SECTOR}  # fmt: skip
            if state:
                values |= {"log_tail": int(state["tail"]), "log_head": int(state["head"]),
                           "log_state": state["state"].lower()}  # fmt: skip
                break
        if not values:
            raise Unreadable("its fields are cut off", last)
        return last, [PrintedSubject("xfs", _device(prompt), values, prompt.host)]


def _field(line: str) -> tuple[str, str] | None:
    field = _FIELD.match(line)
    return (field["name"], field["value"].strip('"')) if field and field["name"] in _NAMES else None


def _device(prompt: Prompt) -> str:
    path = next((part for part in reversed(fields(prompt.command)) if part.startswith("/")), "")
    return path.removeprefix("/dev/")
