"""lvm.conf and `lvmconfig`: LVM's settings by section.

Source: lvm.conf(5), lvmconfig(8) of LVM 2.03: `section {`, `name = value`, lists in brackets, which
may go over several lines; `lvmconfig section/name` prints the name and its value alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.nested import in_braces, opened_head
from iosonde.text.reader import Items, StateOutput, over_comments

_TOPS = frozenset({
    "activation", "allocation", "backup", "config", "devices", "dmeventd", "global", "local", "log",
    "metadata", "report", "shell", "tags",
})  # fmt: skip
_NAMES = {
    "activation": "thin_pool_autoextend|snapshot_autoextend|raid_|read_ahead|readahead"
    "|auto_activation|volume_list|monitoring|polling_interval|mirror_|missing_stripe|udev_",
    "allocation": "cache_|thin_pool_|raid_stripe|wipe_signatures|zero_metadata|maximise_cling"
    "|vdo_|mirror_logs|physical_extent",
    "devices": "filter|global_filter|issue_discards|use_devicesfile|md_component|multipath_"
    "|data_alignment|scan|dir|types|preferred_names|pv_min_size|use_aio|allow_mixed_block"
    "|default_data_alignment|external_device_info",
    "global": "use_lvmetad|use_lvmlockd|use_lvmpolld|locking_type|io_memory_size|system_id_source"
    "|metadata_read_only|thin_check|umask|fallback_to",
}
_PAIR = re.compile(r"(?P<key>[a-z][a-z0-9_]{1,60})\s*=\s*(?P<value>\S.{0,1000})$")
_ALONE = re.compile(
    rf"\s*+(?P<key>(?:{'|'.join(_NAMES.values())})[a-z0-9_]{{0,40}})\s*=\s*"
    r"(?P<value>\[.{0,400}|\d{1,9}|\"[^\"]{0,200}\")\s*$"
)
_REACH = 40


class LvmConf(StateOutput):
    tool = "lvm.conf"
    anchors = (
        "filter = [", "filter=[", "issue_discards", "use_lvmetad", "thin_pool_autoextend_",
        "snapshot_autoextend_", "raid_region_size", "use_devicesfile", "devices {", "activation {",
        "global {", "locking_type", "use_lvmlockd", "io_memory_size", "cache_mode=", "cache_mode =",
        "raid_fault_policy",
    )  # fmt: skip
    commands = (
        "cat", "lvmconfig", "lvm", "grep", "egrep", "vi", "vim", "nano", "tee",
    )  # fmt: skip
    reach = 4
    nothing = "its sections are empty"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - _REACH, -1), -1):
            if opened_head(cursor.line(index)) not in _TOPS:
                continue
            last, sections = in_braces(cursor, index, _TOPS.__contains__, most=_REACH * 2)
            if last >= cursor.at and any(map(_PAIR.match, (x for s in sections for x in s.lines))):
                return over_comments(cursor, index, self.commands)
            break
        return cursor.at if _ALONE.match(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first
        while cursor.line(begin).strip().startswith("#") and begin < first + _REACH:
            begin += 1
        if opened_head(cursor.line(begin)) not in _TOPS:
            return self._alone(cursor, begin, prompt)
        last, sections = in_braces(cursor, begin, _TOPS.__contains__)
        return last, [
            PrintedSubject("lvm_config", section.heads[0], values, prompt.host)
            for section in sections
            if (values := dict(_pairs(section.lines)))
        ]

    def _alone(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        """Settings without their sections, as grep and lvmconfig leave them.

        One that stands there again is of another file, or another proposal of the author's.
        """
        sections: dict[str, dict[str, Scalar]] = {}
        last = first
        for index, line in lines(cursor, first, 200):
            match = _ALONE.match(line)
            if index > last + 2 or (line.strip() and not match and line.strip()[0] != "#"):
                break
            if match:
                section = next(
                    name for name, names in _NAMES.items() if re.match(names, match["key"])
                )
                if match["key"] in sections.get(section, {}):
                    break
                sections.setdefault(section, {}).update(_pairs([line.strip()]))
                last = index
        return last, [
            PrintedSubject("lvm_config", section, values, prompt.host)
            for section, values in sections.items()
        ]


def _pairs(rows: Iterable[str]) -> Iterator[tuple[str, Scalar]]:
    """Names and values; a list goes on to the line that ends it."""
    key, parts = "", list[str]()
    for row in rows:
        if key:
            parts.append(row)
        elif pair := _PAIR.match(row):
            key, parts = pair["key"], [pair["value"].strip()]
        else:
            continue
        text = " ".join(parts)
        if text.startswith("[") and "]" not in parts[-1] and len(parts) < 40:
            continue
        yield key, _value(text)
        key = ""


def _value(text: str) -> Scalar:
    plain = text.strip().strip('"')
    return int(plain) if plain.isdecimal() and len(plain) < 12 else plain[:400]
