"""What drbdadm answers: where its metadata went and what fits before them, states, refusals.

Source: drbd-utils 9.22, user/shared/drbdmeta.c (check_for_existing_data(): "md_offset %llu",
"al_offset", "bm_offset", "%12llu kB data area apparently used", "%12llu kB left usable by current
configuration"), user/v9/drbdsetup.c and 8.4 (print_config_error(): "%s: State change failed: (%d)
%s", "%s: Failure: (%d) %s", role_cmd(), cstate_cmd(), dstate_cmd()), user/v9/drbdadm_main.c
("Command '%s' terminated with exit code %d").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, end_of, top_of

_OFFSET = re.compile(r"\s*(?P<name>md_offset|al_offset|bm_offset) (?P<bytes>\d{1,19})\s*$")
_CONTENT = re.compile(
    r"\s*Found (?P<content>[\w -]{2,60}?(?: filesystem| signature| data)|some data)\s*$"
)
_KB = re.compile(
    r"\s*(?P<kb>\d{1,16}) kB (?:data area apparently (?P<used>used)"
    r"|left usable by current configuration)\s*$"
)
_REFUSED = re.compile(
    r"\s*(?P<resource>[\w.:-]{1,80}?): (?:State change failed|Failure): "
    r"\((?P<code>-?\d{1,4})\) ?(?P<error>\S.{2,200}?)\s*$"
)
_EXIT = re.compile(
    r"\s*(?:Command '(?P<command>(?:\S{0,60}/)?drbd(?:setup|meta|adm)(?:-\d\d)?(?: [^']{1,300})?)' "
    r"terminated with exit code|drbdadm [\w -]{2,60} (?P<of>[\w.-]{1,80}): exited with "
    r"code) (?P<exit>\d{1,3})\s*$"
)
_CREATED = re.compile(r"\s*New drbd meta ?data block (?:successfully|sucessfully) created\.\s*$")
_SPLIT = re.compile(
    r"\s*(?:Writing meta data\.{3}|initiali[sz]ing activity log|NOT initiali[sz](?:ing|ed) bitmap"
    r"|initiali[sz]ing bitmap \(\d{1,12} KB\) to all (?:zero|one)|success"
    r"|Device size would be truncated, which|would corrupt data and result in"
    r"|'access beyond end of device' errors\.|You need to either"
    r"|\* (?:use external meta data|shrink that filesystem|zero out the device).{0,40}"
    r"|Operation refused\.|Even though it looks like this would place.{0,40}"
    r"|unused space, you still need to confirm.{0,40}|Do you want to proceed\?"
    r"|==> This might destroy existing data! <==|\[need to type 'yes' to confirm\](?: \w{1,3})?"
    r"|additional info from kernel:)\s*$"
)
_BITMAP = re.compile(r"\s*initiali[sz]ing bitmap \((?P<bitmap>\d{1,12}) KB\)")
_INFO = re.compile(r"\s*additional info from kernel:\s*$")
_STATE = re.compile(r"\s*(?:[A-Z][A-Za-z]{3,20}/[A-Z][A-Za-z]{3,20}|[A-Z][A-Za-z]{5,20})\s*$")
_ASKED = re.compile(r"(?:drbdadm|drbdsetup)(?: -[\w-]{1,20}){0,4} (?P<what>[cd]?state|role)\b")
_FORM = re.compile(r"<[\w -]{1,30}>")
_NAMES = {"role": "role", "state": "role", "dstate": "disk_state", "cstate": "connection"}
_DEVICE = re.compile(r"/dev/([\w./:+-]{2,100})")


class DrbdAnswers(StateOutput):
    tool = "drbdadm answers"
    answers = True
    anchors = (
        "md_offset ", "al_offset ", "bm_offset ", "data area apparently", "left usable by current",
        ": State change failed: (", ": Failure: (", "Command 'drbd", "New drbd meta",
    )  # fmt: skip
    commands = ("drbdadm", "drbdsetup", "drbdmeta")
    reach = 14
    nothing = "neither a figure nor an error is left of it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _says(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda line: not prompt_in(line) and _is_own(line), most=20)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        answers, last = [_Answer()], first
        for index, line in close_lines(cursor, first, 600, gap=2):
            if index > first and prompt_in(line):
                break
            if _INFO.match(cursor.line(index - 1)) and not _says(line):
                answers[-1].values["kernel_info"] = line.strip()
            elif not _is_own(line):
                break
            last = index
            if answers[-1].is_over(line):
                answers.append(_Answer())
            answers[-1].take(line)
        asked = _resource(prompt.command) if len(answers) == 1 else ""
        return last, [
            PrintedSubject("drbd", answer.name(asked), answer.values, prompt.host)
            for answer in answers
            if answer.values
        ]


@dataclass(slots=True)
class _Answer:
    """What was answered about one resource."""

    values: dict[str, Scalar] = field(default_factory=dict)
    resource: str = ""
    device: str = ""

    def is_over(self, line: str) -> bool:
        """Whether a line is of the next resource: it is another's, or says anew what was said."""
        refused = _REFUSED.match(line)
        if refused:
            return bool(self.values) and refused["resource"] != self.resource
        return "md_offset" in self.values and line.strip().startswith("md_offset ")

    def take(self, line: str) -> None:
        self.values |= _figures(line)
        if refused := _REFUSED.match(line):
            self.resource = refused["resource"]
            before = self.values.get("error")
            is_new = before is None or refused["error"] not in str(before)
            if is_new:
                self.values["error"] = (
                    f"{before}; {refused['error']}" if before else refused["error"]
                )
            self.values.setdefault("error_code", int(refused["code"]))
        elif ended := _EXIT.match(line):
            device = _DEVICE.search(ended["command"] or "")
            self.device = self.device or (device[1] if device else "")
            self.resource = self.resource or ended["of"] or ""

    def name(self, asked: str) -> str:
        name = self.resource or asked or self.device
        return f"drbd{name}" if name.isdecimal() else name


