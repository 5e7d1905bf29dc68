"""Causes that a kernel's log shows in the lines before an error, and what is done about them.

Source:
    Linux 6.12 drivers/usb/core/hub.c, usb_disconnect(); drivers/usb/storage/usb.c (the host of SCSI
    is named by its USB interface); drivers/scsi/constants.c and T10's list of additional sense
    codes (20h and 27h, 74h/71h); drivers/md/dm-crypt.c, crypt_convert_block_aead();
    drivers/md/dm-integrity.c; drivers/nvme/target/tcp.c, nvmet_tcp_try_recv_ddgst();
    drivers/nvme/host/tcp.c, nvme_tcp_recv_ddgst(); btrfs(5), btrfs-filesystem(8), usage.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.layers._kernel_log.events import KernelMessage, Trouble
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.stack import Json

_REACH = 8  # lines between a cause and its error, and from one such error to the next
_SECOND = 1.0  # from a disconnect to the errors of a disk that the log does not join with it
_TROUBLES = frozenset({"data", "damage", "gone", "device"})
_PART = re.compile(r"(sd[a-z]{1,4})\d{0,4}$")
_PLACE = re.compile(r"(?:sd|scsi) (\d{1,5}):\d+:\d+:\d+: (?:\[(sd[a-z]{1,4})\])?")
_CONTROLLER = re.compile(r"nvme\d+")
_DENIED: Mapping[str, re.Pattern[str]] = {
    "no_room_below": re.compile(r"Space allocation failed write protect"),
    "write_protected": re.compile(r".*write protect|Write protect"),
    "locked": re.compile(r"Logical unit access not authorized|Access denied"),
}
"""Additional senses below the key `Data Protect`, the narrowest first."""
_FOLLOWING = frozenset({"skipped_commits", "shutdowns"})
"""Counters of what a file system does after any error that stops it, wherever the log says it."""
_UPTIME = re.compile(r"\d{1,9}\.\d{6}")


class CauseText(NamedTuple):
    """How a cause is said: behind the counters, with `{of}` for whose it is, and what helps.

    Args:
        said: goes on with the sentence that counts.
        after: what stands instead of the trouble's own words; empty: those.
        remedy: what is to be done.
        confirm: how it is seen that it helped.
        trouble: whose own words `after` replaces.
    """

    said: str
    after: str
    remedy: str
    confirm: str
    trouble: Trouble = "data"


CAUSES: Mapping[str, CauseText] = {
    "usb_disconnect": CauseText(
        "right after the `USB disconnect` of {of}", "",
        "unless somebody unplugged it, look at the USB cable, the port or hub and the power of the "
        "device, and at what the log says of {of} before; connect it anew, and check what is on it "
        "before it is used",
        "the log names no more disconnects while the whole device is read",
    ),
    "locked": CauseText(
        "after the device of {of} refused access (sense key Data Protect)", "",
        "unlock it: a drive or an enclosure that encrypts gives nothing out before (Security in "
        "`hdparm -I`, `sedutil-cli --query`, or its maker's program); of a LUN, see what its array "
        "allows this host",
        "its first blocks can be read, and the log stays without such lines",
    ),
    "write_protected": CauseText(
        "after the device of {of} said that it is write protected (sense key Data Protect)",
        "what these requests carried was not written.",
        "find what protects it: `blockdev --getro`, a switch of the medium or its reader, the way "
        "the LUN is exported, or a drive that ended its life as read-only",
        "it can be written, and the log stays without such lines",
    ),
    "no_room_below": CauseText(
        "after the device of {of} had no space to allocate (sense key Data Protect)",
        "what these requests carried was not written.",
        "make room in the pool of the array or target that its thin LUN is in; then write anew "
        "what was not written",
        "it can be written, and the log stays without such lines",
    ),
    "integrity": CauseText(
        "right after an integrity error of {of}",
        "what was read does not match the tag that is kept of it.",
        "see whether these sectors were ever written since the device was made (they have no valid "
        "tag before, as without the wipe of `cryptsetup luksFormat --integrity`), whether its key "
        "and algorithms are those it was made with, or whether something wrote below it; write "
        "them anew, or bring them back from a copy",
        "the whole device is read without such lines",
    ),
    "digest": CauseText(
        "right after data arrived with a wrong digest (`digest error` of NVMe/TCP)", "",
        "look at the network between host and target: errors of cards and ports (`ethtool -S`), "
        "offloads, drivers and firmware of the cards on both sides; leave measurements of that "
        "time out",
        "the log stays without such lines during a load of an hour",
    ),
    "no_space": CauseText(
        "with errno -28, no space left",
        "the file system had no space for what it had to write, mostly metadata, and stopped so as "
        "not to be damaged.",
        "see `btrfs filesystem usage`: whether metadata is full and nothing is unallocated; mount "
        "it anew, delete or add a device, then `btrfs balance start -dusage=10` (and more) to free "
        "chunks of data",
        "`btrfs filesystem usage` names unallocated space, and the log stays without such lines",
        "damage",
    ),
}  # fmt: skip


_DEVICE_SIZE = re.compile(r"device_\d{1,9}_size")
_CHUNK = 10 * units.GIB  # of a device
_ON_DEVICES = {"single": 1, "dup": 1, "raid1": 2, "raid10": 2, "raid1c3": 3, "raid1c4": 4}
"""Profile of metadata → devices that need space for a new chunk of it."""
_NOT_FULL = CauseText(
    "with errno -28, no space left",
    "the file system stopped for want of space, but the text shows {room} of it unallocated: "
    "unless that was freed or added afterwards, it was not full, and the kernel reserved or "
    "counted its space wrongly.",
    "mount it anew, and look for a fix in newer kernels, or report it with the kernel's version "
    "and the mount options",
    "the log stays without such lines",
    "damage",
)


def unless_room(
    case: EvidenceSet, thing: CounterEvidence, cause: CauseText | None
) -> CauseText | None:
    """The cause, or another where a file system lacked space that the same text shows it to have.

    Only where the text shows the file system on this device, and what its metadata need.
    """
    if cause is None or cause.said != _NOT_FULL.said:
        return cause
    beside = [
        state for state in case.of_kind(thing.kind)
        if state.source == thing.source and len({state.host, thing.host} - {""}) < 2
    ]  # fmt: skip
    profiles = {str(state.values["metadata_profile"]) for state in beside
                if "metadata_profile" in state.values}  # fmt: skip
    needed = _ON_DEVICES.get(profiles.pop(), 0) if len(profiles) == 1 else 0
    rooms = [rooms for state in beside if (rooms := _rooms(state, thing.name))]
    if not needed or not rooms or sum(room >= _CHUNK for room in rooms[-1]) < needed:
        return cause
    room = units.show_bytes(sum(rooms[-1]))
    return _NOT_FULL._replace(after=_NOT_FULL.after.format(room=room))


def _rooms(system: StateEvidence, device: str) -> list[int]:
    """Bytes not allocated of each device of a file system; empty where this one is not of it."""
    values = system.values
    usage = {name: value for name, value in values.items() if name.startswith("unallocated_")}
    if usage:
        of_it = [value for value in usage.values() if isinstance(value, int)]
        return of_it if f"unallocated_{device}" in usage else []
    if f"/dev/{device}" not in fields(str(values.get("paths", ""))):
        return []
    return [
        int(size) - int(system.number(f"{name.removesuffix('_size')}_used"))
        for name, size in values.items()
        if _DEVICE_SIZE.fullmatch(name) and isinstance(size, int)
    ]


class _Sign(NamedTuple):
    """A cause in a log: its name, whose it is, the index of its line, and the printed time.

    With a kind it is one for things of that kind alone.
    """

    cause: str
    of: str
    line: int
    at: str
    kind: str = ""


class Causes:
    """The causes that a log named last, as its messages are gone through."""

    def __init__(self) -> None:
        self._hosts: dict[str, str] = {}  # number of a SCSI host to its driver or USB port
        self._places: dict[str, str] = {}  # disk to number of its SCSI host
        self._protected: dict[str, int] = {}  # disk to the line of its sense key Data Protect
        self._own: dict[str, _Sign] = {}  # by disk, controller, or empty for the target's
        self._usb: _Sign | None = None
        self._integrity: _Sign | None = None

    def add(
        self, values: dict[str, Json], message: KernelMessage, match: re.Match[str],
        place: tuple[int, str],
    ) -> None:  # fmt: skip
        """Notes a message, and writes into the record of its thing what caused it.

        Args:
            values: of the thing; `causes` counts by cause and counter, `caused_by` says whose.
            message: that the log holds.
            match: of its pattern.
            place: index of its line and the time printed there.
        """
        index, at = place
        name = match.groupdict().get("name") or ""
        self._note(message, match, name, _Sign("", name, index, at))
        if message.trouble not in _TROUBLES:
            return
        thing = _disk(name)
        sign = self._of(message, thing, index, at)
        if sign is None:
            return
        self._own[thing] = sign._replace(line=index)
        counted = values.setdefault("causes", {})
        if isinstance(counted, dict):
            by_counter = counted.setdefault(sign.cause, {})
            if isinstance(by_counter, dict):
                number = by_counter.get(message.counts, 0)
                by_counter[message.counts] = (number if isinstance(number, int) else 0) + 1
        names = values.setdefault("caused_by", [])
        if isinstance(names, list) and sign.of and sign.of not in names:
            names.append(sign.of)

    def _note(self, message: KernelMessage, match: re.Match[str], name: str, here: _Sign) -> None:
        groups = match.groupdict()
        if place := _PLACE.match(match.string, match.start()):
            self._places[place[2] or name] = place[1]
        if message.counts == "adapters":
            driver = groups.get("usb_ports") or groups.get("drivers") or ""
            self._hosts[name.removeprefix("host")] = driver
        elif message.cause == "usb_disconnect":
            self._usb = here._replace(cause=message.cause)
        elif message.counts == "attached_disks":  # it is there again, or another by its name
            self._own.pop(name, None)
            self._usb = None
        elif message.cause:
            kind = message.kind if message.trouble == "damage" or not name else ""
            self._own[_disk(name)] = here._replace(cause=message.cause, kind=kind)
            if message.cause == "integrity":
                self._integrity = self._own[name]
        elif groups.get("errors"):  # another error than that of the cause
            self._own.pop(_disk(name), None)
        else:
            self._note_sense(message, groups, here)

    def _note_sense(
        self, message: KernelMessage, groups: Mapping[str, str | None], here: _Sign
    ) -> None:
        """What a disk answered to its last request: the key, in a line below it what that means."""
        if message.counts == "senses":
            self._own.pop(here.of, None)
            self._protected.pop(here.of, None)
            if groups.get("sense_keys") == "Data Protect":
                self._protected[here.of] = here.line
        elif message.counts == "additions" and here.of in self._protected:
            said = groups.get("additional_senses") or ""
            cause = next((each for each, which in _DENIED.items() if which.match(said)), "")
            if cause and here.line - self._protected[here.of] <= _REACH:
                self._own[here.of] = here._replace(cause=cause)

    def _of(self, message: KernelMessage, thing: str, index: int, at: str) -> _Sign | None:
        """The cause of an error: of the same device, of the one below, or a disconnect."""
        controller = _CONTROLLER.match(thing)
        own = self._own.get(thing) or (self._own.get(controller[0]) if controller else None)
        if own and own.kind in {"", message.kind} and index - own.line <= _REACH:
            return own
        if thing.startswith("dm-"):
            below = self._integrity
            return below if below and index - below.line <= _REACH else None
        usb = self._usb
        return usb if usb and index - usb.line <= _REACH and self._is_gone(usb, thing, at) else None

    def _is_gone(self, usb: _Sign, disk: str, at: str) -> bool:
        """Whether a disk is the one that was disconnected.

        Where the log does not say by which port it is attached, it failed in the same second.
        """
        if not _PART.match(disk):
            return False
        driver = self._hosts.get(self._places.get(disk, ""))
        if driver:
            return usb.of == f"usb {driver}" or (driver == "uas" and _is_near(usb.at, at))
        return _is_near(usb.at, at)


def _disk(name: str) -> str:
    """The disk of a partition; another name as it is."""
    part = _PART.match(name)
    return part[1] if part else name


def _is_near(before: str, at: str) -> bool:
    if _UPTIME.fullmatch(before) and _UPTIME.fullmatch(at):
        return 0 <= float(at) - float(before) <= _SECOND
    return bool(at) and at == before and at[0] != "+"


def cause_of(
    thing: CounterEvidence, trouble: str, counts: Mapping[str, int]
) -> tuple[str, CauseText | None]:
    """What the log shows as the cause of what is counted.

    Args:
        thing: with `causes` of the reader.
        trouble: that the counters are a sign of.
        counts: its counters.

    Returns:
        What the sentence says of it, empty without; and the cause's text where all have it.
    """
    causes, names = thing.values.get("causes"), thing.values.get("caused_by")
    whose = ", ".join(map(str, names)) if isinstance(names, list) and names else "it"
    for cause, counted in causes.items() if isinstance(causes, dict) else ():
        by_counter = counted if isinstance(counted, dict) else {}
        caused_by = [name for name in by_counter if name in counts]
        caused = [by_counter[name] for name in caused_by]
        number = sum(each for each in caused if isinstance(each, int))
        if not number:
            continue
        text = CAUSES[cause]
        said = text.said.format(of=whose)
        if number < sum(
            each for name, each in counts.items() if name not in _FOLLOWING - {*caused_by}
        ):
            return f", {number:,} of them {said}", None
        after = text.after if trouble == text.trouble else ""
        text = text._replace(after=after, remedy=text.remedy.format(of=whose))
        return "" if cause == "integrity" and whose == thing.name else f", {said}", text
    return "", None
