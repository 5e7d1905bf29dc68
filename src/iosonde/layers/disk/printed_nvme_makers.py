"""Logs of single makers of NVMe drives: `nvme wdc vs-smart-add-log`, `nvme micron vs-nand-stats`.

Names are the tool's, in lower case; what it prints with a per cent sign is a fraction and has
`share` for the word. Of 128 bits in two numbers the high one stands first.

Source: nvme-cli 2.16, plugins/wdc/wdc-nvme.c (wdc_print_log_normal(), wdc_print_fb_ca_log_normal(),
wdc_print_d0_log_normal(), wdc_print_eol_c0_normal(), wdc_print_ext_smart_cloud_log_normal(),
wdc_show_cloud_smart_log_normal()); plugins/micron/micron-nvme.c (generic_structure_parser(),
print_hyperscale_nand_stats(), print_smart_cloud_health_log(): "%-40s : %s", hexadecimal). Units:
OCP Datacenter NVMe SSD Specification 2.5, 4.8.4 (physical media units in bytes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.json_tree import key_name
from iosonde.text.labels import is_apart
from iosonde.text.reader import PartlyReadItems, StateOutput, UnreadPart

_HEAD = re.compile(
    r"\s*(?:(?:C[1A] Log Page Performance|D0 Smart Log Page|NAND) Statistics :-"
    r"|End of Life Log Page 0xC0 :-|SMART Cloud Attributes :-"
    r"|SMART Cloud Attributes for NVMe device\s{1,12}: (?P<device>nvme\w{1,12})"
    r"|(?:SMART Extended|Micron Workload|Vendor Telemetry) Log:0x[0-9A-F]{2})\s*$"
)
_BARE = re.compile(r"\s*Physical Media Units Written(?: - TLC)? {1,20}: 0x[0-9a-f]{1,32}\s*$")
_VALUE = (
    r"(?P<value>0x[0-9a-fA-F]{1,40}|\d{1,3}(?:,\d{3}){1,12}|\d{1,39}(?:\.\d{1,12})?"
    r"|\d{1,5}(?:\.\d{1,5}){2,3})(?P<unit> ?%| ms| min)?"
)
_PAIRED = re.compile(
    rf"\s*(?P<label>[A-Z%#][^:\n]{{1,110}}?)\s{{0,40}}:\s{{1,6}}"
    rf"(?:{_VALUE}|(?P<text>[A-Z][\w .-]{{0,40}}))\s*$"
)
_APART = re.compile(
    r"\s*(?P<label>[A-Z%](?:[\w%()/.-]| (?=[\w(%#])){1,80}?)(?:\t|\s{2})\s{0,60}"
    rf"(?:(?P<high>\d{{1,20}})\s{{1,40}})?{_VALUE}\s*$"
)
_KIND = re.compile(r"\s*\((?:Int|Bytes|Hex)\)")
_PERCENT = re.compile(r"(?:^|_)(?:percent(?:age)?|life)(?=_|$)")
_LARGEST = 2**63 - 1
_MEDIA = {
    "physical_media_units_written": "media_written", "physical_media_units_read": "media_read",
    "uncorrectable_read_error_count": "media_errors", "uncorrectable_read_count": "media_errors",
}  # fmt: skip
_MOST = 90


class NvmeMakersLog(StateOutput):
    tool = "nvme vendor log"
    anchors = (
        "Log Page Performance Statistics :-", "D0 Smart Log Page Statistics :-",
        "End of Life Log Page 0xC0", "NAND Statistics :-", "SMART Cloud Attributes",
        "SMART Extended Log:0x", "Micron Workload Log:0x", "Vendor Telemetry Log:0x",
        "Physical Media Units Written",
    )  # fmt: skip
    commands = ("nvme",)
    reach = 3
    nothing = "no figure follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _HEAD.match(line):
            return cursor.at if _BARE.match(line) else None
        following = cursor.line(cursor.at + 1) or cursor.line(cursor.at + 2) or ""
        return cursor.at if _row(following) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        head = _HEAD.match(cursor.line(first))
        values: dict[str, Json] = {}
        begin, last, above = first + (head is not None), first, list[str]()
        broken: list[UnreadPart] = []
        for index, line in lines(cursor, begin, _MOST):
            row = _row(line)
            torn = row and _TORN.match(cursor.line(index + 1))
            if (
                prompt_in(line)
                or _HEAD.match(line)
                or index > last + 3
                or (line and is_apart(line, above))
                or not (
                    row or not line or (broken and _TORN.match(line)) or _follows(cursor, index)
                )
            ):
                break
            if row and not torn:
                values |= _said(row)
            elif line and not (broken and _TORN.match(line)):
                broken.append((index, index, "its row is broken"))
            above.append(line)
            last = index if line else last
        name = (head["device"] if head else "") or prompt.path
        return last, [*self._of(values, name, prompt), *broken]

    def _of(
        self, values: dict[str, Json], name: str, prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        """All figures by the tool's names, and those of health by our names."""
        if values:
            yield self.counted("disk", name, values, prompt)
        facts: dict[str, Scalar] = {
            fact: value for key, fact in _MEDIA.items() if isinstance(value := values.get(key), int)
        }
        if facts:
            yield PrintedSubject("disk", name, facts, prompt.host)


def _follows(cursor: TextCursor, index: int) -> bool:
    """Whether rows go on below a line."""
    return _row(cursor.line(index + 1)) is not None


_TORN = re.compile(r"\s*+[\d,.%][\d,.%]{0,40}+\s*$")
"""What a wrap leaves of a row: its last figure, or the end of that."""


def _row(line: str) -> re.Match[str] | None:
    return _PAIRED.match(line) or _APART.match(line)


def _said(row: re.Match[str]) -> dict[str, Json]:
    """The figure of a row by its name."""
    parts = row.groupdict()
    name = key_name(_KIND.sub("", parts["label"]).replace("#", "number").replace("%", "percent"))
    text = parts.get("text")
    if text:
        return {name: text.strip()}
    unit = (parts["unit"] or "").strip()
    figure = _figure(parts["value"])
    if unit == "%" and isinstance(figure, int | float):
        return {f"{_PERCENT.sub('', name).strip('_')}_share": round(figure / 100, 6)}
    if unit and isinstance(figure, int | float):
        return {name: round(figure * (1e-3 if unit == "ms" else 60), 6)}
    if (high := parts.get("high")) and int(high):
        return {name: {"hi": int(high), "lo": figure}}
    return {name: figure}


def _figure(text: str) -> int | float | str:
    """A number; what is too large for 64 bits, a version or an identifier stays as it stands."""
    plain = text.replace(",", "")
    if plain.startswith("0x"):
        number = int(plain, 16)
    elif plain.isdecimal():
        number = int(plain)
    else:
        return float(plain) if plain.count(".") == 1 else plain
    return number if number <= _LARGEST else text
