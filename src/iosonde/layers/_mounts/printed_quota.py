"""`repquota`, `quota`, `edquota` and Lustre's `lfs quota`: what users take, and what they may.

Space is in bytes: where a figure has no unit, the tools count in KiB. A limit of 0 is none.

Source: quota-tools 4.09, repquota.c (report_it(), print(): "%-*s %c%c %7s %7s %7s %6s"), quota.c
(heading(), showquotas()), quotaops.c (writeprivs()), common.c (space2str(): binary K, M, G, T;
number2str(): decimal k, m, g, t; difftime2str(): "none", "6days", "02:13"); Lustre 2.15,
lustre/utils/lfs.c (print_quota_title(), print_quota()).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.layers._commands.versions import PackageVersion
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.torn import joined_match, joinings

_N = r"\d{1,18}(?:\.\d{1,3})?[KMGTPEkmgtpe]?"
_GRACE = r"none|expired|\d{1,4}days?|\d{1,3}:\d{2}(?::\d{2})?|(?:\d{1,4}[wdhms]){1,5}|-"
_FIGURES = (
    rf"(?P<used>{_N})(?P<over>\*)?\s+(?P<soft>{_N})\s+(?P<hard>{_N})(?:\s+(?P<grace>{_GRACE}))?\s+"
    rf"(?P<files>{_N})(?P<files_over>\*)?\s+(?P<files_soft>{_N})\s+(?P<files_hard>{_N})"
    rf"(?:\s+(?P<files_grace>{_GRACE}))?"
)
_REPORT = re.compile(
    r"\s*\*{3} Report for (?P<type>user|group|project) quotas on device (?P<device>\S{1,200})\s*$"
)
_TIMES = re.compile(
    r"\s*Block grace time: (?P<block>[\w:]{1,20}); Inode grace time: (?P<inode>[\w:]{1,20})\s*$"
)
_HEADS = re.compile(
    r"\s*(?:(?:Block|Space) limits\s+File limits"
    r"|(?:User|Group|Project)\s+used\s+soft\s+hard\s+grace\s+used\s+soft\s+hard\s+grace|-{40,})\s*$"
)
_ROW = re.compile(rf"\s*(?P<name>#?\S{{1,64}}?)\s+(?P<flags>[+-]{{2}})\s+{_FIGURES}\s*$")
_OWNER = re.compile(
    r"\s*Disk quotas for (?P<type>user|usr|group|grp|project|prj) (?P<name>#?\S{1,64}) "
    r"\([ugp]id (?P<id>\d{1,10})\): ?(?P<none>none)?\s*$"
)
_TABLE = re.compile(
    r"\s*Filesystem\s+(?:(?:blocks|space|used|kbytes)\s+quota\s+limit\s+grace\s+files\s+quota\s+"
    r"limit(?:\s+grace)?|(?P<edit>blocks)\s+soft\s+hard\s+inodes\s+soft(?:\s+hard)?)\s*$"
)
_HEAD_BEGUN = re.compile(r"\s*Filesystem\s+(?:blocks|space|used|kbytes)\s[a-z\s]{1,80}$")
_TORN_HEAD = re.compile(
    r"\s*(?:(?:User|Group|Project)\s+)?(?:(?:used|soft|hard|grace|File|limits|Block|Space)\s*){1,7}$"
)
_OF_DEVICE = re.compile(rf"\s*(?P<device>[^\s*]{{1,200}})\s+{_FIGURES}\s*$")
_BEGUN = re.compile(r"\s*+(?:\S{1,64}\s+[+-]{2}\s|[^\s*]{1,200}(?:\s|$))")
_LAST = re.compile(rf"\s*(?P<files_grace>{_GRACE})\s*$")
_TYPES = {"usr": "user", "grp": "group", "prj": "project"}
_DECIMAL = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_MOST = 20000


class QuotaReport(StateOutput):
    """The tables of `repquota`."""

    tool = "repquota"
    anchors = ("*** Report for user", "*** Report for group",
                                          "*** Report for project")  # fmt: skip
    commands = ("repquota",)
    reach = 3
    nothing = "no row follows"
    beginning = _REPORT

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        device, kind = head["device"].removeprefix("/dev/"), head["type"]
        subjects, last, rest = list[PrintedSubject](), first, list[str]()
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            if prompt_in(line) or _REPORT.match(line):
                break
            row = joined_match(_ROW, [*rest, line])
            if row:
                values = {"device": head["device"], **_values(row)}
                over, files_over = (flag == "+" for flag in row["flags"])
                values |= {"over_limit": over, "files_over_limit": files_over}
                subjects.append(_quota(device, kind, row["name"], values, prompt))
                rest, last = [], index
            elif times := _TIMES.match(line):
                values = {"block_grace": times["block"], "inode_grace": times["inode"]}
                subjects.append(_quota(device, kind, "", values, prompt))
                last = index
            elif _HEADS.match(line) or _TORN_HEAD.match(line):
                last = index
            elif subjects and _LAST.match(line) and index == last + 1:
                _add_grace(subjects, line)
                last = index
            elif _BEGUN.match(line) and len(rest) < 2:
                rest.append(line)
            else:
                break
        return last, subjects


class QuotaOfOwner(StateOutput):
    """`quota`, `edquota` and `lfs quota`."""

    tool = "quota"
    anchors = ("Disk quotas for ",)
    commands = ("quota", "edquota", "lfs")
    reach = 3
    nothing = "no file system follows"
    beginning = _OWNER

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        owner = self.first_line(cursor, first)
        kind = _TYPES.get(owner["type"], owner["type"])
        of: dict[str, Scalar] = {"id": int(owner["id"])}
        if owner["none"]:
            return first, [_quota("", kind, owner["name"], {**of, "limits": "none"}, prompt)]
        subjects, last, rest, has_head = list[PrintedSubject](), first, list[str](), False
        for index, line in close_lines(cursor, first + 1, 400):
            if prompt_in(line) or _OWNER.match(line):
                break
            texts = list(joinings([*rest, line]))
            row = next((match for text in texts if (match := _OF_DEVICE.match(text))), None)
            if any(map(_TABLE.match, texts)) or (_TORN_HEAD.match(line) and index == last + 1):
                rest, last, has_head = [], index, True
            elif row and has_head:
                device = row["device"].removeprefix("/dev/")
                values = {"device": row["device"], **of, **_values(row)}
                for mark in ("over", "files_over"):
                    values |= {f"{mark}_limit": True} if row[mark] else {}
                subjects.append(_quota(device, kind, owner["name"], values, prompt))
                rest, last = [], index
            elif subjects and _LAST.match(line) and index == last + 1:
                _add_grace(subjects, line)
                last = index
            elif len(rest) < 2 and (_BEGUN if has_head else _HEAD_BEGUN).match(line):
                rest.append(line)
            else:
                break
        return last, subjects


def _quota(
    device: str, kind: str, name: str, values: dict[str, Scalar], prompt: Prompt
) -> PrintedSubject:
    return PrintedSubject("quota", f"{device} {kind} {name}".strip(), values, prompt.host)


def _add_grace(subjects: list[PrintedSubject], line: str) -> None:
    """What a mail broke off of the last row."""
    last = subjects[-1]
    values = {**last.values, "files_grace": line.strip()}
    subjects[-1] = PrintedSubject(last.kind, last.name, values, last.host)


def _values(row: re.Match[str]) -> dict[str, Scalar]:
    """A row's figures: bytes, numbers of files, and times as printed."""
    return dict(_figures(row))


def _figures(row: re.Match[str]) -> Iterator[tuple[str, Scalar]]:
    for name, label in (("used", "used"), ("soft", "soft_limit"), ("hard", "hard_limit")):
        yield label, _bytes(row[name])
    for name, label in (("files", "files"), ("files_soft", "files_soft_limit"),
                        ("files_hard", "files_hard_limit")):  # fmt: skip
        yield label, _number(row[name])
    for name in ("grace", "files_grace"):
        if (text := row[name]) and text != "-":
            yield name, text


def _bytes(text: str) -> int:
    return units.parse_bytes(text) if text[-1].isalpha() else round(float(text) * units.KIB)


def _number(text: str) -> int:
    unit = text[-1].lower() if text[-1].isalpha() else ""
    return round(float(text.rstrip("KMGTPEkmgtpe")) * _DECIMAL[unit])


VERSION = PackageVersion(
    {
        "quota": r"Quota utilities version "
        r"(?P<version>\d{1,3}(?:\.\d{1,4}){1,3}(?:-\w{1,10})?)\.?"
    },
    anchors=(" version ",),
    commands=(),
)
"""Source: quota-tools 4.09, common.c, version()."""
