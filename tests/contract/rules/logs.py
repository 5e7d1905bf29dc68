"""What the kernel's log says of storage."""

from __future__ import annotations

from iosonde.records.evidence import CounterEvidence
from iosonde.records.stack import Json
from tests.contract.rules.case import RuleCase, case, counted, state


def log(kind: str, name: str, **values: Json) -> CounterEvidence:
    """What a log counts of one thing."""
    return CounterEvidence("kernel log", kind, name, "n1", values, "page:1-9", "page")


def pages(**values: Json) -> CounterEvidence:
    """What PostgreSQL says of its pages."""
    return CounterEvidence("PostgreSQL", "database", "", "n1", values, "page:1-9", "page")


CASES = (
    RuleCase(
        "io-errors.lost",
        "12 requests of a disk failed",
        case(log("disk", "sda", io_errors=12, first="1.0", last="9.0")),
        "as many of a drive with removable media",
        case(log("disk", "sr0", io_errors=12, first="1.0", last="9.0")),
    ),
    RuleCase(
        "unsteady-cluster.unsteady",
        "an OSD that went down three times, and sessions with two monitors that were lost",
        case(
            log("ceph", "osd0", downs=3, osd_state_changes=2),
            log("ceph", "mon0", lost_monitor_sessions=1),
            log("ceph", "mon1", lost_monitor_sessions=1),
        ),
        "an OSD and a monitor that were started anew, and idle connections that were closed",
        case(
            log("ceph", "osd0", downs=1, osd_state_changes=1, lost_connections=1),
            log("ceph", "mon0", lost_monitor_sessions=1),
            log(
                "ceph", "osd3", closed_connections=5, times={"closed_connections": [100.0, 3700.0]}
            ),
        ),
    ),
    RuleCase(
        "checksum-errors.changed",
        "blocks of btrfs with a wrong checksum, and a tree of an older generation",
        case(log("btrfs", "sdb1", checksum_failures=2), log("btrfs", "sdc1", transid_failures=1)),
        "a block group that is moved, and a scrub that began",
        case(log("btrfs", "sdb1", relocated_block_groups=2), log("btrfs", "sdc1", scrubs=1)),
    ),
    RuleCase(
        "checksum-errors.damaged_pages",
        "a page of PostgreSQL whose checksum is wrong",
        case(pages(damaged_pages=1, checksum_failures=2, pages=["base/5/16386:0"])),
        "a check that found none",
        case(pages(files_scanned=1234, blocks_scanned=56789, bad_checksums=0)),
    ),
    RuleCase(
        "device-resets.reset",
        "a link that was reset three times",
        case(log("disk", "ata1", link_resets=3)),
        "a log that has only errors of requests, and drives that power on while they are found",
        case(
            log("disk", "sda", io_errors=3),
            log(
                "disk",
                "7:0:1:0",
                power_on_resets=1,
                found_devices=1,
                first="999.000000",
                last="999.000000",
            ),
            log("disk", "7:0:2:0", power_on_resets=1, first="3.410342", last="3.410342"),
        ),
    ),
    RuleCase(
        "member-failed.failed",
        "an array that lost a member",
        case(log("md", "md0", failed_members=1, others=["sdb1"])),
        "one that only restored a sector",
        case(log("md", "md0", corrected_reads=1, others=["sdb1"])),
    ),
    RuleCase(
        "filesystem-errors.damaged",
        "a file system that went read-only",
        case(log("ext4", "sda1", read_only_remounts=1)),
        "a log that counts nothing of it",
        case(log("ext4", "sda1", mounts=1)),
    ),
    RuleCase(
        "hung-tasks.hung",
        "two tasks that hung",
        case(log("host", "", hung_tasks=2, blocked_seconds=[122, 245], others=["jbd2/sda1-8"])),
        "a log without any",
        case(log("host", "", others=["jbd2/sda1-8"])),
    ),
    RuleCase(
        "out-of-memory.killed",
        "a daemon that was killed for memory, and one within a limit of its own",
        case(log("host", "", killed_for_memory=1, killed=["ceph-osd"], held_kib=[6123456])),
        "a process that waited for memory in one piece, and got it",
        case(log("host", "", memory_waits=2, others=["webd"])),
    ),
    RuleCase(
        "blocked-processes.blocked",
        "three processes that wait at once",
        case(
            counted(
                "ps",
                "host",
                "",
                {
                    "processes": [
                        {"pid": pid, "state": "D", "command": "cp a b"} for pid in (31, 32, 33)
                    ]
                },
            )
        ),
        "one that does, and threads of the kernel",
        case(
            counted(
                "ps",
                "host",
                "",
                {
                    "processes": [
                        {"pid": 31, "state": "D", "command": "cp a b"},
                        {"pid": 2, "state": "D", "command": "[kworker/0:1]"},
                        {"pid": 3, "state": "D", "command": "[jbd2/sda1-8]"},
                    ]
                },
            )
        ),
    ),
    RuleCase(
        "kernel-crash.crashed",
        "a bug that the kernel found in itself, and the oops of it",
        case(log("host", "", kernel_crashes=1, oopses=1, crashes=["fs/btrfs/ctree.h:3713"])),
        "a warning, processes that were killed for memory, and a crash that somebody asked for",
        case(
            log("host", "", kernel_warnings=1, killed_for_memory=2, others=["fsstress"]),
            log("host", "", triggered_crashes=1, kernel_crashes=1, oopses=1),
        ),
    ),
    RuleCase(
        "out-of-memory.failed",
        "an allocation of 16 pages in one piece that failed",
        case(log("host", "", failed_page_allocations=1, orders=[4], failed_for=["md5sum"])),
        "a process that was killed, which is another finding",
        case(log("host", "", killed_processes=1, killed=["md5sum"])),
    ),
    RuleCase(
        "kernel-warning.warned",
        "a warning of the kernel, of which nothing else in the log says why",
        case(log("host", "", kernel_warnings=1, warned_at=["fs/namespace.c:1093"])),
        "one in a log that shows the crash that came of it, too",
        case(log("host", "", kernel_warnings=1, warned_at=["fs/namespace.c:1093"], oopses=1)),
    ),
    RuleCase(
        "unanswered-calls.unanswered",
        "calls that a server did not answer, twice",
        case(log("nfs", "nas7", unanswered_calls=2, answers_again=1)),
        "a server that began its grace period",
        case(log("nfs", "nas7", started_grace_periods=1)),
    ),
    RuleCase(
        "corrected-reads.corrected",
        "a sector restored from the other member",
        case(log("md", "md0", corrected_reads=1, others=["sdb1"])),
        "a member that failed for good, which is another finding",
        case(log("md", "md0", failed_members=1, others=["sdb1"])),
    ),
    RuleCase(
        "lost-device.lost_in_log",
        "all paths of a LUN went down, and came back once of two times",
        case(log("disk", "naa.1", all_paths_down=2, all_paths_down_ends=1)),
        "one that went on over another path",
        case(log("disk", "naa.1", failed_on_path=3, states_in_doubt=2)),
    ),
    RuleCase(
        "refused-commands.not_offered",
        "a drive of ESXi without a mode page",
        case(
            log("disk", "mpx.1", refused_commands=4, commands=["0x1a"], sense_data=["0x5 0x24 0x0"])
        ),
        "a write that was refused, and a LUN that the array does not have any more",
        case(
            log(
                "disk", "naa.1", refused_commands=4, commands=["0x2a"], sense_data=["0x5 0x24 0x0"]
            ),
            log(
                "disk", "naa.2", refused_commands=4, commands=["0x12"], sense_data=["0x5 0x25 0x0"]
            ),
        ),
    ),
    RuleCase(
        "failed-login.refused",
        "a login that the target refused, and one that iscsid counts",
        case(
            state(
                "iscsi",
                "iqn.2026-01.org.example:a",
                {
                    "login": False,
                    "portal": "10.0.0.1:3260",
                    "error_code": 24,
                    "error": "iSCSI login failed due to authorization failure",
                },
            ),
            counted("iscsid", "iscsi", "", {"refused_logins": 3, "reasons": ["target not found"]}),
        ),
        "a session that exists, and a login that was refused before one that was not",
        case(
            state(
                "iscsi",
                "iqn.2026-01.org.example:a",
                {
                    "login": False,
                    "portal": "10.0.0.1:3260",
                    "error_code": 15,
                    "error": "session exists",
                },
            ),
            counted("iscsid", "iscsi", "connection1:0", {"refused_logins": 1, "operational": 1}),
        ),
    ),
    RuleCase(
        "lost-connection.lost",
        "a connection that was lost while it was logged in",
        case(counted("iscsid", "iscsi", "connection1:0", {"lost_connections": 3, "recoveries": 3})),
        "one that ended with a logout",
        case(counted("iscsid", "iscsi", "connection1:0", {"reported_errors": 1})),
    ),
)
