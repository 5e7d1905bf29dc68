"""Storages of Proxmox VE: `pvesm status`, and /etc/pve/storage.cfg, which defines them.

Each is kind `pve_storage` with `type`, `state` and, where it is active, `size`, `used` and
`available` in bytes and `used_share`, or the properties that the file has. No rule speaks of one: a
storage that is disabled was disabled, and how full one may be depends on its type.

Source: pve-storage 7 to 9, src/PVE/CLI/pvesm.pm, print_status: columns Name, Type, Status, Total,
Used, Available (with "(KiB)" behind each of them since 9) and %; KiB; N/A where it is disabled.
storage.cfg: pve-docs, "Storage Configuration" (TYPE: ID, then PROPERTY VALUE, or PROPERTY alone
where it is true), and the plugins in src/PVE/Storage.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(
    r"\s*Name\s+Type\s+Status\s+Total(?: \(KiB\))?\s+Used(?: \(KiB\))?\s+"
    r"Available(?: \(KiB\))?\s+%\s*$"
)
_ROW = re.compile(
    r"\s*(?P<name>[A-Za-z][\w.-]{0,99})\s+(?P<type>[a-z]{2,16})\s+"
    r"(?P<state>active|inactive|disabled)\s+(?P<size>\d{1,15})\s+(?P<used>\d{1,15})\s+"
    r"(?P<available>\d{1,15})\s+(?P<share>\d{1,3}\.\d\d%|N/A)\s*$"
)
_MOST = 400
_NEAR = 0.011  # of 100: how far a share may be from what it is printed as


class PvesmStatus(StateOutput):
    tool = "pvesm status"
    anchors = ("Type     Status",)
    commands = ("pvesm",)
    reach = 3
    beginning = _HEAD
    nothing = "no storage follows its head"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        storages: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            row = _ROW.match(line)
            if row and _is_whole(row):
                storages.append(
                    PrintedSubject("pve_storage", row["name"], _facts(row), prompt.host)
                )
                last = index
            else:
                break
        return last, storages


def _is_whole(row: re.Match[str]) -> bool:
    """Whether the share is that of what is used: else a figure lost digits."""
    size, used = int(row["size"]), int(row["used"])
    if row["share"] == "N/A" or not size:
        return True
    return abs(used * 100 / size - float(row["share"][:-1])) < _NEAR


def _facts(row: re.Match[str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"type": row["type"], "state": row["state"]}
    if row["state"] == "active" and int(row["size"]):
        values |= {name: int(row[name]) * units.KIB for name in ("size", "used", "available")}
        if row["share"] != "N/A":
            values["used_share"] = round(float(row["share"][:-1]) / 100, 6)
    return values


_HEADS = (
    "btrfs: ", "cephfs: ", "cifs: ", "dir: ", "esxi: ", "glusterfs: ", "iscsi: ", "iscsidirect: ",
    "lvm: ", "lvmthin: ", "nfs: ", "pbs: ", "rbd: ", "zfs: ", "zfspool: ",
)  # fmt: skip
_DEFINED = re.compile(rf"\s*(?P<type>{'|'.join(_HEADS)})(?P<name>[A-Za-z][\w.-]{{0,99}})$")
_PROPERTY = re.compile(
    r"\s*(?P<name>base|blocksize|bwlimit|comstar_[ht]g|content(?:-dirs)?|create-(?:base|sub)path|"
    r"data-pool|datastore|disable|domain|export|fs-name|fuse|is_mountpoint|iscsiprovider|krbd|"
    r"lio_tpg|max-protected-backups|maxfiles|mkdir|monhost|mountpoint|namespace|nocow|nodes|"
    r"nowritecache|options|path|pool|portal|preallocation|prune-backups|saferemove|"
    r"saferemove_throughput|server2?|share|shared|smbversion|snapshot-as-volume-chain|sparse|subdir|"
    r"tagged_only|target|thinpool|transport|vgname|volume)(?:[ \t]+(?P<value>\S.{0,300}))?$"
)
_HIDDEN = re.compile(r"\s*(?:authsupported|encryption-key|fingerprint|keyring|master-pubkey|port|"
                     r"skip-cert-verification|username)(?:\s|$)")  # fmt: skip
_SWITCHES = frozenset({
    "disable", "fuse", "krbd", "mkdir", "nocow", "nowritecache", "saferemove", "shared", "sparse",
    "tagged_only",
})  # fmt: skip


class StorageCfg(StateOutput):
    tool = "storage.cfg"
    anchors = _HEADS
    commands = ("cat",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        below = cursor.line(cursor.at + 1) or cursor.line(cursor.at + 2)
        is_head = _DEFINED.match(cursor.line(cursor.at)) and _PROPERTY.match(below)
        return cursor.at if is_head else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        storages: list[tuple[str, dict[str, Scalar]]] = []
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            if head := _DEFINED.match(line):
                storages.append((head["name"], {"type": head["type"].rstrip(": ")}))
            elif own := _PROPERTY.match(line):
                name, text = own["name"].replace("-", "_"), own["value"]
                switch = text is None or (name in _SWITCHES and text in {"0", "1"})
                storages[-1][1][name] = text != "0" if switch else text.strip()
            elif not _HIDDEN.match(line):
                break
            last = index
        return last, [PrintedSubject("pve_storage", *each, prompt.host) for each in storages]
