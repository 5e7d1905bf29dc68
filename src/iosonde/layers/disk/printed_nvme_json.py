"""JSON of nvme-cli (`-o json`): id-ctrl, id-ns, logs of errors, self-tests, firmware and makers.

`nvme list` and `nvme smart-log` have readers of their own.

Source: nvme-cli 2.16, src/nvme-print-json.c (json_nvme_id_ctrl(), json_nvme_id_ns(),
json_error_log(), json_self_test_log(), json_fw_log(), json_print_nvme_subsystem_list()),
plugins/ocp/ocp-print-json.c (json_smart_extended_log()), plugins/intel/intel-nvme.c
(show_intel_smart_log_jsn()); 1.x has no host around the subsystems, has no "Paths" where there are
none, and its first versions put them in an object of their own behind the subsystem's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from typing_extensions import override

from iosonde.layers import NVME_KINDS, TRANSPORT_WORDS
from iosonde.layers.disk.facts_nvme_vendor import facts_of_vendor
from iosonde.layers.disk.printed_nvme_id import controller_facts, namespace_size
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.json_output import CUT, document_at
from iosonde.text.json_tree import scalars, tables
from iosonde.text.reader import Items, StateOutput, before, nearest

_KEYS = (
    "ssvid", "nsze", "error_count", "Current Device Self-Test Operation", "HostNQN",
    "Active Firmware Slot (afi)", "Physical media units written", "Intel Smart log", "Subsystems",
)  # fmt: skip
_KEY = re.compile(rf'"(?:{"|".join(map(re.escape, _KEYS))})"\s*:')
_DEVICE = re.compile(r"/dev/(nvme\d{1,4}(?:n\d{1,4})?)\b")
_OPENS = re.compile(r"[\[{]")
_NAME = re.compile(r"nvme\d{1,4}(?:n\d{1,4})?")
_FIELDS = frozenset({"mn", "sn", "fr"})
_FLBAS_LOW, _FLBAS_HIGH = 0xF, 0x60


class NvmeJson(StateOutput):
    tool = "nvme -o json"
    anchors = tuple(f'"{key}"' for key in _KEYS)
    commands = ("nvme",)
    reach = 3
    nothing = "it says nothing of a drive"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The outermost object near the key; `nvme list` has another reader."""
        if not _KEY.search(cursor.line(cursor.at)):
            return None
        start = nearest(cursor, 8, lambda line: line.lstrip().startswith(("{", "[")))
        while start and cursor.line(before(cursor, start)).rstrip().endswith(("[", "{")):
            start = before(cursor, start)
        if start is not None and '"Devices"' in joined(cursor, start, cursor.at):
            return None
        return start

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        document = document_at(cursor, first, _OPENS)
        name, tree = next(_holders(document.value, ""), ("", {}))
        if document.is_cut:
            raise Unreadable(CUT, document.last)
        if not _is_own(tree):
            raise Unreadable("it is the JSON of another command", document.last)
        device = _DEVICE.search(prompt.command)
        return document.last, [*_items(self, tree, device[1] if device else name, prompt)]


