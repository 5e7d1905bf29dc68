"""Settings of hosts, disks and file systems."""

from __future__ import annotations

from iosonde.records.evidence import TrialEvidence
from tests.contract.rules.case import RuleCase, case, counted, state, trial

SYSCTL = {
    "vm.dirty_background_ratio": 1, "vm.dirty_expire_centisecs": 1000, "vm.dirty_ratio": 10,
    "vm.dirty_writeback_centisecs": 100,
}  # fmt: skip


def judged(direction: str, *, read_ahead: bool) -> TrialEvidence:
    """A load with read-ahead on or off."""
    return trial(
        {f"{direction}.iops": [100.0, 101.0]}, label=f"read-ahead {read_ahead}",
        settings={"n1/hwraid:.read_ahead": read_ahead},
    )  # fmt: skip


def deep(engine: str) -> TrialEvidence:
    return trial(
        {"read.iops": [100.0]}, host="n1", target="/dev/sda",
        options={"bs": 4096, "iodepth": 64, "direct": True, "ioengine": engine},
    )  # fmt: skip


CASES = (
    RuleCase(
        "mount-failed.refused",
        "a member of md that somebody mounts, a type without a driver, and a server that refuses",
        case(state("filesystem", "/mnt/a", {"mount_error": "unknown filesystem type "
                                            "'linux_raid_member'.", "device": "/dev/sdb1"}),
             state("filesystem", "/mnt/b", {"mount_error": "unknown filesystem type 'exfat'",
                                            "device": "/dev/sdc1"}),
             state("filesystem", "/mnt/c", {"mount_error": "access denied by server while "
                                            "mounting srv:/data", "device": "srv:/data"})),
        "a mount that failed and is shown mounted further down, and a complaint about fstab",
        case(state("filesystem", "/mnt/a", {"mount_error": "special device /dev/sdb1 does not "
                                            "exist", "device": "/dev/sdb1"}),
             state("filesystem", "/mnt/a", {"device": "/dev/sdc1", "size": 1 << 30}),
             state("filesystem", "", {"mount_error": "/etc/fstab: parse error at line 3 -- "
                                      "ignored"})),
    ),
    RuleCase(
        "filesystem-errors.unclean",
        "a mount, and a program, that are told that the structure needs cleaning",
        case(state("filesystem", "/srv", {"mount_error": "mount(2) system call failed: Structure "
                                          "needs cleaning.", "device": "/dev/sdb1"}),
             counted("errors of programs", "host", "ls",
                     {"errors": {"Structure needs cleaning": 1},
                      "messages": ["ls: cannot access '/srv/x': Structure needs cleaning"]})),
        "a mount of what is in use, and a program that finds a file system read-only",
        case(state("filesystem", "/srv", {"mount_error": "/dev/sdb1 already mounted or mount "
                                          "point busy.", "device": "/dev/sdb1"}),
             counted("errors of programs", "host", "ls",
                     {"errors": {"Read-only file system": 1},
                      "messages": ["touch: cannot touch '/srv/x': Read-only file system"]})),
    ),
    RuleCase(
        "dirty-limits.contradicting",
        "a background limit as high as the limit itself",
        case(state("host", "", {"vm.dirty_background_ratio": 20, "vm.dirty_ratio": 20})),
        "one of half of it",
        case(state("host", "", {"vm.dirty_background_ratio": 10, "vm.dirty_ratio": 20})),
    ),
    RuleCase(
        "dirty-limits.never_written",
        "no periodic writing",
        case(state("host", "", {"vm.dirty_writeback_centisecs": 0})),
        "periodic writing, and limits in bytes that are 0 because ratios are set",
        case(state("host", "", {"vm.dirty_writeback_centisecs": 500, "vm.dirty_bytes": 0,
                                "vm.dirty_background_bytes": 0, "vm.dirty_ratio": 20,
                                "vm.dirty_background_ratio": 10})),
    ),
    RuleCase(
        "dirty-limits.slow_to_drain",
        "a fifth of 64 GiB over a device of 100 MB/s",
        case(trial({"write.bandwidth": [100e6]}, host="n1", options={"direct": True}),
             state("host", "", {"vm.dirty_ratio": 20, "memory": 64 << 30})),
        "the same over a device of 3 GB/s",
        case(trial({"write.bandwidth": [3e9]}, host="n1", options={"direct": True}),
             state("host", "", {"vm.dirty_ratio": 20, "memory": 64 << 30})),
    ),
    RuleCase(
        "misspelt.files",
        "settings in /etc/sysclt.conf",
        case(state("host", "", SYSCTL), state("file", "/etc/sysclt.conf", {"holds": "sysctl"})),
        "settings in /etc/sysctl.conf",
        case(state("host", "", SYSCTL), state("file", "/etc/sysctl.conf", {"holds": "sysctl"})),
    ),
    RuleCase(
        "misspelt.variables",
        "RPCNFSCOUNTD in the file of nfsd",
        case(state("file", "/etc/sysconfig/nfs", {"holds": "nfs", "RPCNFSCOUNTD": 128})),
        "RPCNFSDCOUNT in it",
        case(state("file", "/etc/sysconfig/nfs", {"holds": "nfs", "RPCNFSDCOUNT": 128})),
    ),
    RuleCase(
        "misspelt.settings",
        "vm.dirty_raito",
        case(state("host", "", {"vm.dirty_raito": 10, "vm.swappiness": 1})),
        "vm.dirty_ratio",
        case(state("host", "", {"vm.dirty_ratio": 10, "vm.swappiness": 1})),
    ),
    RuleCase(
        "journal-double-write.double_write",
        "ext4 with data=journal",
        case(state("ext4", "/srv", {"data": "journal"})),
        "ext4 with data=ordered",
        case(state("ext4", "/srv", {"data": "ordered"})),
    ),
    RuleCase(
        "larger-than-device.larger_than_device",
        "a file system of more blocks than its device has",
        case(state("ext4", "md5", {"filesystem_blocks": 61865984, "device_blocks": 61079552})),
        "a device with room behind its file system",
        case(state("ext4", "md5", {"filesystem_blocks": 61079552, "device_blocks": 61865984})),
    ),
    RuleCase(
        "scheduler.schedulers",
        "a scheduler of kernels before 5.0",
        case(state("disk", "sda", {"scheduler": "deadline", "rotational": True})),
        "its name of today",
        case(state("disk", "sda", {"scheduler": "mq-deadline", "rotational": True})),
    ),
    RuleCase(
        "queue-depth.depths",
        "128 requests kept for a device that takes 256",
        case(state("disk", "sda", {"nr_requests": 128, "queue_depth": 256})),
        "as many as the device takes",
        case(state("disk", "sda", {"nr_requests": 256, "queue_depth": 256})),
    ),
    RuleCase(
        "queue-depth.more_in_flight",
        "64 I/Os in flight at a disk that takes 32",
        case(deep("libaio"), state("disk", "sda", {"queue_depth": 32})),
        "an iodepth of 64 with a synchronous engine, which keeps one",
        case(deep("psync"), state("disk", "sda", {"queue_depth": 32})),
    ),
    RuleCase(
        "read-ahead.read_ahead_judged",
        "read-ahead judged by writes",
        case(judged("write", read_ahead=True), judged("write", read_ahead=False)),
        "read-ahead judged by reads",
        case(judged("read", read_ahead=True), judged("read", read_ahead=False)),
    ),
)  # fmt: skip
