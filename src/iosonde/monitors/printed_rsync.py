"""rsync --stats, and the two lines that end every verbose run: what was moved, and how fast.

Source: rsync 3.2, main.c, output_summary(): figures with prefixes under -h are left out; bytes/sec
are of both directions together over the whole run. lib/compat.c, get_number_separator() and
do_big_num(): commas part thousands since 3.1, dots where the language has a decimal comma.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_PLAIN = r"\d{1,3}(?:(?:,\d{3}){1,6}|(?:\.\d{3}){1,6})|\d{1,18}"
_N = rf"({_PLAIN})(?![\d.,]*[KMGT\d])"
_FIGURES = {
    "files": re.compile(rf"^\s*Number of files: {_N}"),
    "created_files": re.compile(rf"^\s*Number of created files: {_N}"),
    "deleted_files": re.compile(rf"^\s*Number of deleted files: {_N}"),
    "transferred_files": re.compile(rf"^\s*Number of (?:regular )?files transferred: {_N}"),
    "size": re.compile(rf"^\s*Total file size: {_N} bytes"),
    "transferred_size": re.compile(rf"^\s*Total transferred file size: {_N} bytes"),
    "sent": re.compile(rf"^\s*(?:Total bytes sent: |sent ){_N}"),
    "received": re.compile(
        rf"^\s*(?:Total bytes received: |sent [\d,.]{{1,24}} bytes  received ){_N}"
    ),
}
_RATE = re.compile(
    r"^\s*sent [\d,.]{1,24} bytes  received [\d,.]{1,24} bytes  "
    rf"(?P<rate>{_PLAIN})(?:[.,](?P<part>\d\d))? bytes/sec"
)
_OWN = re.compile(
    r"^\s*(?:Number of (?:files|created|deleted|regular)|Total (?:file|transferred|bytes)"
    r"|Literal data|Matched data|File list (?:size|generation|transfer)"
    r"|sent [\d,.]{1,24}[KMGT]? bytes  received|total size is )"
)
_MOST = 30


class Rsync(StateOutput):
    tool = "rsync"
    anchors = (
        "Number of files: ", "Number of created files: ", "Total transferred file size: ",
        "bytes  received ",
    )  # fmt: skip

    commands = ("rsync",)
    nothing = "its figures have prefixes or are cut off"
    reach = 60
    beginning = _OWN

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, values = first, dict[str, Json]()
        for index, line in lines(cursor, first, _MOST):
            if index > last + 4 or (line and (prompt_in(line) or not _OWN.match(line))):
                break
            last = index if line else last
            for name, pattern in _FIGURES.items():
                if match := pattern.match(line):
                    values[name] = _whole(match[1])
            if match := _RATE.match(line):
                values["bandwidth"] = _whole(match["rate"]) + int(match["part"] or 0) / 100
        return last, [self.counted("host", "", values, prompt)] if values else []


def _whole(figure: str) -> int:
    return int(figure.replace(",", "").replace(".", ""))
