"""`megarc` of LSI's MegaRAID controllers before SAS: adapters, logical drives, their disks.

Its source is not public. Source: nagios-plugin-check_raid 4.0, its plugin megarc (-AllAdpInfo,
-dispCfg) and the output that it is tested with; LSI, MegaRAID Configuration Software User's Guide
(policies, spans, "Stripes": disks of a span). Blocks are hexadecimal, of 512 bytes. A state that is
not known is said as it stands.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.layers.hwraid.facts import data_disks, volume_state
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_DRIVE = re.compile(
    r"\s*Logical Drive {0,3}: {0,3}(?P<drive>\d{1,3}) ?\( ?Adapter: {0,3}(?P<adapter>\d{1,3}) ?\): "
    r"{0,4}Status: {0,3}(?P<state>[A-Z][A-Z ]{2,16}[A-Z])\s*$"
)
_LEVEL = re.compile(
    r"\s*SpanDepth {0,3}: ?(?P<spans>\d{1,2}) +RaidLevel: {1,3}(?P<level>\d) +RdAhead {0,2}: "
    r"?(?P<ahead>\w{2,12}) +Cache: ?(?P<io>\w{4,12})\s*$"
)
_STRIPE = re.compile(
    r"\s*StripSz {0,5}: ?(?P<strip>\d{1,5})KB +Stripes {0,3}: {0,3}(?P<disks>\d{1,3}) +WrPolicy: "
    r"?(?P<write>WriteThru|WriteBack)\w{0,8}\s*$"
)
_SPAN = re.compile(r"\s*Logical Drive (?P<drive>\d{1,3}) : SpanLevel_(?P<span>\d{1,2}) Disks\s*$")
_DISK = re.compile(
    r"\s*(?P<channel>\d{1,2}) +(?P<target>\d{2}) +0x[0-9a-f]{8} +0x(?P<blocks>[0-9a-f]{8}) +"
    r"(?P<state>[A-Z]{2,12}(?:[ -][A-Z]{2,12})?)\s*$"
)
_OTHER = re.compile(
    r"\s*+(?:-{4}[- ]*+|Chnl +Target +StartBlock +Blocks +Physical Target Status)\s*$"
)
_DISK_STATES = {"FAIL": "failed", "HOTSP": "hot spare", "HSP": "hot spare", "RBLD": "rebuild",
                "ONLN": "online", "RDY": "ready"}  # fmt: skip


class Megarc(StateOutput):
    tool = "megarc"
    anchors = ("( Adapter: ", "(Adapter: ")
    commands = ("megarc", "megarc.bin")
    reach = 70
    beginning = _DRIVE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, subjects = first, list[PrintedSubject]()
        values: dict[str, Scalar] = {}
        owner = place = ""
        for index, line in close_lines(cursor, first, 600, gap=5):
            if head := _DRIVE.match(line):
                owner, place = f"c{int(head['adapter'])}", f"v{int(head['drive'])}"
                values = {"controller": owner, "volume": f"{owner}/{place}"}
                values["state"] = volume_state(head["state"])
                subjects.append(PrintedSubject("hwraid", f"{owner}/{place}", values, prompt.host))
            elif row := _LEVEL.match(line):
                values |= {"printed_level": int(row["level"]), "spans": int(row["spans"])}
                values |= {"io_policy": row["io"].lower().removesuffix("io")}
                values["read_ahead"] = row["ahead"].lower() not in {"none", "normal"}
            elif row := _STRIPE.match(line):
                values |= _striped(row, values)
            elif row := _DISK.match(line):
                subjects.append(_disk(row, owner, place, prompt.host))
            elif not (_SPAN.match(line) or _OTHER.match(line)):
                break
            last = index
        return last, iter(subjects)


def _striped(row: re.Match[str], values: dict[str, Scalar]) -> dict[str, Scalar]:
    """The strip, and by the spans above it the level and the members."""
    spans, level = values.get("spans"), values.get("printed_level")
    many = isinstance(spans, int) and spans > 1
    raid = f"raid{level}{'0' if many and level else ''}" if level is not None else None
    disks = int(row["disks"]) * (spans if isinstance(spans, int) else 1)
    return without_none(
        {
            "strip_size": int(row["strip"]) * units.KIB,
            "disks": disks,
            "raid_level": raid,
            "data_disks": data_disks(raid, disks, spans if isinstance(spans, int) else None),
            "write_policy": "write_through" if row["write"] == "WriteThru" else "write_back",
        }
    )


def _disk(row: re.Match[str], owner: str, place: str, host: str) -> PrintedSubject:
    values: dict[str, Scalar] = {
        "controller": owner, "drive_group": place,
        "used_size": int(row["blocks"], 16) * units.SECTOR,
        "state": _DISK_STATES.get(row["state"], row["state"].lower()),
    }  # fmt: skip
    return PrintedSubject("disk", f"{owner}/ch{row['channel']}:{int(row['target'])}", values, host)
