"""The figures that `e2fsck -v` ends with: inodes, fragments, depths of extents, sorts of files.

Source: e2fsprogs 1.47, e2fsck/unix.c (show_stats()); before 1.42 the first says only "%u inodes
used (%2.2f%%)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers.ext4.printed_check import COMMANDS
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_N = r"\d{1,19}"
_USED = re.compile(
    rf"\s*(?P<used>{_N}) (?P<what>inode|block)s? used "
    rf"\((?P<share>\d{{1,3}}\.\d\d)%(?:, out of (?P<all>{_N}))?\)\s*$"
)
_SCATTERED = re.compile(
    rf"\s*(?P<count>{_N}) non-contiguous (?P<what>file|inode|director)(?:s|y|ies)? "
    r"\((?P<share>\d{1,3}\.\d)%\)\s*$"
)
_INDIRECT = re.compile(rf"\s*# of inodes with ind/dind/tind blocks: (?P<counts>{_N}/{_N}/{_N})\s*$")
_DEPTHS = re.compile(rf"\s*Extent depth histogram: (?P<counts>{_N}(?:/{_N}){{0,8}})\s*$")
_COUNT = re.compile(
    rf"\s*(?P<count>{_N}) (?P<what>bad block|large file|regular file|character device file"
    r"|block device file|fifo|link|socket|file)s?\s*$|"
    rf"\s*(?P<folders>{_N}) director(?:y|ies)\s*$"
)
_LINKS = re.compile(
    rf"\s*(?P<links>{_N}) symbolic links?(?: \((?P<fast>{_N}) fast symbolic links?\))?\s*$"
)
_RULE = re.compile(r"\s*-{8,16}\s*$")


class ExtCheckFigures(StateOutput):
    tool = "e2fsck"
    anchors = (
        " inodes used (", " inode used (", " blocks used (", " non-contiguous ",
        "# of inodes with ind/dind/tind", "Extent depth histogram:",
    )  # fmt: skip
    commands = COMMANDS
    reach = 20

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in (_USED, _SCATTERED, _INDIRECT, _DEPTHS)):
            return None
        return top_of(cursor, _is_own, most=30)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last = dict[str, Json](), first
        for index, line in close_lines(cursor, first, 60, gap=3):
            if not _is_own(line) or (index > first and "inodes" in values and "inode" in line
                                     and _USED.match(line)):  # fmt: skip
                break
            values.update(_said(line))
            last = index
        if not values:
            raise Unreadable("none of its figures can be read", last)
        return last, [self.counted("ext4", prompt.path, values, prompt)]


def _is_own(line: str) -> bool:
    forms = (_USED, _SCATTERED, _INDIRECT, _DEPTHS, _COUNT, _LINKS, _RULE)
    return any(form.match(line) for form in forms)


def _said(line: str) -> Iterator[tuple[str, Json]]:
    """What a line counts; shares are fractions."""
    if used := _USED.match(line):
        what = used["what"]
        yield f"{what}s_used", int(used["used"])
        yield f"{what}s_used_share", round(float(used["share"]) / 100, 6)
        if used["all"]:
            yield f"{what}s", int(used["all"])
    elif scattered := _SCATTERED.match(line):
        what = {"director": "directories"}.get(scattered["what"], f"{scattered['what']}s")
        yield f"non_contiguous_{what}", int(scattered["count"])
        yield f"non_contiguous_{what}_share", round(float(scattered["share"]) / 100, 6)
    elif indirect := _INDIRECT.match(line):
        yield "inodes_with_indirect_blocks", [int(count) for count in indirect["counts"].split("/")]
    elif depths := _DEPTHS.match(line):
        yield "extent_depths", [int(count) for count in depths["counts"].split("/")]
    elif links := _LINKS.match(line):
        yield "symbolic_links", int(links["links"])
        if links["fast"]:
            yield "fast_symbolic_links", int(links["fast"])
    elif count := _COUNT.match(line):
        what = (count["what"] or "").replace(" ", "_")
        yield (f"{what}s", int(count["count"])) if what else ("directories", int(count["folders"]))
