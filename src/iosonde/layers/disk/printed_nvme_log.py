"""`nvme error-log`, `fw-log`, `self-test-log` and `get-feature`: what a controller notes and keeps.

Source: nvme-cli 2.11, nvme-print-stdout.c (stdout_error_log(): "NAME%*s: VALUE" between dotted
lines; stdout_fw_log(): "frs%d : 0x%016lx (%s)"), nvme.c (get_feature_id_print():
"get-feature:0x%02x (%s), Current value:0x%08x"); 1.x prints fewer digits. stdout_self_test_log():
"Self Test Result[%d]:"; hours are hexadecimal there.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_ERRORS = re.compile(
    r"\s*Error Log Entries for device: ?(?P<device>nvme\w{1,12}) entries:(?P<entries>\d{1,5})\s*$"
)
_ENTRY = re.compile(r"\s*Entry\[ {0,2}(?P<number>\d{1,4})\]\s*$")
_DOTS = re.compile(r"\s*\.{8,}\s*$")
_PAIR = re.compile(r"\s*(?P<name>[a-z][a-z_]{1,20})\s*: ?(?P<value>\S.{0,300})$")
_NUMBER = re.compile(r"(?P<number>0x[0-9a-fA-F]{1,16}|\d{1,20})(?: ?\((?P<text>.{1,280}?)\)?)?\s*$")
_FIRMWARE = re.compile(r"\s*Firmware Log for device: ?(?P<device>nvme\w{1,12})\s*$")
_SLOT = re.compile(
    r"\s*frs(?P<slot>[1-7])\s*: (?:0x[0-9a-fA-F]{1,16} ?)?\(?(?P<revision>[\w. -]{1,8}?)\)?\s*$"
)
_ACTIVE = re.compile(r"\s*afi\s*: (?P<afi>0x[0-9a-fA-F]{1,2})\s*$")
_FEATURE = re.compile(
    r"\s*get-feature:(?P<id>0x[0-9a-fA-F]{1,2}|\d{1,3}) \((?P<name>[^()]{3,80})\), "
    r"(?P<which>Current|Default|Saved|Supported capabilities) ?value: ?"
    r"(?P<value>0x[0-9a-fA-F]{1,16}|\d{1,20})"
    r"\s*$"
)
_TESTS = re.compile(r"\s*Device Self Test Log for NVME device: ?(?P<device>nvme\w{1,12})\s*$")
_TEST = re.compile(r"\s*Self Test Result\[(?P<number>\d{1,2})\]:\s*$")
_TESTED = re.compile(
    r"\s*(?P<name>Current operation|Current Completion|Operation Result|Self Test Code"
    r"|Segment Number|Valid Diagnostic Information|Power on hours \(POH\)|Namespace Identifier"
    r"|Failing LBA|Status Code Type|Status Code|Vendor Specific)\s*: ?"
    r"(?P<value>0x[0-9a-f]{1,16}|\d{1,20})%?(?: (?P<text>\S.{0,120}))?\s*$"
)
_UNUSED = 15
_DEVICE = re.compile(r"/dev/(nvme\d{1,4}(?:n\d{1,4})?)\b")
_MOST = 2000
_KEPT = 64


class NvmeErrorLog(StateOutput):
    tool = "nvme error-log"
    anchors = ("Error Log Entries for device",)
    commands = ("nvme",)
    reach = 3
    beginning = _ERRORS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        entries: list[dict[str, Json]] = []
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            if index > last + 2 or prompt_in(line):
                break
            pair = _PAIR.match(line)
            if entry := _ENTRY.match(line):
                entries.append({"entry": int(entry["number"])})
            elif pair and entries:
                entries[-1] |= _noted(pair["name"], pair["value"])
            elif line and not _DOTS.match(line):
                break
            last = index if line else last
        return last, [_errors(self, head, entries, prompt)]


class NvmeFirmwareLog(StateOutput):
    tool = "nvme fw-log"
    anchors = ("Firmware Log for device",)
    commands = ("nvme",)
    reach = 3
    nothing = "no slot follows"
    beginning = _FIRMWARE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        values: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first + 1, 12):
            if slot := _SLOT.match(line):
                values[f"firmware_slot_{slot['slot']}"] = slot["revision"].strip()
            elif active := _ACTIVE.match(line):
                values["active_slot"] = int(active["afi"], 16) & 7
            else:
                break
            last = index
        return last, [PrintedSubject("disk", head["device"], values, prompt.host)] if values else []


class NvmeSelfTestLog(StateOutput):
    tool = "nvme self-test-log"
    anchors = ("Device Self Test Log for NVME",)
    commands = ("nvme",)
    reach = 3
    nothing = "no result follows"
    beginning = _TESTS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        now: dict[str, Json] = {}
        tests: list[dict[str, Json]] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            field = _TESTED.match(line)
            if test := _TEST.match(line):
                tests.append({"entry": int(test["number"])})
            elif field:
                values = tests[-1] if tests else now
                name = re.sub(r"[^a-z]+", "_", field["name"].lower().replace(" (poh)", ""))
                values[name] = int(field["value"], 0)
                if field["text"]:
                    values[f"{name}_text"] = field["text"].strip()
            else:
                break
            last = index
        used: list[Json] = [
            {**test} for test in tests if test.get("operation_result") not in {_UNUSED, None}
        ]
        if not now and not tests:
            return last, []
        counted = {**now, "results_shown": len(tests), "results": used}
        return last, [self.counted("disk", head["device"], counted, prompt)]


class NvmeFeatures(StateOutput):
    tool = "nvme get-feature"
    anchors = ("get-feature:0x", "get-feature:")
    commands = ("nvme",)
    reach = 3
    beginning = _FEATURE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, 200):
            feature = _FEATURE.match(line)
            if feature:
                name = re.sub(r"[^a-z0-9]+", "_", feature["name"].lower()).strip("_")
                which = feature["which"].split(" ")[0].lower()
                key = name if which == "current" else f"{name}_{which}"
                if key in values:
                    break
                values[key] = int(feature["value"], 0)
            elif index > last + 1 or (line and not line[0].isspace()) or prompt_in(line):
                break
            last = index if line else last
        device = _DEVICE.search(prompt.command)
        return last, [PrintedSubject("disk", device[1] if device else "", values, prompt.host)]


def _noted(name: str, text: str) -> dict[str, Json]:
    """A field of an entry: its number, and what the tool says that it means."""
    number = _NUMBER.match(text)
    if number is None:
        return {name: text.strip()}
    values: dict[str, Json] = {name: int(number["number"], 0)}
    if number["text"]:
        values[f"{name}_text"] = number["text"].strip()
    return values


def _errors(
    output: StateOutput, head: re.Match[str], entries: list[dict[str, Json]], prompt: Prompt
) -> PrintedCounters:
    """The entries that are in use: an unused one counts no error."""
    used: list[Json] = [{**entry} for entry in entries if entry.get("error_count") not in {0, None}]
    counts = [count for entry in entries if isinstance(count := entry.get("error_count"), int)]
    values: dict[str, Json] = {"entries": int(head["entries"]), "entries_shown": len(entries)}
    values["entries_used"] = len(used)
    if counts:
        values["error_count"] = max(counts)
    if used:
        values["errors"] = used[:_KEPT]
    return output.counted("disk", head["device"], values, prompt)
