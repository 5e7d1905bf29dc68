"""Answers of qemu-img: an image that was made or resized.

Source: QEMU 8.2, block.c, bdrv_img_create() ("Formatting '%s', fmt=%s " and the options as
"key=value", sizes in bytes; up to 2.5 a blank behind them, and a cluster_size of 0 that nobody had
set), qemu-img.c, img_resize() ("Image resized.").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput
from iosonde.text.torn import joinings

_MADE = re.compile(
    r"\s*Formatting '(?P<path>[^']{1,300})', fmt=(?P<format>[a-z][\w-]{1,20})"
    r"(?P<options>(?: [a-z][\w.-]{1,40}=[^\s=]{0,300}){0,30})\s*$"
)
_BEGINS = re.compile(r"\s*Formatting '[^']{1,300}', ?(?:fmt=|$)")
_RESIZED = re.compile(r"\s*Image resized\.\s*$")
_ASKED = re.compile(
    r"(?:sudo )?qemu-img resize (?:-\S{1,20} (?:qcow2|raw|vmdk|vdi|vhdx|vpc|qed) |--\S{1,20} )*"
    r"(?P<path>[^\s-]\S{0,300}) (?:--\S{1,20} )?(?P<size>[+-]?\d{1,19}(?:\.\d{1,3})?[bkKMGTPE]?)$"
)
_KEPT = {"size": "size", "cluster_size": "cluster_size", "backing_file": "backing_file",
         "backing_fmt": "backing_format", "preallocation": "preallocation", "compat": "compat",
         "lazy_refcounts": "lazy_refcounts", "refcount_bits": "refcount_bits",
         "extended_l2": "extended_l2", "compression_type": "compression_type",
         "nocow": "nocow", "subformat": "subformat"}  # fmt: skip
_SWITCHES = {"on": True, "off": False}
_NUMBERS = frozenset({"size", "cluster_size", "refcount_bits"})
_FLAGS = frozenset({"lazy_refcounts", "extended_l2", "encryption", "nocow"})
_LINES = 4


class QemuImageMade(StateOutput):
    tool = "qemu-img create"
    anchors = ("Formatting '",)
    commands = ("qemu-img",)
    reach = 3
    beginning = _BEGINS
    nothing = "it is cut off"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        parts = list[str]()
        for last in range(first, first + _LINES):
            line = cursor.line(last)
            if not line or (parts and not _goes_on(line)):
                break
            parts.append(line)
        for count in range(len(parts), 0, -1):
            for whole in joinings(parts[:count]):
                if (made := _MADE.match(whole)) and (values := _values(made)):
                    subject = PrintedSubject("guest", made["path"], values, prompt.host)
                    return first + count - 1, [subject]
        return first, []


def _goes_on(line: str) -> bool:
    """Whether a line may be the rest of one that was wrapped: options, or the end of one."""
    return (
        re.fullmatch(r"\s*\S{1,300}(?: [a-z][\w.-]{0,40}(?:=\S{0,300})?){0,30}\s*", line)
        is not None
    )


def _values(made: re.Match[str]) -> dict[str, Scalar]:
    """Its options; empty where one is none, as of a line that was joined with a strange one."""
    values: dict[str, Scalar] = {"format": made["format"]}
    for option in fields(made["options"]):
        key, _, text = option.partition("=")
        if (key in _NUMBERS and not text.isdecimal()) or (key in _FLAGS and text not in _SWITCHES):
            return {}
        if key in _KEPT and text and (key, text) != ("cluster_size", "0"):
            value: Scalar = int(text) if text.isdecimal() else text.strip("'")
            values[_KEPT[key]] = _SWITCHES.get(text, value)
    return values if "size" in values else {}


class QemuImageResized(StateOutput):
    tool = "qemu-img resize"
    answers = True
    anchors = ("Image resized.",)
    commands = ("qemu-img",)
    reach = 3
    beginning = _RESIZED
    nothing = "no command names the image"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        asked = _ASKED.match(prompt.command)
        if asked is None:
            return first, []
        values: dict[str, Scalar] = {"resized": asked["size"]}
        return first, [PrintedSubject("guest", asked["path"], values, prompt.host)]
