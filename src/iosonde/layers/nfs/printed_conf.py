"""/etc/nfs.conf: settings of NFS's server and its helpers by section.

Source: nfs.conf(5) of nfs-utils 2.6: sections in brackets, `name=value`; [nfsd] threads is the
number of the server's threads.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.nested import below_names, first_section, section_name
from iosonde.text.reader import Items, StateOutput, over_comments

_SECTIONS = frozenset({
    "general", "exportfs", "gssd", "lockd", "exportd", "mountd", "nfsdcld", "nfsdcltrack", "nfsd",
    "nfsrahead", "statd", "sm-notify", "svcgssd", "environment",
})  # fmt: skip
_PATH = re.compile(r"/[\w./-]{0,80}nfs\.conf[\w./-]{0,40}")
_TELLING = _SECTIONS - {"general", "environment"}


class NfsConf(StateOutput):
    tool = "nfs.conf"
    anchors = tuple(f"[{name}]" for name in sorted(_TELLING))
    commands = ("cat", "grep", "egrep", "vi", "vim", "nano", "nfsconf")
    reach = 4
    nothing = "its sections are empty"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if section_name(cursor.line(cursor.at)) not in _TELLING:
            return None
        first = cursor.at
        if section_name(cursor.line(first - 1)) in _SECTIONS:  # an empty one
            first -= 1
        return over_comments(cursor, first, self.commands)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first_section(cursor, first)
        last, sections = below_names(cursor, begin, _SECTIONS.__contains__)
        values: dict[str, Scalar] = {"holds": "nfs"}
        for section, pairs in sections.items():
            for name, text in pairs.items():
                number = text.isdecimal() and len(text) < 12
                values[f"{section}.{name}"] = int(text) if number else text
        if len(values) == 1:
            return last, ()
        path = _PATH.search(prompt.command)
        subjects = [PrintedSubject("file", path[0] if path else "", values, prompt.host)]
        threads = values.get("nfsd.threads")
        if isinstance(threads, int):
            subjects.append(PrintedSubject("nfsd", "", {"threads": threads}, prompt.host))
        return last, subjects
