"""`mvcli info` and `mnv_cli info` of Marvell's controllers (Dell's BOSS, Lenovo's M.2 RAID).

Their source is not public. Source: nagios-plugin-check_raid 4.0, its plugin mvcli (info -o vd,
blk); SmartX, SMTX OS operation and maintenance guide 6.3 (outputs of both tools during a rebuild);
notes on Lenovo's M.2 RAID and Nutanix' guide for its hosts (info -o pd). "K" and "M" behind a size
are of 1024 (468851544 K of a drive of 480 GB, 3815367 M of one of 4 TB), a stripe size is of KiB;
mnv_cli's GB stay as printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers.hwraid.facts import data_disks, volume_state
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled, is_apart
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_PAIR = re.compile(r"\s*(?P<label>#? ?[A-Za-z][\w #/().-]{0,32}?): *(?P<value>\S.{0,100})?$")
_TITLE = re.compile(r"\s*(?:Virtual|Physical) Disk Information\s*$")
_SKIPPED = re.compile(r"\s*(?:-{10,}|SG driver version [\d.]+|Total # of [A-Z]{2,3}: +\d+)\s*$")
_SURE = re.compile(
    r"\s*(?:BGA (?:status|progress): |PD RAID setup: |Stripe Block Size: |Cache mode: "
    r"|VD is secure:|PD valid size: )"
)
_FIRSTS = frozenset({"id", "VD ID", "Adapter", "PD ID"})
_SIZE = re.compile(r"(?P<number>\d{1,15}) (?P<unit>[KM])$")
_DONE = re.compile(
    r"(?P<work>[A-Za-z][a-z -]{2,24}?) is (?:running in )?(?P<percent>\d{1,3})%(?: done)?$"
)
_READ_OF_DRIVES = frozenset({
    "pd id", "pd status", "model", "serial", "firmware version", "size",
})  # fmt: skip
_READ = frozenset({
    "id", "name", "status", "stripe size", "raid mode", "size", "bga status", "bga progress",
    "# of pds", "vd id", "pd count", "stripe block size", "sector size", "vd status",
})  # fmt: skip


class Mvcli(StateOutput):
    tool = "mvcli"
    anchors = (
        "Virtual Disk Information", "Physical Disk Information", "PD valid size:",
        "BGA status:", "BGA progress:",
        "PD RAID setup:", "Stripe Block Size:", "VD is secure:",
    )  # fmt: skip
    commands = ("mvcli", "mnv_cli", "mvsetup", "mvcli.exe")
    reach = 4
    nothing = "it names no virtual disk"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _TITLE.match(line):
            return cursor.at
        if not _SURE.match(line):
            return None
        first = top_of(cursor, _PAIR.match, most=20)
        pair = _PAIR.match(cursor.line(first))
        return first if pair and pair["label"] in _FIRSTS else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, blocks, above = first, list[dict[str, str]](), list[str]()
        for index, line in close_lines(cursor, first, 600, gap=3):
            above += [""] * (index > last + 1)
            pair = _PAIR.match(line)
            if index > first and _TITLE.match(line):
                break
            if pair and not _SKIPPED.match(line):
                begun = bool(blocks) and set(blocks[-1]) == {"Adapter"}
                if not blocks or (pair["label"] in _FIRSTS and not begun):
                    blocks.append({})
                    above = []
                elif is_apart(line, above):
                    break
                above.append(line)
                if pair["value"]:
                    blocks[-1].setdefault(pair["label"], pair["value"].strip())
            elif not (_SKIPPED.match(line) or _TITLE.match(line)):
                break
            last = index
        return last, (s for block in blocks for s in _subjects(block, prompt.host))


def _subjects(block: Mapping[str, str], host: str) -> Iterator[PrintedSubject]:
    pairs = {label.lower(): text for label, text in block.items()}
    number = pairs.get("vd id", pairs.get("id", ""))
    if "raid mode" in pairs and number.isdecimal():
        yield PrintedSubject("hwraid", f"vd{number}", _of_volume(pairs), host)
    elif pairs.get("pd id", "").isdecimal() and "model" in pairs:
        yield PrintedSubject("disk", f"pd{pairs['pd id']}", _of_drive(pairs), host)


def _of_drive(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """A physical disk; its state is said by new versions alone."""
    kind = pairs.get("ssd type", "").lower()
    return as_labelled(dict(pairs), _READ_OF_DRIVES) | _sized(pairs) | without_none(
        {
            "state": pairs["pd status"].lower() if "pd status" in pairs else None,
            "model": pairs["model"],
            "serial": pairs.get("serial"),
            "firmware": pairs.get("firmware version"),
            "rotational": {"ssd": False, "no ssd": True}.get(kind),
        }
    )  # fmt: skip


def _sized(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """The size in bytes, or as printed where its unit may be either."""
    text = pairs.get("size", "")
    if match := _SIZE.match(text):
        unit = units.KIB if match["unit"] == "K" else units.MIB
        return {"size": int(match["number"]) * unit}
    return {"printed_size": text} if text else {}


def _of_volume(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    mode = pairs["raid mode"].lower()
    level = mode if re.fullmatch(r"raid\d{1,2}", mode) else None
    count = pairs.get("# of pds", pairs.get("pd count", ""))
    disks = int(count) if count.isdecimal() else None
    stripe = pairs.get("stripe block size", pairs.get("stripe size", "")).removesuffix("K")
    sector = re.match(r"(\d{3,5}) bytes", pairs.get("sector size", ""))
    statuses = [pairs.get(label, "").lower() for label in ("status", "vd status")]
    state = next(
        (s for s in map(volume_state, statuses) if s not in {"", "optimal"}),
        volume_state(statuses[0]),
    )
    done = _DONE.match(pairs.get("bga progress", ""))
    running = pairs.get("bga status", "not running") == "running"
    work = f"{done['work'].lower()} {done['percent']} %" if done else "running" if running else None
    return as_labelled(dict(pairs), _READ) | _sized(pairs) | without_none(
        {
            "label": pairs.get("name"),
            "raid_level": level,
            "state": (state or volume_state(statuses[1])) or None,
            "disks": disks,
            "data_disks": data_disks(level, disks, None),
            "strip_size": int(stripe) * units.KIB if stripe.isdecimal() else None,
            "logical_block_size": int(sector[1]) if sector else None,
            "active_operations": work,
        }
    )  # fmt: skip
