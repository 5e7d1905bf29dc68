"""`zpool upgrade`: which features of the format pools lack, and those that it enabled.

Source: OpenZFS 2.2, cmd/zpool/zpool_main.c, zpool_do_upgrade() ("Every feature flags pool has all
supported and requested features enabled."), upgrade_list_disabled_cb() ("Some supported [and
requested] features are not enabled on the following pools.", the head "POOL  FEATURE", a rule, the
name of a pool and its features indented by six blanks), upgrade_enable_all() ("Enabled the
following features on '%s':", each behind two blanks).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_ENABLED = re.compile(r"\s*Enabled the following features on '(?P<pool>[\w.:-]{1,120})':\s*$")
_HEAD = re.compile(r"POOL\s+FEATURE\s*$")
_RULE = re.compile(r"-{10,30}\s*$")
_POOL = re.compile(r"(?P<pool>[A-Za-z][\w.:-]{0,119})\s*$")
_FEATURE = re.compile(r"\s{1,12}(?P<feature>[a-z\d_]{3,40})(?: \(read-only compatible\))?\s*$")
_MOST = 400


class ZpoolUpgrade(StateOutput):
    tool = "zpool upgrade"
    anchors = ("POOL  FEATURE", "Enabled the following features on '")
    commands = ("zpool",)
    reach = 16
    nothing = "no feature follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        return cursor.at if _HEAD.match(line) or _ENABLED.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        key = "disabled_features" if _HEAD.match(cursor.line(first)) else "enabled_features"
        features: dict[str, list[str]] = {}
        last, pool = first, ""
        for index, line in lines(cursor, first, _MOST):
            if not line:
                continue
            if match := _ENABLED.match(line):
                pool = match["pool"]
                features.setdefault(pool, [])
            elif pool and (match := _FEATURE.match(line)):
                features[pool].append(match["feature"])
            elif key == "disabled_features" and index > first and (match := _POOL.match(line)):
                pool = match["pool"]
                features.setdefault(pool, [])
            elif not (_HEAD.match(line) or _RULE.match(line)) or prompt_in(line):
                break
            last = index
        return last, [
            PrintedSubject("zpool", name, {key: ", ".join(own)}, prompt.host)
            for name, own in features.items() if own
        ]  # fmt: skip
