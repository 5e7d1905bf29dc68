"""OCFS2: `mounted.ocfs2 -d` and `-f`, and what `mkfs.ocfs2` says that it makes.

Source: ocfs2-tools 1.8.8, mounted.ocfs2/mounted.c, ocfs2_print_full_detect() and
ocfs2_print_quick_detect() ("Device", "Stack", "Cluster", "F", "Nodes" or "UUID" and "Label"; F is G
for a global heartbeat); mkfs.ocfs2/mkfs.c, print_state() ("Block size: %u (%u bits)", "Cluster
size:", "Volume size: %lu (%u clusters) (%lu blocks)", "Journal size:", "Node slots:").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows

_HEAD = re.compile(r"\s*Device +Stack +Cluster +F +(?P<last>Nodes|UUID +Label)\s*$")
_ROW = re.compile(
    r"\s*(?P<device>/dev/\S{1,120}) +(?P<stack>o2cb|pcmk|cman|None)\s+"
    r"(?:(?P<cluster>\w{1,16})\s+)??(?P<flag>[G] +)?"
    r"(?:(?P<uuid>[0-9A-F]{32})(?: +(?P<label>\S.{0,63}?))?|(?P<nodes>Not mounted|Heartbeat device"
    r"|[\w.-]{1,64}(?:, [\w.-]{1,64}){0,254}))\s*$"
)
_MADE = re.compile(r"\s*mkfs\.ocfs2 (?P<version>\d{1,2}\.\d{1,2}\.\d{1,3})\s*$")
_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z ]{2,30}): (?P<value>\S.{0,300}?)\s*$")
_FIGURE = re.compile(r"(?P<figure>\d{1,19})(?: \(|$)")
_SIZES = {"Block size": "block_size", "Cluster size": "cluster_size", "Volume size": "size",
          "Journal size": "journal_size", "Node slots": "node_slots"}  # fmt: skip
_TEXTS = {"Label": "label", "Cluster stack": "stack", "Features": "features"}
_ASKED = re.compile(r"\s(?:/dev/)(?P<device>[\w/.-]{1,120})(?: \d{1,19})?$")
_STEP = re.compile(r"\s*(?:[A-Z][a-z][A-Za-z ]{2,60}: done|mkfs\.ocfs2 successful)\s*$")


class Ocfs2Mounted(StateOutput):
    tool = "mounted.ocfs2"
    anchors = ("Stack  Cluster",)
    commands = ("mounted.ocfs2",)
    reach = 3
    beginning = _HEAD
    nothing = "no device follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first + 1, _ROW.match)
        subjects = list[PrintedSubject]()
        for row in rows:
            values: dict[str, Scalar] = {"fstype": "ocfs2", "stack": row["stack"]}
            values |= {
                name: row[name] for name in ("cluster", "uuid", "label", "nodes") if row[name]
            }
            name = row["device"].removeprefix("/dev/")
            subjects.append(PrintedSubject("ocfs2", name, values, prompt.host))
        return last, subjects


class Ocfs2Made(StateOutput):
    tool = "mkfs.ocfs2"
    anchors = ("mkfs.ocfs2 ",)
    commands = ("mkfs.ocfs2", "mkfs")
    reach = 3
    beginning = _MADE
    nothing = "its sizes are cut off"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last = dict[str, Scalar](), first
        for index, line in close_lines(cursor, first + 1, 60):
            pair = _PAIR.match(line)
            if prompt_in(line) or not (pair or _STEP.match(line)):
                break
            last = index
            if pair is None:
                continue
            figure = _FIGURE.match(pair["value"])
            if pair["label"] in _SIZES and figure:
                values[_SIZES[pair["label"]]] = int(figure["figure"])
            elif pair["label"] in _TEXTS:
                values[_TEXTS[pair["label"]]] = pair["value"]
        asked = _ASKED.search(prompt.command)
        name = asked["device"] if asked else ""
        return last, [
            PrintedSubject("ocfs2", name, values, prompt.host)
        ] if "size" in values else []
