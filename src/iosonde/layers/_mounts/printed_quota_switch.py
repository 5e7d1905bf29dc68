"""`quotaon` and `quotaoff` with -v or -p: for whom quotas are on; what `quotacheck -v` went over.

Source: quota-tools 4.09, quotaon.c (newstate(): "%s [%s]: %s quotas turned on"; print_state():
"%s quota on %s (%s) is %s"), quotacheck.c ("Checked %d directories and %d files").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_TURNED = re.compile(
    r"\s*(?P<device>/[^\s\[\]]{1,200}) \[(?P<mount>/[^\]\n]{0,200})\]: "
    r"(?P<type>user|group|project) quotas turned (?P<state>on|off)\s*$"
)
_IS = re.compile(
    r"\s*(?P<type>user|group|project) quota on (?P<mount>/\S{0,200}) \((?P<device>[^\s()]{1,200})\)"
    r" is (?P<state>on|off)(?: \((?P<how>enforced|accounting)\))?\s*$"
)
_CHECKED = re.compile(
    r"\s*quotacheck: Checked (?P<folders>\d{1,15}) director(?:y|ies) and (?P<files>\d{1,15}) files?"
    r"\s*$"
)


class QuotaSwitch(StateOutput):
    tool = "quotaon"
    anchors = (" quotas turned o", "user quota on /", "group quota on /", "project quota on /")
    commands = ("quotaon", "quotaoff")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _switch(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        mounts: dict[str, dict[str, Scalar]] = {}
        switches, last = close_rows(cursor, first, _switch, no_prompts=True)
        for switch in switches:
            facts = mounts.setdefault(switch["mount"], {"device": switch["device"]})
            facts[f"{switch['type']}_quota"] = switch["state"] == "on"
            if how := switch.groupdict().get("how"):
                facts[f"{switch['type']}_quota_mode"] = how
        return last, [
            PrintedSubject("filesystem", mount, facts, prompt.host)
            for mount, facts in mounts.items()
        ]


class QuotaCheck(StateOutput):
    tool = "quotacheck"
    anchors = ("quotacheck: Checked ",)
    commands = ("quotacheck",)
    beginning = _CHECKED

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        checked = self.first_line(cursor, first)
        values = {name: int(count) for name, count in checked.groupdict().items()}
        name = f"/{prompt.path}" if prompt.path else ""
        return first, [
            PrintedCounters(self.tool, "filesystem", name, values, prompt.host, prompt.command)
        ]


def _switch(line: str) -> re.Match[str] | None:
    return _TURNED.match(line) or _IS.match(line)
