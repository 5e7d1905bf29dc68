"""What iscsiadm answers: targets of a discovery, logins and logouts, errors.

Source: open-iscsi 2.1, usr/idbm.c (idbm_print_node_flat(): "%s:%d,%d %s", IPv6 in brackets),
usr/session_mgmt.c (log_login_msg(): "Login to [iface: %s, target: %s, portal: %s,%d] successful.",
"Could not login to …", log_logout_msg(): "Logout of [sid: %d, target: %s, portal: %s,%d]
successful."), usr/iscsid_req.c (iscsi_err_print_msg(): "initiator reported error (%d - %s)"),
usr/iscsi_err.c, usr/iscsiadm.c (exec_iface_op(): "New interface %s added", "%s updated.", "%s
applied.", "%s unbound and deleted."), usr/discovery.c ("connect to %s timed out", "connection login
retries (reopen_max) %d exceeded"), usr/iscsi_util.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, start_of
from iosonde.text.torn import across_wraps, is_full

_TARGET = r"(?:iqn|eui|naa)\.[\w.:+-]{3,220}"
_PORTAL = r"(?:\[[\da-fA-F:.%]{2,60}\]|[\w.-]{1,80}):\d{1,5}"
_FLAT = re.compile(
    rf"\s*(?P<portal>{_PORTAL}),(?P<portal_group>-?\d{{1,6}}) (?P<target>{_TARGET})\s*$"
)
_WHERE = (
    r"\[(?:iface: (?P<interface>[\w.:-]{1,80})|sid: (?P<session>\d{1,9})), "
    rf"target: (?P<target>{_TARGET}), "
    r"portal: (?P<portal>[\w.:%\[\]-]{2,90}?),(?P<port>\d{1,6})\]"
)
_DIALOGUE = across_wraps(
    r"(?:iscsiadm: )?(?:(?P<begun>Logging (?:in to|out of session)|Rescanning session) "
    rf"{_WHERE.replace('?P<', '?P<b_')}(?: \(multiple\))?"
    rf"|(?P<what>Login to|Logout of) {_WHERE}:? successful\.?"
    rf"|Could not (?P<failed>login to|logout of) {_WHERE.replace('?P<', '?P<f_')}[.:]?)\s*$"
)
_REPORTED = across_wraps(
    r"(?:iscsiadm: )?initiator reported error \((?P<error_code>\d{1,4}) - (?P<error>[^()]{3,90})\)"
    r"\s*$"
)
_ERROR = across_wraps(
    r"iscsiadm: (?P<message>(?:(?:[Cc]ould|[Cc]an)(?:not| not) (?!log(?:in to|out of) \[)[a-z]"
    r"|[Nn]o (?:records|active|sessions?|portals?|node|matching) |cannot (?:make|create) "
    r"|connect to \S{2,80} |connection (?:login retries \(reopen_max\)|to \S{2,80}) "
    r"|default: \d{1,4} sessions? requested, but \d|discovery (?:login|session|process)"
    r"|recv's end state machine|socket \d{1,5} connect|[Ll]ogin (?:failed|authentication|process)"
    r"|(?:Invalid|invalid|Failed to|Error|error) )[^!]{3,200}[.!]?)\s*$"
)
_IFACE = re.compile(
    r"\s*(?:New interface (?P<new>[\w.:-]{1,80}) (?P<made>added)"
    r"|(?P<interface>[\w.:-]{1,80}) (?P<done>updated|applied|unbound and deleted)\.)\s*$"
)
"""What it says of an interface: words of many, so that its command must stand above."""
_COLUMN = 72
"""Where mails break their lines."""
_FORMS = (_FLAT, _DIALOGUE, _REPORTED, _ERROR)
_RETRIES = re.compile(r"retries \(reopen_max\) (\d{1,6}) exceeded")


class IscsiAnswers(StateOutput):
    tool = "iscsiadm answers"
    answers = True
    anchors = (
        "iscsiadm: ", "Logging in to [", "Logging out of session [", "Login to [iface",
        "Logout of [sid", ":3260,", ",1 iqn.", "initiator reported error (", "Rescanning session [",
        "New interface ", " updated.", " applied.", " unbound and deleted.",
    )  # fmt: skip
    commands = ("iscsiadm",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _IFACE.match(cursor.line(cursor.at)):
            above = command_before(cursor, cursor.at, self.commands, reach=self.reach)[1].command
            return cursor.at if " iface" in above else None
        if not _answer(cursor, cursor.at):
            return None
        return start_of(cursor, lambda line: not prompt_in(line) and _of_one_line(line), most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        if of_iface := _IFACE.match(cursor.line(first)):
            name = of_iface["new"] or of_iface["interface"]
            done = (of_iface["made"] or of_iface["done"]).rpartition(" ")[2]
            return first, [PrintedSubject("iscsi_iface", name, {"answer": done}, prompt.host)]
        last, messages = first, list[str]()
        nodes = dict[tuple[str, str], dict[str, Scalar]]()
        latest: dict[str, Scalar] | None = None
        for index, line in close_lines(cursor, first):
            if index <= last and index > first:
                continue
            answer = _answer(cursor, index)
            if answer is None or (index > first and prompt_in(line)):
                break
            match, last = answer
            said = {name: part for name, part in match.groupdict().items() if part}
            if "message" in said:
                messages.append(" ".join(said["message"].split()).rstrip("."))
            elif "error" in said:
                values: dict[str, Scalar] = {
                    "error_code": int(said["error_code"]), "error": said["error"],
                }  # fmt: skip
                if latest is None:
                    latest = nodes.setdefault(("", ""), {})
                latest |= values
            else:
                where, values = _node(said)
                latest = nodes.setdefault(where, {})
                latest |= values
        subjects = [
            PrintedSubject("iscsi" if target else "host", target, values, prompt.host)
            for (target, _), values in nodes.items()
        ]
        return last, [*subjects, *_errors(messages, prompt)]


def _of_one_line(line: str) -> re.Match[str] | None:
    return next(
        (match for form in _FORMS if (match := form.match(line.strip()))),
        None,
    )


def _answer(cursor: TextCursor, index: int) -> tuple[re.Match[str], int] | None:
    """The answer in a line, and in the next ones where a mail broke it; index of its last line."""
    line = cursor.line(index).strip()
    if match := _of_one_line(line):
        below = cursor.line(index + 1).strip()
        is_torn = "message" in match.groupdict() and is_full(len(line), below, _COLUMN)
        goes_on = is_torn and below[:1].islower() and not below.startswith("iscsiadm: ")
        longer = _ERROR.match(f"{line} {below}") if goes_on else None
        return (longer, index + 1) if longer else (match, index)
    if not line.startswith(("iscsiadm: ", "Log", "Rescanning", "initiator")) or prompt_in(line):
        return None
    for more in (1, 2):
        below = cursor.line(index + more).strip()
        if not below or len(line) < 30:
            return None
        line = f"{line} {below}"
        if match := _of_one_line(line):
            return match, index + more
    return None


def _node(said: dict[str, str]) -> tuple[tuple[str, str], dict[str, Scalar]]:
    """Target and portal of an answer, and what it says of them."""
    said = {name.removeprefix("b_").removeprefix("f_"): part for name, part in said.items()}
    portal = said["portal"]
    if "port" in said:
        portal = f"[{portal}]" if ":" in portal and not portal.startswith("[") else portal
        portal += f":{said['port']}"
    values: dict[str, Scalar] = {"iqn": said["target"], "portal": portal}
    if "portal_group" in said:
        values["portal_group"] = int(said["portal_group"])
    if "interface" in said:
        values["interface"] = said["interface"]
    if "session" in said:
        values["session"] = int(said["session"])
    done = said.get("what") or said.get("failed") or ""
    if done:
        values["login" if "ogin" in done else "logout"] = "what" in said
    return (said["target"], portal), values


def _errors(messages: list[str], prompt: Prompt) -> Iterator[PrintedSubject]:
    """What went wrong, which names no target."""
    if messages:
        values: dict[str, Scalar] = {"iscsiadm_error": "; ".join(dict.fromkeys(messages))}
        retries = next((m for text in messages if (m := _RETRIES.search(text))), None)
        if retries:
            values["login_retries"] = int(retries[1])
        yield PrintedSubject("host", "", values, prompt.host)
