"""What single commands of btrfs answer: subvolumes that are made and deleted, a device's new size.

Source: btrfs-progs 4.4 to 6.12, cmds/subvolume.c (create_one_subvolume(), cmd_subvolume_snapshot(),
cmd_subvolume_delete(), with the id since 6.7; cmd_subvolume_get_default()), cmds/filesystem.c
(check_resize_args(), since 6.0), cmds/scrub.c (scrub_start(): "scrub started on %s, fsid").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import UUID
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_SIZE = r"\d{1,18}(?:\.\d{1,2})?(?:[KMGTPE]iB|B)"
_ANSWER = re.compile(
    r"\s*(?:Create subvolume '(?P<created>[^'\n]{1,400})'"
    r"|Delete subvolume (?:(?P<id>\d{1,19}) )?\((?:no-)?commit\): '(?P<deleted>[^'\n]{1,400})'"
    r"|Create a (?P<readonly>readonly )?snapshot of '(?P<of>[^'\n]{1,400})' "
    r"in '(?P<snapshot>[^'\n]{1,400})'"
    rf"|scrub started on (?P<scrubbed>/\S{{0,200}}), fsid (?P<fsid>{UUID}) \(pid=\d{{1,9}}\)"
    r"|ID (?P<default>\d{1,19}) \(FS\\?_TREE\)"
    rf"|Resize device id (?P<device_id>\d{{1,6}}) \((?P<device>/dev/[\w/.:-]{{1,120}})\) "
    rf"from (?P<before>{_SIZE}) to (?P<size>{_SIZE}|max))\s*$"
)
_MOST = 500


class BtrfsAnswers(StateOutput):
    tool = "btrfs"
    answers = True
    anchors = (
        "Create subvolume '", "Delete subvolume ", "Create a snapshot of '",
        "Create a readonly snapshot of '", "_TREE)", "Resize device id ",
        "scrub started on ",
    )  # fmt: skip
    commands = ("btrfs", "btrfs.static")
    reach = 3
    beginning = _ANSWER

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        answers, last = close_rows(cursor, first, _ANSWER.match, _MOST)
        for answer in answers:
            kind = "disk" if answer["device"] else "btrfs_subvolume"
            kind = "btrfs" if answer["scrubbed"] else kind
            subjects.append(PrintedSubject(kind, *_said(answer), prompt.host))
        return last, subjects


def _said(answer: re.Match[str]) -> tuple[str, dict[str, Scalar]]:
    """The name of what an answer is about, and what it says of it."""
    values: dict[str, Scalar]
    if path := answer["scrubbed"]:
        return path, {"uuid": answer["fsid"], "scrub_status": "started"}
    if path := answer["created"]:
        return path, {"state": "created"}
    if path := answer["deleted"]:
        values = {"state": "deleted"}
        return path, values | ({"id": int(answer["id"])} if answer["id"] else {})
    if path := answer["snapshot"]:
        values = {"state": "created", "snapshot_of": answer["of"]}
        return path, values | {"readonly": answer["readonly"] is not None}
    if answer["default"]:
        return "FS_TREE", {"id": int(answer["default"]), "default": True}
    values = {"device_id": int(answer["device_id"])}
    values["old_size"] = round(units.printed(answer["before"])[0])
    if answer["size"] != "max":
        values["new_size"] = round(units.printed(answer["size"])[0])
    return answer["device"].removeprefix("/dev/"), values
