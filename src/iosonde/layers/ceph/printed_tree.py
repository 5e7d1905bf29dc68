r"""Rows of `ceph osd tree` without their head, as grep leaves them, and the tree before Ceph 0.80.

Source: Ceph 0.48 to 0.80, osd/OSDMap.cc (OSDMap::print_tree(): "# id\tweight\ttype
name\tup/down\treweight"); Ceph 10 to 18, osd/OSDMap.cc (OSDTreePlainDumper).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.ceph.tree import TreePlace, column_of
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_lines

_HEAD = re.compile(r"\s*(?:# ?)?id\s+weight\s+type name\s+up/down\s+reweight\s*$")
_BUCKET = re.compile(
    r"\s*-\d{1,7}\s+[\d.e+-]{1,12}\s+(?P<type>[A-Za-z][\w-]{1,40}) (?P<name>\S{1,100})\s*$"
)
_OSD = re.compile(
    r"\s*(?P<id>\d{1,7})\s+(?:(?P<class>[a-z][\w-]{1,30})\s+)?(?P<weight>\d[\d.]{0,11})\s+"
    r"osd\.(?P=id)\s+(?:(?P<status>up|down|destroyed)\s+(?P<reweight>\d[\d.]{0,11})"
    r"(?:\s+(?P<affinity>\d[\d.]{0,11}))?|(?P<missing>DNE))\s*$"
)
_MOST = 6000


class CephOsdRows(StateOutput):
    tool = "ceph osd tree"
    anchors = ("osd.",)
    commands = ("ceph",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _OSD.match(cursor.line(cursor.at)):
            return None
        first = cursor.at
        while _BUCKET.match(cursor.line(before(cursor, first))):
            first = before(cursor, first)
        above = before(cursor, first)
        return above if _HEAD.match(cursor.line(above)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        last, place = first, TreePlace()
        for index, line in close_lines(cursor, first, _MOST):
            osd, group = _OSD.match(line), _BUCKET.match(line)
            if osd:
                bucket = place.host_of(osd["weight"], column_of(line, f"osd.{osd['id']}"))
                values: dict[str, Scalar] = {"host": bucket} if bucket else {}
                for name, text in osd.groupdict().items():
                    if text and name not in {"id", "missing"}:
                        is_text = name in {"class", "status"}
                        values[name] = text if is_text else float(text)
                if osd["missing"]:
                    values["status"] = osd["missing"]
                subjects.append(PrintedSubject("osd", f"osd.{osd['id']}", values, prompt.host))
            elif group:
                name = group["name"] if group["type"] == "host" else ""
                place = TreePlace(name, column_of(line, f"{group['type']} "))
            elif not _HEAD.match(line):
                break
            last = index
        return last, subjects
