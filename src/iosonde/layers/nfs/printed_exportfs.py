"""`exportfs -a -v`, `-r -v` and `-u -v`: what the server was told to export, and to whom.

Options are not printed; `exportfs -v` alone has them.

Source: nfs-utils 2.6, utils/exportfs/exportfs.c, export_all(), exportfs_parsed() and
unexportfs_parsed() ("exporting %s:%s", "unexporting %s:%s"); up to 1.2 exports_update_one() too
("reexporting %s:%s to kernel", "unexporting %s:%s from kernel"). The client stands before the path.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows, top_of

_ANSWER = re.compile(
    r"\s*(?P<what>exporting|reexporting|unexporting) "
    r"(?P<client>[\w*?@\[\]<>][\w.:/*?@\[\]<>,-]{0,200}?):(?P<path>/[^\s:]{0,300})"
    r"(?: (?:to|from) kernel)?\s*$"
)


class ExportfsAnswers(StateOutput):
    tool = "exportfs answers"
    answers = True
    anchors = ("exporting ",)
    commands = ("exportfs",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ANSWER.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, _ANSWER.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        exports: dict[tuple[str, str], dict[str, Scalar]] = {}
        answers, last = close_rows(cursor, first, _ANSWER.match)
        for answer in answers:
            values = exports.setdefault((answer["path"], answer["client"]), {})
            values |= {"clients": answer["client"], "exported": answer["what"] != "unexporting"}
        return last, [
            PrintedSubject("export", path, values, prompt.host)
            for (path, _), values in exports.items()
        ]
