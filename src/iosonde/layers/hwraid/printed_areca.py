"""Areca's `cli64 disk info`, `rsf info` and `vsf info`: drives, RAID sets and volume sets.

Its source is not public. Source: Areca, CLI manual (disk, rsf, vsf: Info Field);
nagios-plugin-check_raid 4.0, its plugin areca; gsmartcontrol, areca_cli_get_drives() (three forms
of disk info, EXTP of expanders); a mail to linux-scsi of 2005 with the columns of old versions. GB
are of 1000: a drive of 750156374016 bytes has 750.2GB. A state that is not known is said as it
stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.layers.hwraid.facts import volume_state
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_DISKS = re.compile(
    r"\s*(?:#\s+(?:Ch#|Enc#\s+Slot#)\s+ModelName\s+Capacity\s+Usage"
    r"|(?:#|Ch)\s+ModelName\s+Serial#\s+FirmRev\s+Capacity\s+State)\s*$"
)
_SETS = re.compile(
    r"\s*(?:#|Num)\s+Name\s+Disks\s+TotalCap\s+FreeCap\s+(?:DiskChannels|MinDiskCap)\s+State\s*$"
)
_VOLUMES = re.compile(
    r"\s*#\s+Name\s+(?:Raid Name|Raid#)\s+Level\s+Capacity\s+Ch/Id/Lun\s+State\s*$"
)
_RULE = re.compile(r"\s*={20,}\s*$")
_END = re.compile(r"\s*GuiErrMsg<0x\w\w>: ")
_SIZE = r"(?P<size>\d{1,7}\.\d)(?P<unit>[MGT]B)"
_DISK = re.compile(
    r"\s*(?P<number>\d{1,3}) +(?P<owner>\d{1,3}) +"
    r"(?:(?P<port>(?i:slot|extp))[ #]?(?P<slot>\d{1,3}) +)?"
    rf"(?P<model>\S.{{0,40}}?) +{_SIZE} +(?P<usage>\S.{{0,40}}?)\s*$"
)
_OLD_DISK = re.compile(
    r"\s*(?P<number>\d{1,3}) +(?P<model>\S.{0,40}?) +(?P<serial>[\w-]{4,24})"
    rf" +(?P<firmware>\S{{1,10}}) +{_SIZE} +(?P<usage>\S.{{0,40}}?)\s*$"
)
_SET = re.compile(
    rf"\s*(?P<number>\d{{1,3}}) +(?P<name>\S.{{0,24}}?) +(?P<disks>\d{{1,3}}) +{_SIZE} +"
    r"(?P<free>\d{1,7}\.\d[MGT]B) +(?P<last>\S{1,40}) +(?P<state>[A-Z]\S{2,24}(?: \S{3,16})?)\s*$"
)
_VOLUME = re.compile(
    rf"\s*\d{{1,3}} +(?P<level>(?i:raid|jbod|pass)[\w+]{{0,8}}) +{_SIZE} +(?P<place>\w+/\w+/\w+) +"
    r"(?P<state>[A-Z]\S{2,30}(?: \S{3,16})?)\s*$"
)
_MEMBER = re.compile(r"RaidSet Member\((\d{1,3})\)$")
_NUMBERED = re.compile(r"\s*\d{1,3} ")
_LEVELS = {"raid0+1": "raid10", "raid1+0": "raid10", "raid5+0": "raid50", "raid6+0": "raid60"}
_USAGES = {"failed": "failed", "free": "unconfigured good", "rebuild": "rebuild", "jbod": "jbod",
           "offlined": "offline", "offline": "offline"}  # fmt: skip
_PROGRESS = re.compile(r"\((\d{1,3}(?:\.\d)?)%\)")


class Areca(StateOutput):
    tool = "areca cli"
    anchors = (
        "ModelName    ", "FirmRev     Capacity", "TotalCap  FreeCap", "Capacity Ch/Id/Lun",
    )  # fmt: skip
    commands = ("cli64", "cli32", "areca-cli", "areca_cli64", "areca_cli32")
    reach = 3
    nothing = "no row stands below its head"
    beginning = re.compile("|".join(pattern.pattern for pattern in (_DISKS, _SETS, _VOLUMES)))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first)
        read = _disk if _DISKS.match(head) else _set if _SETS.match(head) else None
        last, subjects = first, list[PrintedSubject]()
        for index, line in lines(cursor, first + 1, 600):
            if _RULE.match(line):
                last = index
            elif _END.match(line):
                last = index
                break
            elif line.strip():
                if not _NUMBERED.match(line):
                    break
                last = index
                each = read(line, prompt.host) if read else _volume(head, line, prompt.host)
                subjects += each
            elif index > last + 2:
                break
        return last, subjects


def _bytes(size: str, unit: str) -> int:
    return round(units.printed(size + unit[0], binary=False)[0])


def _disk(line: str, host: str) -> Iterator[PrintedSubject]:
    """A drive; nothing of an empty slot and of a row that is cut."""
    row = _DISK.match(line)
    old = None if row else _OLD_DISK.match(line)
    if row is None and old is not None:
        yield _old_disk(old, host)
    if row is None or row["model"] == "N.A.":
        return
    port = "s" if (row["port"] or "").lower() == "slot" else "extp"
    place = f"ch{int(row['owner'])}"
    if row["slot"]:
        place = f"e{int(row['owner'])}/{port}{int(row['slot'])}"
    values: dict[str, Scalar] = {
        "number": int(row["number"]), "model": " ".join(row["model"].split()),
        "size": _bytes(row["size"], row["unit"]),
    }  # fmt: skip
    values |= _used(row["usage"])
    yield PrintedSubject("disk", place, values, host)


def _old_disk(row: re.Match[str], host: str) -> PrintedSubject:
    """A drive as old versions printed it, with the number of its set instead of the name."""
    values: dict[str, Scalar] = {
        "number": int(row["number"]), "model": " ".join(row["model"].split()),
        "serial": row["serial"], "firmware": row["firmware"],
        "size": _bytes(row["size"], row["unit"]),
    }  # fmt: skip
    member = _MEMBER.match(row["usage"])
    values |= {"drive_group": member[1]} if member else _used(row["usage"])
    return PrintedSubject("disk", f"ch{int(row['number'])}", values, host)


def _used(usage: str) -> dict[str, Scalar]:
    """What a drive is used for: a state, or the name of its set."""
    text = usage.lower().replace(" ", "")
    if text.startswith("hotspare"):
        return {"state": "hot spare"}
    if text == "passthrough":
        return {"state": "pass through"}
    state = _USAGES.get(text.removesuffix("ing"), _USAGES.get(text))
    torn = usage.endswith("#") or text in {"raid", "raidset"}  # its number is in the next line
    return {"state": state} if state else {} if torn else {"drive_group": usage}


def _set(line: str, host: str) -> Iterator[PrintedSubject]:
    row = _SET.match(line)
    if row is None:
        return
    least = re.fullmatch(r"(\d{1,7}\.\d)([MGT]B)", row["last"])
    free = re.fullmatch(r"(\d{1,7}\.\d)([MGT]B)", row["free"])
    values: dict[str, Scalar] = {
        "number": int(row["number"]), "disks": int(row["disks"]),
        "size": _bytes(row["size"], row["unit"]), **_state(row["state"]),
    }  # fmt: skip
    values |= {"free": _bytes(free[1], free[2])} if free else {}
    values |= {"smallest_disk": _bytes(least[1], least[2])} if least else {"channels": row["last"]}
    yield PrintedSubject("drive_group", row["name"], values, host)


def _volume(head: str, line: str, host: str) -> Iterator[PrintedSubject]:
    """A volume set. Names hold blanks, so where they stand below the head says what they are."""
    raid = "Raid#" if "Raid#" in head else "Raid Name"
    name, group, level = (head.index(word) for word in ("Name", raid, "Level"))
    names = line[name : group - 1].strip(), line[group : level - 1].strip()
    row = _VOLUME.match(f"{line[:name]} {line[level:]}")
    if row is None or not all(names) or line[group - 1] != " " or line[level - 1] != " ":
        return
    printed = row["level"].lower()
    level_name = _LEVELS.get(printed, printed if re.fullmatch(r"raid\d{1,2}", printed) else None)
    values = without_none(
        {
            "volume": names[0], "drive_group": names[1], "raid_level": level_name,
            "size": _bytes(row["size"], row["unit"]), "channel_id_lun": row["place"],
        }
    )  # fmt: skip
    yield PrintedSubject("hwraid", names[0], values | _state(row["state"]), host)


def _state(text: str) -> dict[str, Scalar]:
    """The state in the words of other controllers' tools, and how far its work is."""
    progress = _PROGRESS.search(text)
    name = text.partition("(")[0].lower()
    values: dict[str, Scalar] = {"state": volume_state(name)}
    if progress:
        values["active_operations"] = f"{name} {progress[1]} %"
    return values
