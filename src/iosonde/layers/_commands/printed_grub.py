"""/etc/default/grub: what the kernel is started with, by the keys of the file.

Source: grub 2.06, docs/grub.texi (Simple configuration handling), util/grub-mkconfig.in: the file
is read by a shell, "GRUB_CMDLINE_LINUX" goes to every kernel and "…_DEFAULT" only to normal boots.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, start_of_own

_LINE = re.compile(
    r"\s*(?:export )?(?P<key>GRUB_[A-Z][A-Z_]{2,40})="
    r"(?:\"(?P<double>[^\"]{0,2000})\"|'(?P<single>[^']{0,2000})'|(?P<bare>[\w./:,@+-]{0,200}))"
    r"\s*(?:#.{0,200})?$"
)
_COMMENT = re.compile(r"\s*#(?!\s*(?:sudo|cat|vi|vim|nano|update-grub|grub\S*) ).{0,300}$")


class GrubDefaults(StateOutput):
    tool = "/etc/default/grub"
    anchors = (
        "GRUB_CMDLINE_LINUX", "GRUB_TIMEOUT", "GRUB_DEFAULT=", r"GRUB\_CMDLINE", r"GRUB\_TIMEOUT",
        r"GRUB\_DEFAULT",
    )  # fmt: skip
    commands = ("cat", "grep", "less", "more", "vi", "vim", "nano", "head", "tail")
    reach = 4
    nothing = "none of its keys has a value"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _LINE.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pairs: dict[str, str] = {}
        last = first
        for index, line in close_lines(cursor, first, 120):
            match = _LINE.match(line)
            if prompt_in(line) or not (match or _COMMENT.match(line)):
                break
            if match:
                last = index
                pairs[match["key"]] = match["double"] or match["single"] or match["bare"] or ""
        values = as_labelled({key: text for key, text in pairs.items() if text})
        subjects = (PrintedSubject("kernel", "grub", values, prompt.host),) if values else ()
        return last, subjects
