"""`btrfs scrub status` and `start -B`, by device and with raw counters; and the file it keeps.

Source: btrfs-progs 6.2, cmds/scrub.c (print_scrub_full(), print_scrub_summary(),
_print_scrub_ss(), print_scrub_dev(), scrub_write_file(): /var/lib/btrfs/scrub.status.UUID). Sizes
with an "i" are of 1024, those without of 1000, raw ones have no unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import UUID
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, compact, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_FS = re.compile(rf"\s*(?:UUID: {{1,20}}|scrub (?:done|aborted|canceled) for )(?P<uuid>{UUID})\s*$")
_ON = re.compile(
    r"\s*Scrub device (?P<device>\S{1,120}) \(id (?P<devid>\d{1,6})\)(?: [a-z]{3,12})?\s*$"
)
_BEGUN = re.compile(r"\s*Scrub (?P<what>started|resumed): +(?P<when>\S.{3,40}?)\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>Status|Duration|Time left|ETA|Total to scrub|Bytes scrubbed|Rate|Error summary"
    r"|Corrected|Uncorrectable|Unverified): {1,20}(?P<value>\S.{0,80}?)\s*$"
)
_COUNT = re.compile(
    r"\s*(?P<name>(?:data|tree)_(?:extents|bytes)_scrubbed|(?:read|csum|verify|super|malloc"
    r"|uncorrectable|unverified|corrected)_errors|no_csum|csum_discards|last_physical)"
    r": (?P<count>\d{1,19})(?:\s+(?:<|#|←).{0,100})?\s*$"
)
"""What `-R` counts, maybe with a remark behind it."""
_SILENT = re.compile(
    r"\s*(?:no stats available|\[?\(?\.\.\.\)?\]?"
    r"|\*\*\* WARNING: memory allocation failed while scrub|Starting scrub on devid \d)"
)
_TIME = re.compile(r"\d{1,7}:\d\d:\d\d$")
_SIZE = re.compile(r"\d{1,20}(?:\.\d{1,3})?(?: ?[kKMGTPE]i?B|B)?(?![\w.])")
_ERRORS = re.compile(r"(?P<name>read|super|verify|csum)=(?P<count>\d{1,19})")
_TIMES = {"Duration": "scrub_time", "Time left": "scrub_time_left"}
_SIZES = {"Total to scrub": "scrub_size", "Bytes scrubbed": "scrub_bytes", "Rate": "scrub_rate"}
_ENDS = {
    "Corrected": "scrub_corrected_errors", "Uncorrectable": "scrub_uncorrectable_errors",
    "Unverified": "scrub_unverified_errors",
}  # fmt: skip
_TEXTS = {"Status": "scrub_status", "ETA": "scrub_eta", "Error summary": "scrub_errors"}
_TARGET = re.compile(r"\bbtrfs\b.*\s(/\S*)\s*$")
_HEAD = re.compile(r"\s*scrub status:(?P<format>\d{1,3})\s*$")
_ENTRY = re.compile(
    rf"(?P<uuid>{UUID}):(?P<devid>\d{{1,9}})\|(?P<pairs>[a-z_:|\d]{{10,1200}}?finished:[01])"
)
_LINES = 400


class BtrfsScrub(StateOutput):
    tool = "btrfs scrub status"
    anchors = (
        "Scrub started:", "Scrub resumed:", "Scrub device ", "last_physical: ",
        "data_extents_scrubbed: ", "corrected_errors: ",
    )  # fmt: skip
    commands = ("btrfs",)
    reach = 3
    nothing = "its lines are cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in (_BEGUN, _ON, _COUNT)):
            return None
        return top_of(cursor, _is_own, most=30)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        parts: list[tuple[str, dict[str, Scalar]]] = [("", {})]
        last, uuid = first, dict[str, Scalar]()
        for index, line in close_lines(cursor, first, _LINES):
            if device := _ON.match(line):
                parts.append((device["device"], {"devid": int(device["devid"])}))
            elif (begun := _BEGUN.match(line)) and "scrub_status" in parts[-1][1]:
                parts.append(("", {f"scrub_{begun['what']}": begun["when"]}))
            elif file_system := _FS.match(line):
                uuid = {"uuid": file_system["uuid"]}
            elif _is_own(line) and not (index > first and prompt_in(line)):
                parts[-1][1].update(_said(line))
            else:
                break
            last = index
        target = _TARGET.search(prompt.command)
        name = target[1] if target else ""
        return last, [
            PrintedSubject(
                "btrfs", device.removeprefix("/dev/") or name, {**uuid, **values}, prompt.host
            )
            for device, values in parts
            if values.keys() - {"devid"}
        ]


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_FS, _ON, _BEGUN, _PAIR, _COUNT, _SILENT))


def _said(line: str) -> Iterator[tuple[str, Scalar]]:
    """What a line says of a scrub: bytes, seconds, counts."""
    if begun := _BEGUN.match(line):
        yield f"scrub_{begun['what']}", begun["when"]
    if count := _COUNT.match(line):
        yield f"scrub_{count['name']}", int(count["count"])
    pair = _PAIR.match(line)
    if pair is None:
        return
    label, value = pair["label"], pair["value"]
    if label in _TIMES and (time := _TIME.match(value)):
        yield _TIMES[label], units.clock_seconds(time[0])
    elif label in _SIZES and (size := _SIZE.match(value)):
        yield _SIZES[label], round(units.printed(size[0].replace(" ", ""))[0])
        if limit := re.search(r"\(limit ([^)]{1,30})/s\)", value):
            yield "scrub_rate_limit", round(units.printed(limit[1])[0])
        if share := re.search(r"\((\d{1,3}\.\d\d)%\)", value):
            yield "scrub_share", round(float(share[1]) / 100, 6)
    elif label in _ENDS and value.isdecimal():
        yield _ENDS[label], int(value)
    elif label in _TEXTS:
        yield _TEXTS[label], value
        yield from (
            (f"scrub_{match['name']}_errors", int(match["count"]))
            for match in _ERRORS.finditer(value)
            if label == "Error summary"
        )


class BtrfsScrubFile(StateOutput):
    """/var/lib/btrfs/scrub.status.UUID, a line per device."""

    tool = "btrfs scrub file"
    anchors = ("scrub status:", "|data_extents_scrubbed:")
    commands = ("cat", "head", "tail", "less", "more", "grep")
    reach = 3
    about = "scrub.status"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        if not re.match(rf"\s*{UUID}:\d{{1,9}}\|", line):
            return None
        above = cursor.line(cursor.at - 1)
        return cursor.at - 1 if _HEAD.match(above) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        for index, line in close_lines(cursor, first, _LINES):
            if not (_HEAD.match(line) or re.fullmatch(r"\s*[\da-z_:|-]{1,1300}\s*", line)):
                break
            last = index
        head = _HEAD.match(cursor.line(first))
        text = compact(cursor, first + 1 if head else first, last)
        entries = list(_ENTRY.finditer(text))
        if not entries or "|".join(entry[0] for entry in entries) != "|".join(
            filter(None, re.split(r"(?<=finished:[01])", text))
        ):
            raise Unreadable("a line of it is cut off", last)
        return last, [
            self.counted("btrfs", entry["uuid"], _entry(entry, head), prompt) for entry in entries
        ]


def _entry(entry: re.Match[str], head: re.Match[str] | None) -> dict[str, Json]:
    values: dict[str, Json] = {"devid": int(entry["devid"])}
    if head:
        values["format"] = int(head["format"])
    for part in entry["pairs"].split("|"):
        name, _, count = part.partition(":")
        if not count.isdecimal():
            raise Unreadable(f"{name} has no figure")
        values[name] = int(count)
    return values
