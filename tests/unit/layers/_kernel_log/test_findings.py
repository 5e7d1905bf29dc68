"""What the kernel's log means: by device, once, and not where it means nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain

SAMPLES = Path(__file__).parents[3] / "outputs" / "kernel-log"


def test_findings_name_the_device_and_its_counts() -> None:
    rules = {
        sample.name: {(finding.rule, finding.subject) for finding in explain(str(sample)).findings}
        for sample in SAMPLES.glob("*.txt")
        if sample.name != "every-message.txt"
    }
    assert rules == {
        "console-crash.txt": {("device-resets", "rport-2:0-1"), ("io-errors", "dm-4"),
                              ("kernel-crash", "kernel log"), ("unanswered-calls", "nas7")},
        "dmesg-sata.txt": {
            ("io-errors", "sdb"), ("device-resets", "ata2.00"), ("device-resets", "ata2"),
        },
        "messages-md.txt": {
            ("io-errors", "db1: sdc"), ("member-failed", "db1: md0"),
            ("filesystem-errors", "db1: md0"), ("hung-tasks", "db1"),
        },
        "nvme-xfs.txt": {
            ("device-resets", "web3: nvme0"), ("io-errors", "web3: nvme0n1"),
            ("filesystem-errors", "web3: nvme0n1p2"),
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("log", "is_trouble"),
    [
        ("[    0.428316] ata9: hard resetting link\n"
         "[    0.532308] ata9: SATA link down (SStatus 0 SControl 300)\n", False),
        ("[    0.428015] ata1: hard resetting link\n"
         "[    0.696316] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)\n", False),
        ("[    5.428015] ata1: hard resetting link\n"
         "[   10.900000] ata1: link is slow to respond, please be patient (ready=0)\n"
         "[   15.400000] ata1: hard resetting link\n", True),
        ("[ 7000.428015] ata1: hard resetting link\n"
         "[ 7000.696316] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)\n", True),
    ],
)  # fmt: skip
def test_a_port_is_reset_once_to_see_what_is_at_it(
    tmp_path: Path, log: str, is_trouble: bool
) -> None:
    (tmp_path / "boot.txt").write_text(log)
    rules = {finding.rule for finding in explain(str(tmp_path / "boot.txt")).findings}
    assert ("device-resets" in rules) is is_trouble


def test_an_empty_drive_of_removable_media_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "cd.txt").write_text(
        "[    1.000000] I/O error, dev sr0, sector 0 op 0x0:(READ) f\n"
    )
    assert explain(str(tmp_path / "cd.txt")).findings == ()
    (tmp_path / "hd.txt").write_text(
        "[    1.000000] I/O error, dev sda, sector 0 op 0x0:(READ) f\n"
    )
    assert [finding.rule for finding in explain(str(tmp_path / "hd.txt")).findings] == ["io-errors"]


def test_a_partition_is_not_said_beside_its_disk(tmp_path: Path) -> None:
    lines = [
        "I/O error, dev nvme0n1, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
        "Buffer I/O error on dev nvme0n1p2, logical block 1, async page read",
        "Buffer I/O error on dev dm-0, logical block 1, async page read",
    ]
    (tmp_path / "log").write_text("\n".join(lines))
    assert {finding.subject for finding in explain(str(tmp_path / "log")).findings} == {
        "nvme0n1", "dm-0"
    }  # fmt: skip


@pytest.mark.parametrize(("line", "waited_for"), [
    ("[    9.500000] INFO: task kworker/0:1:77 blocked for more than 122 seconds.", "for I/O"),
    ("[    9.500000] XFS: webd(2514) possible memory allocation deadlock size 50184 in kmem_alloc",
     "for memory in one piece"),
    ("[    9.500000] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [webd:2514]",
     "a processor did not leave the kernel"),
])  # fmt: skip
def test_what_does_not_go_on_waits_for_what_the_message_says(
    tmp_path: Path, line: str, waited_for: str
) -> None:
    (tmp_path / "log").write_text(f"{line}\n")
    (finding,) = explain(str(tmp_path / "log")).findings
    assert finding.rule == "hung-tasks"
    assert waited_for in finding.message
    assert ("for I/O" in finding.message) == (waited_for == "for I/O")


@pytest.mark.parametrize(("lines", "said"), [
    ("BTRFS warning (device sdq): devid 3 uuid 209b22ec-69c7-fc32-3bdd-e269fd35b554 is missing\n"
     "BTRFS warning (device sdq): devid 3 uuid 209b22ec-69c7-fc32-3bdd-e269fd35b554 is missing",
     "counts 1 missing device of sdq at 1.0"),
    ("BTRFS error (device sdq): bdev /dev/sdr errs: wr 0, rd 3, flush 0, corrupt 0, gen 0\n"
     "BTRFS error (device sdq): bdev /dev/sdr errs: wr 0, rd 4, flush 0, corrupt 0, gen 0",
     "to sdr ended with errors: 4 reads, 0 writes and 0 flushes since"),
    ("BTRFS error (device sdq): bdev <missing disk> errs: wr 0, rd 0, flush 0, corrupt 7, gen 1",
     "a missing device returned 7 blocks with a wrong checksum and 1 block of another generation"),
    ("sd 7:0:1:0: Power-on or device reset occurred\n[  900.000000] sd 7:0:1:0: Power-on or device "
     "reset occurred", "counts 2 power on resets of 7:0:1:0"),
    ("INFO: task kworker/0:1:77 blocked for more than 245 seconds.", "did not run for 245 s or"),
    ("nvme nvme4: starting error recovery", "counts 1 error recovery of nvme4"),
    ("nvme nvme4: starting error recovery\n[    2.000000] nvme nvme4: starting error recovery",
     "counts 2 error recoveries of nvme4"),
    ("bcache: backing_request_endio() Can't flush sdq: returned bi_status 10",
     "counts 1 failed flush of sdq"),
    ("I/O error, dev sda, sector 0 op 0x0:(READ) f", "counts 1 I/O error of sda"),
])  # fmt: skip
def test_a_count_is_a_sentence(tmp_path: Path, lines: str, said: str) -> None:
    (tmp_path / "log.txt").write_text(f"[    1.000000] {lines}\n")
    (finding,) = explain(str(tmp_path / "log.txt")).findings
    assert said in finding.message


@pytest.mark.parametrize(("driver", "resets"), [("sd", 1), ("scsi", 0)])
def test_a_device_without_a_driver_is_being_looked_for(
    tmp_path: Path, driver: str, resets: int
) -> None:
    """However often and however late: `scsi` is the bus, and stands where there is no driver."""
    line = f"{driver} 7:0:1:0: Power-on or device reset occurred"
    (tmp_path / "log.txt").write_text(f"[ 2145.224506] {line}\n[ 2169.919777] {line}\n")
    assert len(explain(str(tmp_path / "log.txt")).findings) == resets


@pytest.mark.parametrize(("line", "said"), [
    ("kernel BUG at fs/btrfs/ctree.h:3713!", "counts 1 kernel crash (fs/btrfs/ctree.h:3713)"),
    ("Oops: 0000 [#1] SMP PTI", "counts 1 oops (Oops: 0000)"),
    ("nfs: server nas7 not responding, timed out", "counts 1 timed out call of nas7"),
    ("EXT4-fs (sdq1): error count since last fsck: 5", "1 earlier error report of sdq1"),
    ("EXT4-fs (loop0): error loading journal", "1 failed journal of loop0"),
    ("XFS (dm-2): Unmount and run xfs_repair", "1 advised repair of dm-2"),
])  # fmt: skip
def test_a_line_alone_is_trouble(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "log.txt").write_text(f"[    1.000000] {line}\n")
    (finding,) = explain(str(tmp_path / "log.txt")).findings
    assert said in finding.message


@pytest.mark.parametrize(("line", "rule"), [
    ("csum failed root 5 ino 257 off 8192 csum 0x8941f998 expected csum 0x2a1c4d77 mirror 1",
     "checksum-errors"),
    ("parent transid verify failed on logical 65028096 mirror 1 wanted 358014 found 358193",
     "checksum-errors"),
    ("bad tree block start, want 17628726968320 have 396461950000496896", "checksum-errors"),
    ("sdq checksum verify failed on 21057101103104 wanted 0x753cdd5f found 0x9c0ba035 level 0",
     "checksum-errors"),
    ("failed to read block groups: -5", "filesystem-errors"),
    ("couldn't read tree root", "filesystem-errors"),
    ("unable to find logical 365541452218368 length 4096", "filesystem-errors"),
    ("direct IO failed ino 261 rw 0,0 sector 0xa4e8 len 4096 err no 10", "io-errors"),
    ("failed to read the system array: -2", None),
    ("open_ctree failed: -22", None),
])  # fmt: skip
def test_trouble_of_btrfs(tmp_path: Path, line: str, rule: str | None) -> None:
    """A tree that is not there (-2) lacks a device, of which other messages speak."""
    (tmp_path / "log.txt").write_text(f"[    1.000000] BTRFS error (device sdq): {line}\n")
    rules = [finding.rule for finding in explain(str(tmp_path / "log.txt")).findings]
    assert rules == ([rule] if rule else [])


def test_a_device_is_not_named_twice(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(
        "[    9.500000] BTRFS error (device sdz8): unable to fixup (regular) error at logical "
        "98304 on dev /dev/sdz8 physical 106496\n"
    )
    (finding,) = explain(str(tmp_path / "log")).findings
    assert "(sdz8)" not in finding.message
    assert " of sdz8 at 9.5" in finding.message


def test_a_file_system_that_somebody_shut_down_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(
        "[    1.000000] XFS (vdc): User initiated shutdown received.\n"
        "[    1.100000] XFS (vdc): Log I/O Error (0x6) detected at xfs_fs_goingdown+0x55/0xb0 "
        "(fs/xfs/xfs_fsops.c:452).  Shutting down filesystem.\n"
    )
    assert explain(str(tmp_path / "log.txt")).findings == ()


@pytest.mark.parametrize("line", [
    "sas: Enter sas_scsi_recover_host busy: 0 failed: 0",
    " connection4:0: detected conn error (1020)",
    "ata5: SATA link down (SStatus 0 SControl 300)",
    "libceph: mon2 (1)10.4.0.7:6789 session lost, hunting for new mon",
    "EXT4-fs (dm-3): mounted filesystem with ordered data mode. Opts: (null)",
    "nvme nvme4: Removing ctrl: NQN \"nqn.2014-08.org.nvmexpress.discovery\"",
    "md: md7: data-check done.",
    "BTRFS info (device sdq1): scrub: finished on devid 1 with status: 0",
])  # fmt: skip
def test_what_the_kernel_says_of_its_daily_work_is_no_finding(tmp_path: Path, line: str) -> None:
    (tmp_path / "log.txt").write_text(f"[    1.000000] {line}\n")
    assert explain(str(tmp_path / "log.txt")).findings == ()


_ATA = """\
[  750.641105] ata1.00: exception Emask 0x0 SAct 0x80e00003 SErr 0x0 action 0x6 frozen
[  750.641124] ata1.00: failed command: WRITE FPDMA QUEUED
[  750.641148] ata1.00: failed command: WRITE FPDMA QUEUED
[  750.641244] ata1: hard resetting link
[  760.677688] ata1: COMRESET failed (errno=-16)
[  760.677700] ata1: reset failed (errno=-16), retrying in 8 secs
[  770.690185] ata1: hard resetting link
[  810.743856] ata1: COMRESET failed (errno=-16)
[  810.743904] ata1: reset failed, giving up
"""


@pytest.mark.parametrize(("log", "said"), [
    (_ATA, {
        "ata1.00": "1 timeout exception, 2 failed requests of ata1.00 ",
        "ata1": "2 link resets, 2 failed resets, 1 retried reset, 1 abandoned reset of ata1 ",
    }),
    (_ATA.replace("SErr 0x0 ", "SErr 0x4050002 "), {
        "ata1.00": "1 link exception, 2 failed requests of ata1.00 ",
        "ata1": "2 link resets, 2 failed resets, 1 retried reset, 1 abandoned reset of ata1 ",
    }),
    ("[  750.641105] ata1.00: failed to IDENTIFY (I/O error, err_mask=0x4)\n",
     {"ata1.00": "1 failed request of ata1.00 "}),
    ("[  750.641105] ata1.00: exception Emask 0x0 SAct 0x8000 SErr 0x0 action 0x0\n"
     "[  750.641124] ata1.00: failed command: READ FPDMA QUEUED\n", {}),
    ("[  760.677688] ata1: softreset failed (device not ready)\n", {"ata1": "1 failed reset of"}),
])  # fmt: skip
def test_resets_and_requests_of_ata_that_failed_are_counted_apart(
    tmp_path: Path, log: str, said: dict[str, str]
) -> None:
    (tmp_path / "log.txt").write_text(log)
    findings = {finding.subject: finding for finding in explain(str(tmp_path / "log.txt")).findings}
    assert set(findings) == set(said)
    for subject, counted in said.items():
        assert counted in findings[subject].message


@pytest.mark.parametrize(("lines", "said"), [
    (["[    2.500000] ata7: hard resetting link", "[   90.100000] ata7: hard resetting link",
      "[   99.900000] ata7.00: exception Emask 0x10 SAct 0x0 SErr 0x40000 action 0xe frozen",
      "[  120.000000] ata7.00: disabled"],
     {("ata7", "from 2.500000 to 90.100000:"), ("ata7.00", "at 99.900000:"),
      ("ata7.00", "at 120.000000:")}),
    ([f"Nov  3 02:1{minute}:09 db1 kernel: nvme nvme4: {what}" for minute, what in enumerate([
        "I/O 7 QID 2 timeout, reset controller", "starting error recovery",
        "Removing after probe failure status: -19"])],
     {("db1: nvme4", "from Nov  3 02:10:09 on:"), ("db1: nvme4", "at Nov  3 02:12:09:")}),
    ([f"Nov  3 02:1{minute}:09 db1 kernel: nvme nvme4: {what}" for minute, what in enumerate([
        "I/O 7 QID 2 timeout, reset controller", "starting error recovery"])],
     {("db1: nvme4", "from Nov  3 02:10:09 to Nov  3 02:11:09:")}),
    (["[  +0.000045] ata7: hard resetting link"], {("ata7", "of ata7:")}),
])  # fmt: skip
def test_the_span_is_of_what_is_counted(
    tmp_path: Path, lines: list[str], said: set[tuple[str, str]]
) -> None:
    (tmp_path / "log.txt").write_text("\n".join(lines) + "\n")
    findings = explain(str(tmp_path / "log.txt")).findings
    assert len(findings) == len(said)
    for subject, when in said:
        assert any(each.subject == subject and when in each.message for each in findings)


@pytest.mark.parametrize(("line", "rule", "subject"), [
    ("[ 2511.709162] EXT4-fs error (device sdb1): __ext4_get_inode_loc: unable to read inode block"
     " - inode=1015809, block=3676192", "filesystem-errors", "sdb1"),
    ("[ 2511.708616] Aborting journal on device sdb1:8.", "filesystem-errors", "sdb1"),
    ("[138671.416334] SPLError: 1850:0:(spl-err.c:67:vcmn_err()) WARNING: Pool 'old' has "
     "encountered an uncorrectable I/O failure and has been suspended.", "pool-suspended", "old"),
    ("[   10.000000] refcount_t: underflow; use-after-free.", "kernel-crash", "kernel log"),
    ("[   10.000000] Freezing of tasks failed after 20.009 seconds (3 tasks refusing to freeze, "
     "wq_busy=0):", "hung-tasks", "kernel log"),
    ("[   10.000000] BUG: workqueue lockup - pool cpus=8 node=0 flags=0x0 nice=0 stuck for 50s!",
     "hung-tasks", "kernel log"),
])  # fmt: skip
def test_older_and_rarer_messages_are_judged(
    tmp_path: Path, line: str, rule: str, subject: str
) -> None:
    (tmp_path / "log").write_text(f"{line}\n")
    said = [(finding.rule, finding.subject) for finding in explain(str(tmp_path / "log")).findings]
    assert said == [(rule, subject)]


def test_a_panic_says_its_reason(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("[  249.291345] Kernel panic - not syncing: Hard LOCKUP\n")
    (finding,) = explain(str(tmp_path / "log")).findings
    assert "1 kernel panic (Hard LOCKUP) at 249.291345" in finding.message


def subjects(tmp_path: Path, log: str) -> list[str]:
    (tmp_path / "log.txt").write_text(log)
    return [finding.subject for finding in explain(str(tmp_path / "log.txt")).findings]


BUG = "[  186.758123] kernel BUG at drivers/md/bcache/writeback.c:324!\n"


@pytest.mark.parametrize("above", [
    "Subject: [ 186.758123] kernel BUG at drivers/md/bcache/writeback.c:324!\n\nHi,\n\n",
    "Subject: help\n\n> [  186.758123] kernel BUG at drivers/md/bcache/writeback.c:324!\n\nSo:\n\n",
])  # fmt: skip
def test_a_line_that_a_mail_has_twice_is_counted_once(tmp_path: Path, above: str) -> None:
    assert subjects(tmp_path, above + "word\n" * 12 + BUG) == ["kernel log"]
    later = BUG.replace("186", "286")
    assert len(subjects(tmp_path, BUG + "\n" + "A word.\n" * 12 + later)) == 2


def test_work_that_was_put_off_says_nothing_of_a_processor(tmp_path: Path) -> None:
    log = "[ 900.1] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 138s!\n"
    (tmp_path / "log.txt").write_text(log.replace("900.1", " 900.100000"))
    (finding,) = explain(str(tmp_path / "log.txt")).findings
    assert "work that the kernel had put off was not begun for 138 s or more" in finding.message
    soft = "[  900.100000] watchdog: BUG: soft lockup - CPU#3 stuck for 23s! [kworker/3:1:77]\n"
    (tmp_path / "log.txt").write_text(soft)
    (finding,) = explain(str(tmp_path / "log.txt")).findings
    assert "a processor did not leave the kernel for 23 s or more" in finding.message


def test_a_function_of_the_kernel_is_no_host(tmp_path: Path) -> None:
    line = "blk_update_request: I/O error, dev nullb0, sector {} op 0x1:(WRITE) flags 0x800"
    lines = [line.format(sector) for sector in (0, 8, 16)]
    assert subjects(tmp_path, "\n".join(lines)) == ["nullb0"]
    of_host = [f"oak: [ 9041.10000{place}] {line}" for place, line in enumerate(lines)]
    assert subjects(tmp_path, "\n".join(of_host)) == ["oak: nullb0"]


def test_a_connection_of_nbd_that_failed(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(
        "[  511.100000] block nbd2: Send control failed (result -89)\n"
        "[  511.200000] block nbd2: Request send failed, requeueing\n"
    )
    (finding,) = explain(str(tmp_path / "log.txt")).findings
    assert finding.severity == "warning"
    assert "was not answered, and its requests waited, or failed" in finding.message


@pytest.mark.parametrize(("name", "subject"), [("ata1.00", "sda"), ("oak1.lan", "oak1.lan: sda")])
def test_a_device_of_the_kernel_is_no_host(tmp_path: Path, name: str, subject: str) -> None:
    stamps = [""] * 4 if name.startswith("ata") else [f"[  90.10000{at}] " for at in range(4)]
    lines = [
        f"{name}: {stamp}{text}" for stamp, text in zip(stamps, (
            "exception Emask 0x0 SAct 0x140 SErr 0x0 action 0x6", "irq_stat 0x40000008",
            "failed command: READ FPDMA QUEUED", "status: { DRDY ERR }"), strict=True)
    ]  # fmt: skip
    error = "blk_update_request: I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0"
    lines.append(error if not stamps[0] else f"{name}: [  90.200000] {error}")
    assert subject in subjects(tmp_path, "\n".join(lines))
