"""Mounts that failed, by what mount said of it, and programs that met what a mount would have.

Many of mount's messages stand for several causes; then the finding says which, and no more.

Source: util-linux 2.38, libmount/src/context_mount.c, mnt_context_get_mount_excode() (EINVAL is
"wrong fs type, bad option, bad superblock", ENODEV "unknown filesystem type", EBUSY "already
mounted or mount point busy"); libblkid/src/superblocks (names of what stands below others); nfs(5);
nfs-utils 2.6.2, utils/mount/error.c; exports(5); errno(3), EUCLEAN and ESTALE; Linux
fs/ext4/ext4.h, fs/xfs/xfs_linux.h (EFSCORRUPTED is EUCLEAN); xfs_repair(8), -n and -L.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from iosonde.layers import CARRIED
from iosonde.layers._backing import where_to_look
from iosonde.layers._mounts.facts import printed_kind
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding

_FAILED = printed_kind("filesystem")
"""Of what a failed mount is a record."""
_TYPE = re.compile(r"unknown filesystem type ['\"‘“`](?P<type>[^'\"’”()]{1,40})['\"’”]")
_OF_BIOS = re.compile(r"(?:isw|ddf|nvidia|promise_fasttrack|silicon_medley|via|lsi_mega|adaptec|"
                      r"hpt\d{2}x|jmicron)_raid_member")  # fmt: skip
_CAUSES: Sequence[tuple[re.Pattern[str], str, str]] = (
    (
        re.compile(r"can't read superblock"),
        "the kernel answered with an input or output error: something that it reads first of "
        "{device} cannot be read, or is damaged.",
        "`dmesg | tail` right after it names what: see that all that is below is there (`lsblk`, "
        "the array, the LUN) and save the data before any repair",
    ),
    (
        re.compile(r"wrong fs type, bad option"),
        "the kernel refused {device}, and mount's message stands for every reason: another type "
        "than was asked for, an option that it does not know, a superblock that is damaged, or a "
        "helper (mount.TYPE) that is not installed.",
        "`dmesg | tail` right after it names the reason; `blkid -p` and `lsblk -f` say what is on "
        "the device; of an export or a share see that mount.TYPE is installed; no check with "
        "repairs and no new file system before that is known",
    ),
    (
        re.compile(r"special device (?P<device>\S+) does not exist"),
        "there was no {device}.",
        "`lsblk -f` shows what there is: names change with the order in which disks are found "
        "(use UUID= in fstab); a volume, an array, a LUN or a container above a disk must be "
        "activated, put together, logged in to or opened first",
    ),
    (
        re.compile(r"access denied by server"),
        "the server does not export {device} to this client, or not with this version or kind of "
        "security.",
        "on the server, `exportfs -v` shows the paths and the clients that they are for (after a "
        "change, `exportfs -ra`), and its log which address was refused; of NFS 4 the path is "
        "below the root with fsid=0, where one is set; a client behind NAT needs `insecure`",
    ),
    (
        re.compile(r"[Ss]tale (?:NFS )?file handle"),
        "the server does not know any more what {device} was: the directory was removed, or made "
        "anew on another file system, or is not exported.",
        "on the server see that the directory is there, with its own file system mounted, and "
        "`exportfs -ra`; then unmount it on the client (`umount -l` where it hangs) and mount it "
        "again; `fsid=` keeps handles over a change of device",
    ),
    (
        re.compile(r"already mounted (?:or|on)|mount point busy|Device or resource busy"),
        "{device}, or the place for it, is in use: it is mounted, or an array, LVM, multipath or "
        "device-mapper holds it.",
        "`lsblk {device}` and `findmnt` show what has it: mount what stands on it, or stop that "
        "first, where nobody uses it",
    ),
)  # fmt: skip
"""What mount says, what it means, and what to do."""
_EUCLEAN = "Structure needs cleaning"


def _refused(case: EvidenceSet) -> Iterator[Finding]:
    """Mounts that failed, and are not shown to succeed further down."""
    for state in _failures(case):
        error = str(state.values["mount_error"])
        device = _device(state)
        if match := _TYPE.search(error):
            yield _failed(state, *_of_type(match["type"], device))
            continue
        for form, means, remedy in _CAUSES:
            if match := form.search(error):
                device = match.groupdict().get("device") or device
                named, typed = device or "the device", device or "DEVICE"
                yield _failed(state, means.format(device=named), remedy.format(device=typed))
                break


def _failures(case: EvidenceSet) -> Iterator[StateEvidence]:
    """Failed mounts of places that are not shown as mounted later."""
    for index, state in enumerate(case.states):
        if state.kind == _FAILED and state.values.get("mount_error") and not any(
            later.name == state.name and later.source == state.source and state.name
            and later.values.get("device") and not later.values.get("mount_error")
            for later in case.states[index + 1 :]
        ):  # fmt: skip
            yield state


def _device(state: StateEvidence) -> str:
    """The device; some versions of mount name it where others name the place."""
    device = str(state.values.get("device") or "")
    return state.name if not device and state.name.startswith("/dev/") else device


def _of_type(fstype: str, device: str) -> tuple[str, str]:
    """What an unknown type means, and what to do."""
    named, typed = device or "the device", device or "DEVICE"
    if _OF_BIOS.fullmatch(fstype):
        return (
            f"{named} is a member of a BIOS' RAID ({fstype}), not a file system.",
            "`mdadm --assemble --scan` or `dmraid -ay` puts the set together: mount its partitions",
        )
    if fstype in CARRIED and (content := CARRIED.load(fstype)).what:
        return (
            f"{named} {content.what} ({fstype}), not a file system.",
            content.instead.format(device=typed),
        )
    return (
        f"the running kernel has no file system “{fstype}”, and mount no helper for it.",
        f"see that the type is spelt right; `modprobe {fstype}` and `grep {fstype} "
        "/proc/filesystems` show whether the kernel has it: where it does not, install its module "
        "(a package of extra modules, or of the file system), and start the host anew after an "
        f"update of the kernel; what is on a network or in user space needs mount.{fstype}",
    )


def _failed(state: StateEvidence, means: str, remedy: str) -> Finding:
    at = f" on {state.name}" if state.name and state.name != _device(state) else ""
    severity: Literal["warning", "note"] = "warning" if state.name or _device(state) else "note"
    return Finding(
        "mount-failed", severity, _subject(state), f"A mount{at} failed: {means}",
        state.evidence("mount_error", "device"), remedy,
        f"`findmnt {state.name}` shows it" if state.name else "`findmnt` shows it",
    )  # fmt: skip


def _subject(state: StateEvidence) -> str:
    name = str(state.name or state.values.get("device") or "mount")
    return f"{state.host}: {name}" if state.host else name


def _unclean(case: EvidenceSet) -> Iterator[Finding]:
    """File systems that answered a mount or a program that their structure needs cleaning."""
    for state in _failures(case):
        error = str(state.values["mount_error"])
        if _EUCLEAN in error:
            device = _device(state)
            place = device or state.name or "it"
            look = where_to_look(case, state, device.removeprefix("/dev/"))
            yield _damaged(_subject(state), f"mount could not mount {place}", error, state, look)
    for counters in case.counted("errors of programs"):
        errors, messages = counters.values.get("errors"), counters.values.get("messages")
        if isinstance(errors, dict) and errors.get(_EUCLEAN) and isinstance(messages, list):
            message = next((str(text) for text in messages if _EUCLEAN in str(text)), _EUCLEAN)
            program = counters.name or "a program"
            subject = f"{counters.host}: {program}" if counters.host else program
            yield _damaged(
                subject, f"{program} was refused", message, counters, _LOOK
            )  # fmt: skip


_LOOK = "look at what is below it (`dmesg`, `smartctl -x` of its disks)"


def _damaged(
    subject: str, what: str, message: str, thing: StateEvidence | CounterEvidence, look: str
) -> Finding:
    return Finding(
        "filesystem-errors", "error", subject,
        f"{what[0].upper()}{what[1:]}: “{_EUCLEAN}” is what the kernel answers where it finds the "
        "metadata of a file system damaged.",
        (Evidence("error", message, "", thing.where),),
        f"save what can be read, best an image of the device; {look}; then, unmounted, its check "
        "without changes first (`xfs_repair -n`, `e2fsck -fn`), and only then with repairs; "
        "`xfs_repair -L` throws the log away and is the last resort",
        "the check finds nothing, and it is mounted without a message of the kernel",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("mount-failed", "file systems", "Mounts that failed, by what mount said.",
         "mount(8); util-linux libmount/src/context_mount.c; nfs-utils utils/mount/error.c",
         _refused, stage="waiting"),
    Rule("filesystem-errors", "file systems", "File systems whose structure needs cleaning.",
         "errno(3), EUCLEAN; Linux fs/ext4/ext4.h, fs/xfs/xfs_linux.h", _unclean, stage="data"),
)  # fmt: skip
