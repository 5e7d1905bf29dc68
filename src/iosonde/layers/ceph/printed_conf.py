"""ceph.conf: sections of all daemons, of those of a type, and of one of them.

Source: Ceph documentation, rados/configuration/ceph-conf: names of options with blanks, dashes or
underscores are the same; sections [global], [mon], [osd], [mds], [mgr], [client] and [TYPE.ID];
src/common/ConfUtils.cc (normalize_key_name).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers.ceph.facts import SECRET
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before
from iosonde.text.nested import below_names, first_section, section_name
from iosonde.text.reader import Items, StateOutput, close_lines, over_comments, top_of

_SECTION = re.compile(r"(?:global|mon|osd|mds|mgr|client)(?:\.[\w.-]{1,60})?$")
_PAIR = re.compile(
    r"(?P<key>[A-Za-z][\w/.-]{0,60}(?: [\w/.-]{1,40}){0,8})\s*=\s*(?P<value>.{0,600})$"
)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?P<fraction>\.\d{1,9})?$")
_REACH = 60


class CephConf(StateOutput):
    tool = "ceph.conf"
    anchors = (
        "mon_initial_members", "mon initial members", "mon_host =", "mon host =",
        "auth_cluster_required", "auth cluster required", "osd_pool_default_size",
        "osd pool default size", "bluestore_csum_type", "bluestore csum type",
        "mon_osd_full_ratio", "mon osd full ratio", "osd_journal_size", "osd journal size",
    )  # fmt: skip
    commands = ("cat", "vi", "vim", "nano", "tee")
    reach = 4
    nothing = "its sections are empty"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        top = None
        for index in range(cursor.at, max(cursor.at - _REACH, -1), -1):
            if _SECTION.match(section_name(cursor.line(index))):
                if below_names(cursor, index, _SECTION.match, pairs=_PAIR)[0] < cursor.at:
                    break
                top = index
        if top is not None:
            return over_comments(cursor, top, self.commands)
        first = top_of(cursor, _PAIR.match, most=_REACH)
        asked = command_before(cursor, first, self.commands, reach=2, about="ceph.conf")[1].command
        return first if asked and _PAIR.match(cursor.line(cursor.at).strip()) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        if _PAIR.match(cursor.line(first).strip()):
            last, pairs = _appended(cursor, first)
            return last, [PrintedSubject("ceph_config", "global", _values(pairs), prompt.host)]
        begin = first_section(cursor, first)
        last, sections = below_names(cursor, begin, _SECTION.match, pairs=_PAIR)
        return last, [
            PrintedSubject("ceph_config", name, values, prompt.host)
            for name, pairs in sections.items()
            if (values := _values(pairs))
        ]


def _appended(cursor: TextCursor, first: int) -> tuple[int, dict[str, str]]:
    """What is written behind the file: into its last section, which is [global] in a new one."""
    pairs: dict[str, str] = {}
    last = first
    for index, line in close_lines(cursor, first, _REACH, gap=1):
        pair = _PAIR.match(line.strip())
        if pair is None:
            break
        pairs[pair["key"]] = pair["value"].strip()
        last = index
    return last, pairs


def _values(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """Options by their names with underscores, without their secrets; plain numbers as such."""
    values: dict[str, Scalar] = {}
    for name, text in pairs.items():
        key = re.sub(r"[ -]+", "_", name)
        if SECRET.search(key):
            continue
        number = _NUMBER.match(text)
        if number is None:
            values[key] = text
        else:
            values[key] = float(text) if number["fraction"] else int(text)
    return values