class DrbdStates(StateOutput):
    tool = "drbdadm states"
    anchors = (
        "UpToDate/", "/UpToDate", "/Secondary", "/Primary", "Primary/Unknown", "/DUnknown",
        "Inconsistent/", "WFConnection", "StandAlone", "SyncSource", "SyncTarget", "Connected",
    )  # fmt: skip
    commands = ("drbdadm", "drbdsetup")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _STATE.match(cursor.line(cursor.at)):
            return None
        command = command_before(cursor, cursor.at, self.commands, reach=self.reach)[1].command
        return cursor.at if _ASKED.search(command) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        asked = _ASKED.search(prompt.command)
        if asked is None:
            raise Unreadable("its command is cut off")
        if _FORM.search(prompt.command):
            raise Unreadable("its command is a form, with a place for the resource's name")
        last = end_of(cursor, first, _STATE.match, gap=1, most=60)
        states = [line.strip() for _, line in lines(cursor, first, last - first + 1)]
        named = _resource(prompt.command) if len(states) == 1 else ""
        name = _NAMES[asked["what"]]
        both = states[0].partition("/")
        values: dict[str, Scalar] = {name: ", ".join(states)}
        if len(states) == 1 and both[1] and name != "connection":
            values = {name: both[0], f"peer_{name}": both[2]}
        return last, [PrintedSubject("drbd", named, values, prompt.host)]


def _figures(line: str) -> dict[str, Scalar]:
    """What a line of a new area of metadata says; sizes in bytes."""
    if offset := _OFFSET.match(line):
        return {offset["name"]: int(offset["bytes"])}
    if content := _CONTENT.match(line):
        return {"found_content": content["content"]}
    if room := _KB.match(line):
        return {"used" if room["used"] else "usable": int(room["kb"]) * units.KIB}
    if bitmap := _BITMAP.match(line):
        return {"bitmap_size": int(bitmap["bitmap"]) * units.KIB}
    if ended := _EXIT.match(line):
        return {"exit_code": int(ended["exit"])}
    return {"created": True} if _CREATED.match(line) else {}


def _says(line: str) -> bool:
    return any(form.match(line) for form in (_OFFSET, _KB, _REFUSED, _EXIT, _CREATED))


def _is_own(line: str) -> bool:
    return _says(line) or bool(_CONTENT.match(line) or _SPLIT.match(line))


def _resource(command: str) -> str:
    """The resource that a command of drbdadm names last."""
    last = command.rpartition(" ")[2] if "drbdadm " in command else ""
    is_name = re.fullmatch(r"[A-Za-z][\w.-]{0,79}(?:/\d{1,5})?", last)
    return last if is_name and last != "all" else ""
