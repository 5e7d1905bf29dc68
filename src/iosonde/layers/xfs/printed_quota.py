"""`xfs_quota -x -c report`, `quota` and `state`: what is used, what is allowed, whether it counts.

Space is in bytes: where a figure has no unit, the tool counts in KiB, with `-h` in bytes.
A limit of 0 is none.

Source: xfsprogs 6.1, quota/report.c (report_header(), report_mount(): " %10llu %10llu %10llu
%02d %9s"), quota/quota.c (quota_mount()), quota/state.c (state_qfilestat()), quota/util.c
(bbs_to_string(): binary; num_to_string(): thousands k, millions m, billions b; time_to_string()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.torn import joined_match

_N = r"\d{1,18}(?:\.\d{1,3})?[KMGTPEkmbt]?"
_GRACE = r"\[[^\]\s][^\]]{1,30}\]|\d{2}:\d{2}:\d{2}"
_GROUP = rf"{_N}\s+{_N}\s+{_N}\s+\d{{2,5}}\s+(?:{_GRACE})"
_AMOUNTS = re.compile(
    rf"(?P<used>{_N})\s+(?P<soft>{_N})\s+(?P<hard>{_N})\s+(?P<warnings>\d{{2,5}})\s+"
    rf"(?P<grace>{_GRACE})"
)
_ROW = re.compile(rf"\s*(?P<name>#?\S{{1,64}}?)\s+(?P<groups>{_GROUP}(?:\s+{_GROUP}){{0,2}})\s*$")
_HEAD = re.compile(
    r"\s*(?P<type>User|Group|Project) quota on (?P<mount>/\S{0,300}) \((?P<device>\S{1,200})\)\s*$"
)
_FORMS = re.compile(r"\s*(?P<forms>(?:(?:Blocks|Inodes|Realtime Blocks)\s*){1,3})$")
_COLUMNS = re.compile(
    r"\s*(?:(?:User|Group|Project) ID\s+)?(?:Used\s+Soft\s+Hard\s+Warn/\s?Grace\s*){1,3}$"
    r"|\s*-[- ]{6,}$"
)
_STATE = re.compile(
    r"\s*(?P<type>User|Group|Project) quota state on (?P<mount>/\S{0,300}) "
    r"\((?P<device>\S{1,200})\)\s*$"
)
_FACT = re.compile(
    r"\s*(?:(?P<what>Accounting|Enforcement): (?P<on>ON|OFF)"
    r"|Inode: (?:#(?P<inode>\d{1,19}) \((?P<blocks>\d{1,12}) blocks, (?P<extents>\d{1,9}) extents\)"
    r"|N/A)"
    r"|(?P<limit>(?:Blocks|Inodes|Realtime Blocks) (?:grace time|max warnings)): "
    r"(?P<value>\[[^\]]{1,30}\]|\d{1,6}))\s*$"
)
_PREFIX = {"Blocks": "", "Inodes": "files_", "Realtime Blocks": "realtime_"}
_FOR_PEOPLE = re.compile(r"(?<!-)-{33}(?!-)|\[------\]|\[-none-\]|\d[KMGTPEkmbt]\b")
"""What `-h` prints: the width of its line, its times, its units."""
_DECIMAL = {"": 1, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
_MOST = 20000


class XfsQuotaReport(StateOutput):
    tool = "xfs_quota report"
    anchors = ("User quota on /", "Group quota on /", "Project quota on /")
    commands = ("xfs_quota",)
    reach = 3
    nothing = "no row follows"
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        subjects, forms, last, rest = list[PrintedSubject](), list[str](), first, list[str]()
        unit = units.KIB
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            if prompt_in(line) or _HEAD.match(line):
                break
            unit = 1 if _FOR_PEOPLE.search(line) else unit
            row = joined_match(_ROW, [*rest, line])
            if named := None if subjects else _FORMS.match(line):
                forms += re.findall(r"Realtime Blocks|Blocks|Inodes", named["forms"])
            elif row:
                values = _groups(row["groups"], forms, unit, last)
                of: dict[str, Scalar] = {"device": head["device"], "mount": head["mount"]}
                name = f"{head['mount']} {head['type'].lower()} {row['name']}"
                subjects.append(PrintedSubject("quota", name, {**of, **values}, prompt.host))
                rest = []
            elif not _COLUMNS.match(line):
                if len(rest) > 2 or (not rest and index > last + 2):
                    break
                rest.append(line)
                continue
            last = index
        return last, subjects


class XfsQuotaState(StateOutput):
    tool = "xfs_quota state"
    anchors = (" quota state on /",)
    commands = ("xfs_quota",)
    reach = 3
    nothing = "its fields are cut off"
    beginning = _STATE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects, values, last = list[PrintedSubject](), dict[str, Scalar](), first
        for index, line in close_lines(cursor, first, 60, gap=2):
            head, fact = _STATE.match(line), _FACT.match(line)
            if not head and not fact:
                break
            last = index
            if head:
                values = {"device": head["device"], "mount": head["mount"]}
                name = f"{head['mount']} {head['type'].lower()} state"
                subjects.append(PrintedSubject("quota", name, values, prompt.host))
            elif fact:
                values |= _fact(fact)
        return last, [subject for subject in subjects if len(subject.values) > 2]


def _fact(fact: re.Match[str]) -> dict[str, Scalar]:
    if fact["what"]:
        return {fact["what"].lower(): fact["on"] == "ON"}
    if fact["limit"]:
        text = fact["value"].strip("[]")
        return {fact["limit"].lower().replace(" ", "_"): int(text) if text.isdecimal() else text}
    if fact["inode"]:
        return {f"quota_{name}": int(fact[name]) for name in ("inode", "blocks", "extents")}
    return {}


def _groups(text: str, forms: list[str], unit: int, last: int) -> dict[str, Scalar]:
    """The figures of blocks, inodes and realtime blocks, as many as the head names.

    Raises:
        Unreadable: the head names more or fewer.
    """
    groups = list(_AMOUNTS.finditer(text))
    if len(groups) != len(forms):
        raise Unreadable("its head does not say what its columns are of", last)
    values: dict[str, Scalar] = {}
    for form, group in zip(forms, groups, strict=True):
        prefix = _PREFIX[form]
        used = "files" if form == "Inodes" else f"{prefix}used"
        for name, label in ((used, "used"), (f"{prefix}soft_limit", "soft"),
                            (f"{prefix}hard_limit", "hard")):  # fmt: skip
            text = group[label]
            values[name] = _number(text) if form == "Inodes" else _bytes(text, unit)
        values[f"{prefix}warnings"] = int(group["warnings"])
        if grace := group["grace"].strip("[]-"):
            values[f"{prefix}grace"] = grace
    return values


def _bytes(text: str, unit: int) -> int:
    return units.parse_bytes(text) if text[-1].isalpha() else round(float(text) * unit)


def _number(text: str) -> int:
    unit = text[-1].lower() if text[-1].isalpha() else ""
    return round(float(text.rstrip("KMGTPEkmbt")) * _DECIMAL[unit])
