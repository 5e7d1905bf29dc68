"""Options of kernel modules, as files of /etc/modprobe.d hold them.

Source: modprobe.d(5) of kmod 30: `options MODULE NAME=VALUE …`; a backslash goes on in the next
line. A kernel's command line has the same as MODULE.NAME=VALUE.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers import MODULES
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, entries, over_comments

_OPTION = r"\w{1,60}=(?:\"[^\"]{0,200}\"|[^\s\"'`]{1,200})"
_LINE = re.compile(
    rf"(?:[*-] )?(?:(?:sudo )?echo (?:-e )?['\"]?)?options\s+(?P<module>[a-z][\w-]{{1,40}})"
    rf"(?P<options>(?:\s+{_OPTION}){{1,40}})"
    r"(?:\s*\\|['\"`]?\s*(?:#.{0,200}|(?:\||>>?) ?.{0,200})?)$"
)
_MORE = re.compile(rf"\s*(?P<options>{_OPTION}(?:\s+{_OPTION}){{0,40}})\s*\\?$")
_PAIR = re.compile(r"(?P<name>\w{1,60})=(?P<value>\"[^\"]{0,200}\"|[^\s\"'`]{1,200})")
_NUMBER = re.compile(r"-?\d{1,18}$")
_MODULES = (
    *(begin for names in MODULES.values() for begin in names),
    "zfs", "spl", "nvme", "scsi", "mlx", "qla", "lpfc", "mpt", "megaraid", "hpsa", "aacraid",
    "smartpqi", "kvm", "ixgbe", "i40e", "ice", "bnx", "bnxt", "bonding", "usb", "ib_", "rdma",
    "target", "null_blk", "brd", "libata", "ahci", "ceph", "rbd", "tcm", "sg ", "st ", "bfq", "igb",
    "e1000", "cxgb", "vhost", "virtio", "fuse",
)  # fmt: skip


class ModprobeOptions(StateOutput):
    tool = "modprobe.d"
    anchors = tuple(f"options {module}" for module in _MODULES)
    commands = ("cat", "grep", "modprobe", "vi", "vim", "nano", "tee")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _entry(cursor, cursor.at) is None:
            return None
        first = cursor.at
        while first and _entry(cursor, first - 1) is not None:
            first -= 1
        return over_comments(cursor, first, self.commands)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        modules: dict[str, dict[str, Scalar]] = {}
        options, last = entries(cursor, first, _entry, gap=2, comment="#", most=200)
        for module, values in options:
            modules.setdefault(module, {}).update(values)
        return last, [
            PrintedSubject("module", module, values, prompt.host)
            for module, values in modules.items()
        ]


def _entry(cursor: TextCursor, index: int) -> tuple[tuple[str, dict[str, Scalar]], int] | None:
    """The module of a line with its options, and the index of its last line."""
    match = _LINE.match(cursor.line(index).strip())
    if match is None:
        return None
    text, last = match["options"], index
    while cursor.line(last).rstrip().endswith("\\"):
        following = last + (1 if cursor.line(last + 1) else 2)
        more = _MORE.match(cursor.line(following))
        if more is None:
            break
        text, last = f"{text} {more['options']}", following
    values: dict[str, Scalar] = {}
    for pair in _PAIR.finditer(text):
        value = pair["value"].strip('"')
        values[pair["name"]] = int(value) if _NUMBER.match(value) else value
    return (match["module"].replace("-", "_"), values), last