def _holders(value: object, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Objects that hold such a key, with the drive by whose name they stand, from the outermost."""
    if isinstance(value, Mapping) and "Devices" not in value:
        if any(key in value for key in (*_KEYS, "errors")):
            yield name, value
        for key, inner in value.items():
            yield from _holders(inner, key if _NAME.fullmatch(key) else name)
    for inner in value if isinstance(value, list) else ():
        yield from _holders(inner, name)


def _is_own(tree: Mapping[str, Any]) -> bool:
    """Whether an object has further keys of the one of nvme-cli that its first key is of."""
    errors = tree.get("errors")
    logged = isinstance(errors, list) and all(
        isinstance(error, Mapping) and error.keys() >= {"error_count", "sqid"} for error in errors
    )
    pairs = (("ssvid", "vid"), ("nsze", "ncap"), ("HostNQN", "Subsystems"))
    return (
        logged
        or any(key in tree for key in _KEYS[3:] if key not in {"HostNQN", "Subsystems"})
        or any(all(key in tree for key in pair) for pair in pairs)
        or _has_subsystems(tree)
    )


def _has_subsystems(tree: Mapping[str, Any]) -> bool:
    """Whether an object is nvme-cli's list of subsystems, each with a name and an NQN."""
    entries = tree.get("Subsystems")
    return isinstance(entries, list) and any(
        isinstance(entry, Mapping) and str(entry.get("Name")).startswith("nvme-subsys")
        and "NQN" in entry for entry in entries
    )  # fmt: skip


def _items(
    output: StateOutput, tree: Mapping[str, Any], name: str, prompt: Prompt
) -> Iterator[PrintedSubject | PrintedCounters]:
    """What an object says: of controllers and their paths, or of one drive."""
    if "Subsystems" in tree:
        yield from _subsystems(tree, prompt.host)
        return
    if facts := _facts(tree):
        yield PrintedSubject("disk", name, facts, prompt.host)
    if rows := tables(tree):
        if isinstance(errors := rows.get("errors"), list):
            rows["errors"] = [
                row for row in errors if isinstance(row, dict) and row.get("error_count")
            ]
            rows["entries_shown"] = len(errors)
        yield output.counted("disk", name, rows, prompt)


def _facts(tree: Mapping[str, Any]) -> dict[str, Scalar]:
    """The single values of an object, those that have a name of discovery's by that."""
    if _ACTIVE in tree:
        return _firmware(tree)
    facts = scalars(tree, ("Intel Smart log", "errors"))
    if "ssvid" in tree:
        pairs = {key: str(value) for key, value in facts.items()}
        kept = {key: value for key, value in facts.items() if key not in _FIELDS}
        return kept | controller_facts(pairs)
    if "nsze" in tree:
        return facts | _namespace(tree)
    return facts | facts_of_vendor(tree)


_ACTIVE = "Active Firmware Slot (afi)"


def _firmware(slots: Mapping[str, Any]) -> dict[str, Scalar]:
    """The revision in each slot, and the slot that is active (bits 0 to 2 of AFI)."""
    facts: dict[str, Scalar] = {}
    for key, value in slots.items():
        slot = re.fullmatch(r"Firmware Rev Slot ([1-7])", key)
        text = re.search(r"\((.{1,8})\)\s*$", str(value))
        if key == _ACTIVE and isinstance(value, int):
            facts["active_slot"] = value & 7
        elif slot:
            facts[f"firmware_slot_{slot[1]}"] = (text[1] if text else str(value)).strip()
    return facts


def _namespace(tree: Mapping[str, Any]) -> dict[str, Scalar]:
    """Sizes in bytes, by the format in use: FLBAS bits 0 to 3 and 5 to 6 are its number."""
    formats = tree.get("lbafs")
    chosen, flbas = None, tree.get("flbas")
    if isinstance(formats, list) and isinstance(flbas, int):
        number = (flbas & _FLBAS_LOW) | (flbas & _FLBAS_HIGH) >> 1
        chosen = formats[number] if number < len(formats) else None
    shift = chosen.get("ds") if isinstance(chosen, Mapping) else None
    meta = chosen.get("ms") if isinstance(chosen, Mapping) else None
    blocks, used = tree.get("nsze"), tree.get("nuse")
    return namespace_size(
        blocks if isinstance(blocks, int) else None, used if isinstance(used, int) else None,
        1 << shift if isinstance(shift, int) and 0 < shift < 20 else None,
        meta if isinstance(meta, int) else 0,
    )  # fmt: skip


def _subsystems(tree: Mapping[str, Any], host: str) -> Iterator[PrintedSubject]:
    """Controllers with the subsystem that they are paths of, as `nvme list-subsys` in text.

    A subsystem that has lost all its paths stands by its own name.
    """
    entries: list[Mapping[str, Any]] = [
        entry for entry in tree.get("Subsystems", ()) if isinstance(entry, Mapping)
    ]
    for entry, following in pairwise([*entries, {}]):
        if "Name" not in entry or "NQN" not in entry:
            continue
        name, nqn = str(entry["Name"]), str(entry["NQN"])
        paths = entry.get("Paths") or (() if "Name" in following else following.get("Paths"))
        if not paths:
            lost: dict[str, Scalar] = {
                "nqn": nqn, "hostnqn": str(tree.get("HostNQN") or "") or None,
                "iopolicy": str(entry.get("IOPolicy") or "") or None, "paths": 0,
            }  # fmt: skip
            yield PrintedSubject(NVME_KINDS[""], name, without_none(lost), host)
        for path in paths or ():
            transport = str(path.get("Transport", ""))
            facts: dict[str, Scalar] = {
                "nqn": nqn, "subsystem": name, "hostnqn": str(tree.get("HostNQN") or "") or None,
                "transport": TRANSPORT_WORDS.get(transport, transport),
                "state": str(path.get("State") or "") or None,
                "ana_state": str(path.get("ANAState") or "") or None,
                "iopolicy": str(entry.get("IOPolicy") or "") or None,
            }  # fmt: skip
            facts |= _address(str(path.get("Address") or ""))
            kind = NVME_KINDS.get(transport, NVME_KINDS[""])
            yield PrintedSubject(kind, str(path["Name"]), without_none(facts), host)


def _address(text: str) -> dict[str, Scalar]:
    """Address and port: `0000:41:00.0` or `traddr=192.0.2.9,trsvcid=4420`, 1.x with a blank."""
    names = {"traddr": "address", "trsvcid": "port"}
    parts = (part.partition("=") for part in text.replace(",", " ").split(" ") if part)
    return {
        names.get(name, name) if equals else "address": value if equals else name
        for name, equals, value in parts
    }
