"""What a kernel was built with: /boot/config-VERSION, /proc/config.gz, a .config.

Source: Linux Documentation/kbuild/kconfig.rst and scripts/kconfig/confdata.c: `CONFIG_NAME=VALUE`
with y, m, a number or a quoted text, and `# CONFIG_NAME is not set`.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, top_of_own

_SET = re.compile(
    r"\s*(?:/boot/config-\S{1,80}:)?(?:\d{1,5}:)?(?P<name>CONFIG_\w{2,80})="
    r"(?P<value>[ymn]|-?\d{1,19}|0x[\da-fA-F]{1,16}|\"[^\"]{0,400}\")\s*$"
)
_UNSET = re.compile(r"\s*(?:/boot/config-\S{1,80}:)?# (?P<name>CONFIG_\w{2,80}) is not set\s*$")
_COMMENT = re.compile(r"\s*#(?:\s.{0,100})?$")
_LONGEST_GAP = 60  # heads of sections between two options
_MOST = 20_000


class KernelConfig(StateOutput):
    tool = "kernel config"
    anchors = ("CONFIG",)
    commands = ("grep", "zgrep", "zcat", "cat", "egrep")
    reach = 3
    about = "onfig"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _is_option, most=20)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        options: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index > last + _LONGEST_GAP:
                break
            if match := _SET.match(line):
                options[match["name"]] = _value(match["value"])
            elif match := _UNSET.match(line):
                options[match["name"]] = False
            elif line and not _COMMENT.match(line):
                break
            else:
                continue
            last = index
        return last, [PrintedSubject("kernel", "", options)]


def _is_option(line: str) -> bool:
    return bool(_SET.match(line) or _UNSET.match(line))


def _value(text: str) -> Scalar:
    """A number, a text without its quotes, "m", or whether it is on."""
    if text in {"y", "n"}:
        return text == "y"
    if text.startswith('"'):
        return text[1:-1]
    return int(text) if text.lstrip("-").isdecimal() else text
