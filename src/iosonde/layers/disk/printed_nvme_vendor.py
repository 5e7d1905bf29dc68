"""Makers' own logs of NVMe drives: `nvme intel|solidigm smart-log-add` and OCP's extended log.

Source: nvme-cli 2.16, plugins/intel/intel-nvme.c and plugins/solidigm/solidigm-smart.c ("%#x %-45s
%3d %PRIu64", more blanks between), 1.x: "program_fail_count : 100%  0";
plugins/ocp/ocp-print-stdout.c, stdout_smart_extended_log(): "  LABEL<tabs>NUMBER", of 128 bits the
high number first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers.disk.facts_nvme_vendor import facts_of_vendor
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.json_tree import key_name
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(
    r"\s*Additional Smart Log for NV(?:ME|Me) device:\s?(?P<device>nvme\w{1,12})\s+"
    r"namespace-id:(?P<space>[0-9a-f]{1,8})"
)
_COLUMNS = re.compile(r"\s*(?:ID {2,}KEY {2,}Normalized {2,}Raw|key {2,}normalized raw)\s*$")
_ROW = re.compile(
    r"\s*(?P<id>0x[0-9a-f]{1,2}) {2,6}(?P<key>[a-z][\w-]{2,60}) {2,50}(?P<normalized>\d{1,3})"
    r" {4,14}(?P<raw>\S.{0,120}?)\s*$"
)
_OLD_ROW = re.compile(
    r"\s*(?P<key>[a-z][\w -]{2,45}?)\s*: {0,3}(?P<normalized>\d{1,3})% {1,14}"
    r"(?P<raw>\S.{0,80}?)\s*$"
)
_PART = re.compile(r"(?P<name>[a-z]\w{1,12}): ?(?P<value>\d{1,20})(?!\d)")
_SHARE = re.compile(r"(?P<share>\d{1,5}(?:\.\d{1,3})?)%")
_CLOUD = re.compile(r"\s*SMART Cloud Attributes ?:-\s*$")
_CLOUD_ROW = re.compile(
    r"\s*(?P<label>[A-Z][\w /.-]{3,60}?)(?: -)?(?:\t| {2})[\t ]{0,60}"
    r"(?P<high>\d{1,20} )?(?P<value>0x[0-9a-f]{1,40}|\d{1,39}|[\w.-]{1,60})\s*$"
)
_MOST = 80


class NvmeVendorLog(StateOutput):
    tool = "nvme smart-log-add"
    anchors = ("Additional Smart Log for NV",)
    commands = ("nvme",)
    reach = 3
    nothing = "no figure follows"
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        values: dict[str, Json] = {}
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            row = _ROW.match(line) or _OLD_ROW.match(line)
            if row:
                values |= _of_row(row)
            elif (line and not _COLUMNS.match(line)) or index > last + 2:
                break
            last = index if line else last
        return last, [self.counted("disk", head["device"], values, prompt)] if values else []


def _of_row(row: re.Match[str]) -> dict[str, Json]:
    """A figure as the tool prints it: the normalized one as a fraction, raw ones by their parts."""
    name, raw = key_name(row["key"]), row["raw"]
    values: dict[str, Json] = {f"{name}_normalized": int(row["normalized"]) / 100}
    parts = {part["name"]: int(part["value"]) for part in _PART.finditer(raw)}
    if raw.isdecimal():
        values[name] = int(raw) if len(raw) < 19 else raw
    elif parts:
        values |= {f"{name}_{part}": figure for part, figure in parts.items()}
        if share := _SHARE.match(raw):
            values[f"{name}_share"] = round(float(share["share"]) / 100, 6)
    elif share := _SHARE.fullmatch(raw):
        values[name] = round(float(share["share"]) / 100, 6)
    else:
        values[name] = raw
    return values


class NvmeCloudLog(StateOutput):
    tool = "nvme ocp smart-add-log"
    anchors = ("SMART Cloud Attributes",)
    commands = ("nvme",)
    reach = 3
    nothing = "no figure follows"
    beginning = _CLOUD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: dict[str, Scalar | dict[str, Scalar]] = {}
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            if row := _CLOUD_ROW.match(line):
                value = _figure(row["value"])
                high = row["high"]
                rows.setdefault(
                    row["label"].strip(), value if high is None else {"hi": int(high), "lo": value}
                )
            else:
                break
            last = index
        return last, [*self._said(rows, prompt)]

    def _said(
        self, rows: dict[str, Scalar | dict[str, Scalar]], prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        """Figures by the tool's labels, and those of health by our names."""
        counts: dict[str, Json] = {}
        for label, value in rows.items():
            if isinstance(value, dict):
                counts[key_name(label)] = value["lo"] if value["hi"] == 0 else {**value}
            else:
                counts[key_name(label)] = value
        if counts:
            yield self.counted("disk", prompt.path, counts, prompt)
        if facts := facts_of_vendor(rows):
            yield PrintedSubject("disk", prompt.path, facts, prompt.host)


def _figure(text: str) -> Scalar:
    return int(text) if text.isdecimal() and len(text) < 19 else text
