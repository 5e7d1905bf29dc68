"""`rbd info`: an image with its size, objects and features.

Source: Ceph 18, src/tools/rbd/action/Info.cc (do_show_info): a tab before each line; sizes by
byte_u_t since 13 ("10 GiB"), before that by prettybyte_t ("10240 MB"), both powers of 1024.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.layers.ceph.facts import SIZE
from iosonde.layers.ceph.facts import size as size_in
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, end_of

_HEAD = re.compile(r".{0,200}rbd image '(?P<name>[^'\n]{1,200})':\s*$")
_SIZE = re.compile(
    r"^\s*size (?P<figure>\d+(?:\.\d+)?) (?P<unit>B|bytes|[kKMGTPE]i?B) "
    r"in (?P<objects>\d+) objects",
    re.MULTILINE,
)
_ORDER = re.compile(r"^\s*order (?P<order>\d{1,2}) \(", re.MULTILINE)
_PAIR = re.compile(r"^\s*(?P<label>[a-z][a-z_ ]{1,28}): *(?P<value>\S.*)?$")
_AMOUNT = re.compile(SIZE)
_OWN = re.compile(r"\s*+(?:size \d|order \d|[a-z][a-z_ ]{1,28}:(?:\s|$))")


class RbdInfo(StateOutput):
    tool = "rbd info"
    anchors = ("rbd image '",)
    commands = ("rbd",)
    reach = 3
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        last = end_of(cursor, first, _OWN.match, gap=2, most=60)
        text = joined(cursor, first + 1, last)
        size, order = _SIZE.search(text), _ORDER.search(text)
        if size is None:
            raise Unreadable("the line with its size is missing", last)
        unit = size["unit"].replace("bytes", "B")
        values: dict[str, Scalar] = {
            "size": round(units.printed(f"{size['figure']}{unit}", binary=True)[0]),
            "objects": int(size["objects"]),
        }
        if order and int(order["order"]) < 40:
            values |= {"order": int(order["order"]), "object_size": 1 << int(order["order"])}
        pairs = {
            pair["label"]: pair["value"] or ""
            for line in text.split("\n")
            if (pair := _PAIR.match(line))
        }
        if _AMOUNT.fullmatch(pairs.get("overlap", "").strip()):
            values["overlap"] = size_in(pairs["overlap"].strip())
        return last, [PrintedSubject("rbd", head["name"], as_labelled(pairs) | values, prompt.host)]
