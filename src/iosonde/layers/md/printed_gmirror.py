"""`gmirror status`, `graid status`, `glabel status`, `geli status` and their like of FreeBSD.

Source: FreeBSD 14, sbin/geom/core/geom.c (std_status(), status_one_geom_prs(),
status_one_consumer(): a component with its state in brackets, how far it is synchronised behind a
comma; before 8 only the latter; "N/A" is what has no state or no component; with -g geoms are named
instead of providers, without their class); sys/geom/label/g_label.c (the folders of labels);
sys/geom/eli/g_eli.c (".eli" behind the name of what is encrypted; ACTIVE, SUSPENDED);
sys/geom/raid/g_raid.c (g_raid_volume_state2str(),
g_raid_dumpconf(): a drive's state, in brackets those of its parts with how far each is rebuilt);
FreeBSD Handbook, GEOM (examples of DEGRADED and BROKEN).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(r"\s*+Name\s++Status\s++Components\s*+$")
_PART = r"[A-Z_]{2,20}(?: \d{1,3}%)?"
_MEMBER = (
    r"(?P<member>N/A|[a-z][\w./%-]{1,60})"
    rf"(?: \((?:(?P<state>[A-Z_]{{2,20}}(?: \({_PART}(?:, {_PART}){{0,7}}\))?)"
    r"(?:, (?P<share>\d{1,3})%)?|(?P<only>\d{1,3})%)\))?"
)
_LABELS = (
    "gptid|gpt|label|ufsid|ufs|diskid|ext2fs|iso9660|msdosfs|ntfs|reiserfs|flashmap|linux_swap"
)
_ROW = re.compile(
    rf"\s*+(?P<name>(?:(?P<class>mirror|raid|raid3|stripe|concat|shsec|{_LABELS})/)?"
    r"[A-Za-z\d][\w.+%-]{0,80})"
    r"\s++(?P<status>UP|DOWN|COMPLETE|DEGRADED|STARTING|BROKEN|SUBOPTIMAL|OPTIMAL|UNSUPPORTED"
    rf"|STOPPED|ACTIVE|SUSPENDED|N/A)\s++{_MEMBER}\s*+$"
)
_MORE = re.compile(rf"\s*+{_MEMBER}\s*+$")
_REBUILT = re.compile(r"\([A-Z_]{2,20} (\d{1,3})%\)")
_ABSENT = frozenset({None, "N/A"})
_MOST = 400
_MEMBERS = 64


class GeomStatus(StateOutput):
    tool = "geom status"
    anchors = ("Status  Components", "Status Components")
    commands = (
        "gmirror", "graid", "graid3", "gstripe", "gconcat", "geom", "glabel", "geli",
    )  # fmt: skip
    reach = 3
    beginning = _HEAD
    nothing = "no array follows its head"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        arrays: list[tuple[str, dict[str, Scalar]]] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            if row := _ROW.match(line):
                kind = "encrypted" if row["name"].endswith(".eli") else row["class"]
                said = {"type": kind, "state": row["status"]}
                arrays.append(
                    (row["name"], {key: text for key, text in said.items() if text not in _ABSENT})
                )
            else:
                is_more = arrays and (line[:1].isspace() or line.rstrip().endswith(")"))
                row = _MORE.match(line) if is_more else None
            if row is None:
                break
            _take(arrays[-1][1], row)
            last = index
        return last, [PrintedSubject("geom", name, own, prompt.host) for name, own in arrays]


def _take(array: dict[str, Scalar], row: re.Match[str]) -> None:
    """Adds a component to its array: its state, and the share of it that is synchronised."""
    if row["member"] in _ABSENT:
        return
    members = str(array.get("members") or "").split(", ") if array.get("members") else []
    if len(members) < _MEMBERS:
        array["members"] = ", ".join([*members, row["member"]])
        if row["state"]:
            array[f"{row['member']}_state"] = row["state"]
        rebuilt = _REBUILT.search(row["state"] or "")
        if share := row["share"] or row["only"] or (rebuilt and rebuilt[1]):
            array[f"{row['member']}_synchronised"] = int(share) / 100
