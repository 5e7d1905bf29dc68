"""Messages that were written down as printed, and the values by which a record says the same.

Each pattern is a whole message of a tool; every value that it names must stand in one thing of the
record, or the record does not say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
ANY = object()
"""Whatever the value is: that it is there says the message."""
_NAME = r"/dev/(?P<name>[\w/.!-]+)"
_TABLE: Sequence[tuple[re.Pattern[str], Mapping[str, object]]] = tuple(
    (re.compile(pattern, re.IGNORECASE), wanted)
    for pattern, wanted in (
        (rf"(?:Disk )?{_NAME}:? (?P<message>doesn't contain a valid partition table"
         r"|unrecogni[sz]ed disk label)", {}),
        (r"Device (?P<message>does not contain a recognized partition table)", {}),
        (r"Created a new (?P<partition_table>DOS|GPT) disklabel with disk identifier "
         r"(?P<disk_identifier>0x[0-9a-f]{8})", {}),
        (r"(?:Created a new partition|Partition) (?P<number>\d+) of type '?(?P<type>[^']+?)'? "
         r"and of size (?P<size>[\d.]+ [KMGT]iB)(?: is set)?", {}),
        (rf"Partition {_NAME} is being used\. Are you sure you want to continue\?",
         {"in_use": True}),
        (rf"The existing disk label on {_NAME} will be destroyed and all data on this disk will be "
         r"lost(?:\. Do you want to continue\?)?", {"relabel": ANY}),
        (rf"Filesystem at {_NAME} is mounted on (?P<mount>/\S*); on-line resizing required",
         {"online": True}),
        (r"recovering journal", {"journal_recovered": True}),
        (r"(?P<name>osdmap) e(?P<epoch>\d+): (?P<osds>\d+) osds: (?P<osds_up>\d+) up, "
         r"(?P<osds_in>\d+) in", {}),
        (r"(?P<transport>tcp|iser|rdma): \[(?P<session>\d+)\]", {}),
    )
)  # fmt: skip
_PGS = re.compile(r"(?P<count>\d+) (?P<state>[a-z]+(?:\+[a-z_]+)*)")
_GROUP = re.compile(r"prio=(?P<priority>\d+) status=(?P<state>\w+)")
_PROFILE = re.compile(r"(?P<type>Data|System|Metadata), ?(?P<profile>\w+)")
_TYPED = re.compile(r"type (?P<code>[0-9a-f]{2})")
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def says_message(wanted: Json, record: Json) -> bool:
    """Whether values of one thing of a record say a message that was written down.

    Args:
        wanted: its name and its value, a text.
        record: of an import.
    """
    truth = wanted["value"]
    if not isinstance(truth, str):
        return False
    text = " ".join(truth.split()).rstrip(".")
    things = record.get("subjects") or (record,)
    return any(
        _says(text, thing) or _is_switched(wanted, thing["values"])
        for thing in things
        if isinstance(thing.get("values"), Mapping)
    )


def _says(text: str, thing: Json) -> bool:
    values = thing["values"]
    for pattern, fixed in _TABLE:
        if match := pattern.fullmatch(text):
            named = match.groupdict()
            own = all(
                _is_called(thing, key, value) or _equals(values.get(key), value)
                for key, value in named.items()
            )
            return own and all(
                key in values if value is ANY else values.get(key) == value
                for key, value in fixed.items()
            )
    return any(_forms(text, values))


def _forms(text: str, values: Json) -> Iterable[bool]:
    """What single words of some tools mean."""
    if match := _PGS.fullmatch(text):
        yield values.get(f"pgs_{match['state']}") == int(match["count"])
    if match := _GROUP.fullmatch(text):
        groups = zip(
            _parts(values.get("group_priorities")), _parts(values.get("group_states")), strict=False
        )
        yield (match["priority"], match["state"]) in groups
    if match := _PROFILE.fullmatch(text):
        key = f"{match['type'].lower()}_profile"
        yield _equals(values.get(key), match["profile"])
    if match := _TYPED.fullmatch(text):
        yield any(key.endswith("_type") and value == match["code"] for key, value in values.items())


def _is_called(thing: Json, key: str, value: str) -> bool:
    """Whether a thing has that name, or the number of a partition at the end of it."""
    name = str(thing.get("name") or "")
    stem = name.rstrip("0123456789") if key == "number" else ""
    return key in {"name", "number"} and name.removeprefix(stem) == value


def _is_switched(wanted: Json, values: Json) -> bool:
    """Whether a column called `Is Online` that holds true is told as the state `online`."""
    column = re.fullmatch(r"is (\w+)", str(wanted["name"]).lower())
    is_on = str(wanted["value"]).lower() == "true"
    return column is not None and is_on and values.get("state") == column[1]


def _parts(value: object) -> list[str]:
    return [part.strip() for part in str(value or "").split(",")]


def _equals(value: object, text: str) -> bool:
    number, _, unit = text.partition(" ")
    if unit in _UNITS and isinstance(value, int):
        return value == round(float(number) * _UNITS[unit])
    return str(value).lower() == text.lower()
