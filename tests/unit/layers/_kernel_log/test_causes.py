"""What a log shows as the cause of an error in the lines before it, and what looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.finding import Finding
from iosonde.verbs.explain import explain

READ = "I/O error, dev {}, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2"
BUFFER = "Buffer I/O error on dev {}, logical block 256, async page read"
STORAGE = "scsi host5: usb-storage 2-4:1.0"
PLACED = "sd 5:0:0:0: [sdq] Write Protect is off"
GONE = "usb 2-4: USB disconnect, device number 9"
PROTECTED = "sd 5:0:0:0: [sdq] tag#3 Sense Key : Data Protect [current]"
TAG = "device-mapper: crypt: dm-4: INTEGRITY AEAD ERROR, sector 4096"
DIGEST = "nvmet_tcp: queue 3: cmd 21 pdu (4) data digest error: recv 0x1a2b3c4d expected 0x4d3c2b1a"
FATAL = "nvmet: ctrl 1 fatal error occurred!"
NO_SPACE = "BTRFS: error (device sdq1) in btrfs_run_delayed_refs:2150: errno=-28 No space left"


def _findings(tmp_path: Path, *messages: str, apart: float = 0.001) -> dict[str, Finding]:
    lines = [f"[ {900 + number * apart:.6f}] {each}" for number, each in enumerate(messages)]
    (tmp_path / "log.txt").write_text("\n".join(lines) + "\n")
    return {finding.subject: finding for finding in explain(str(tmp_path / "log.txt")).findings}


def _sense(said: str) -> tuple[str, ...]:
    return PROTECTED, f"sd 5:0:0:0: [sdq] tag#3 Add. Sense: {said}", READ.format("sdq")


@pytest.mark.parametrize(("messages", "subject", "said", "remedy"), [
    ((STORAGE, PLACED, GONE, READ.format("sdq"), BUFFER.format("sdq")), "sdq",
     "right after the `USB disconnect` of usb 2-4:", "USB cable"),
    ((GONE, READ.format("sdq"), BUFFER.format("sdq1")), "sdq",
     "right after the `USB disconnect` of usb 2-4:", "USB cable"),
    (("scsi host5: uas", PLACED, GONE, READ.format("sdq")), "sdq", "of usb 2-4:", "USB cable"),
    ((GONE, "EXT4-fs error (device sdq1): ext4_find_entry:1682: inode #2: comm ls: reading "
      "directory lblock 0"), "sdq1", "of usb 2-4:", "USB cable"),
    (_sense("Logical unit access not authorized"), "sdq", "refused access", "unlock it"),
    (_sense("Write protected"), "sdq", "is write protected", "find what protects it"),
    (_sense("Space allocation failed write protect"), "sdq", "no space to allocate", "thin LUN"),
    ((TAG, TAG, BUFFER.format("dm-5"), BUFFER.format("dm-5")), "dm-5",
     "right after an integrity error of dm-4:", "have no valid tag"),
    ((TAG,), "dm-4", "1 integrity error of dm-4 at 900.000000: what was read does not match",
     "have no valid tag"),
    (("device-mapper: integrity: dm-4: Checksum failed at sector 0x1c8", BUFFER.format("dm-5")),
     "dm-5", "right after an integrity error of dm-4:", "have no valid tag"),
    ((DIGEST, FATAL, DIGEST, FATAL), "kernel log",
     "2 fatal errors from 900.001000 to 900.003000, right after data arrived",
     "the network between host and target"),
    (("nvme nvme2: data digest error: recv 0x1a2b3c4d expected 0x4d3c2b1a", READ.format("nvme2n1")),
     "nvme2n1", "a wrong digest", "the network between host and target"),
    ((NO_SPACE, NO_SPACE), "sdq1", ", with errno -28", "btrfs filesystem usage"),
])  # fmt: skip
def test_a_cause_that_the_log_shows_has_its_own_remedy(
    tmp_path: Path, messages: tuple[str, ...], subject: str, said: str, remedy: str
) -> None:
    finding = _findings(tmp_path, *messages)[subject]
    assert said in finding.message
    assert remedy in finding.remedy
    assert "smartctl" not in finding.remedy


@pytest.mark.parametrize(("messages", "subject"), [
    ((STORAGE.replace("2-4", "2-5"), PLACED, GONE, READ.format("sdq")), "sdq"),
    (("scsi host5: ahci", PLACED, GONE, READ.format("sdq")), "sdq"),
    ((GONE, READ.format("nvme0n1")), "nvme0n1"),
    ((GONE, *["sd 6:0:0:0: [sdx] Write Protect is off"] * 9, READ.format("sdq")), "sdq"),
    ((GONE, "sd 5:0:0:0: [sdq] Attached SCSI disk", READ.format("sdq")), "sdq"),
    ((READ.format("sdq"), GONE), "sdq"),
    ((*_sense("Write protected")[:2], READ.format("sdx")), "sdx"),
    ((PROTECTED.replace("Data Protect", "Medium Error"), *_sense("Write protected")[1:]), "sdq"),
    (_sense("Unrecovered read error"), "sdq"),
    ((TAG, READ.format("sdq")), "sdq"),
    ((BUFFER.format("dm-5"), TAG), "dm-5"),
    (("nvme nvme3: data digest error: recv 0x1a2b3c4d expected 0x4d3c2b1a", READ.format("nvme2n1")),
     "nvme2n1"),
])  # fmt: skip
def test_what_is_of_another_device_or_comes_later_is_no_cause(
    tmp_path: Path, messages: tuple[str, ...], subject: str
) -> None:
    finding = _findings(tmp_path, *messages)[subject]
    assert "what these requests carried was not read or not written" in finding.message
    assert " at 900" in finding.message
    assert ", right after" not in finding.message
    assert ", after" not in finding.message
    assert "smartctl" in finding.remedy


def test_a_disconnect_a_minute_before_is_of_a_device_that_the_log_must_name(tmp_path: Path) -> None:
    near = _findings(tmp_path, STORAGE, PLACED, GONE, READ.format("sdq"), apart=60.0)["sdq"]
    assert "USB disconnect" in near.message
    far = _findings(tmp_path, GONE, READ.format("sdq"), apart=60.0)["sdq"]
    assert "USB disconnect" not in far.message


def test_a_cause_of_some_is_said_of_some(tmp_path: Path) -> None:
    others = ["sd 6:0:0:0: [sdx] Write Protect is off"] * 9
    log = (READ.format("sdq"), *others, STORAGE, PLACED, GONE, READ.format("sdq"))
    finding = _findings(tmp_path, *log)["sdq"]
    assert "2 I/O errors of sdq from" in finding.message
    assert ", 1 of them right after the `USB disconnect` of usb 2-4:" in finding.message
    assert "smartctl" in finding.remedy


def test_a_target_is_no_drive(tmp_path: Path) -> None:
    for line in (FATAL, "nvmet: ctrl 1 keep-alive timer (15 seconds) expired!"):
        finding = _findings(tmp_path, line)["kernel log"]
        assert finding.rule == "device-resets"
        assert "digest" not in finding.message
        assert "the target ended the connection of a host" in finding.message
        assert "smartctl" not in finding.remedy
        assert "the host's own log" in finding.remedy


@pytest.mark.parametrize("reason", ["errno=-5 IO failure", "errno=-117 Filesystem corrupted"])
def test_btrfs_that_stopped_for_another_reason_is_damaged(tmp_path: Path, reason: str) -> None:
    other = NO_SPACE.replace("errno=-28 No space left", reason)
    finding = _findings(tmp_path, other)["sdq1"]
    assert "no space left" not in finding.message
    assert "find the cause below it" in finding.remedy
    finding = _findings(tmp_path, NO_SPACE, other)["sdq1"]
    assert "1 of them with errno -28, no space left:" in finding.message
    assert "find the cause below it" in finding.remedy


def test_no_space_of_a_file_system_is_no_cause_of_errors_of_its_disk(tmp_path: Path) -> None:
    findings = _findings(tmp_path, NO_SPACE, READ.format("sdq"))
    assert "errno" not in findings["sdq"].message
    assert "smartctl" in findings["sdq"].remedy


ABORTED = "BTRFS: Transaction aborted (error -28)"
USAGE = """
# btrfs filesystem usage /data
Overall:
    Device size:                   4.00TiB
    Device allocated:            276.00GiB
    Device unallocated:            {left}
    Used:                        227.00GiB
    Free (estimated):              3.70TiB      (min: 1.90TiB)

Data,single: Size:268.00GiB, Used:223.00GiB
   /dev/sdq1     268.00GiB

Metadata,{profile}: Size:4.00GiB, Used:2.00GiB
   /dev/sdq1       4.00GiB

Unallocated:
   /dev/sdq1       {left}
"""


def test_an_abort_without_a_device_is_of_the_only_one_that_the_log_names(tmp_path: Path) -> None:
    unused = "BTRFS warning (device sdq1): cleanup_transaction:1831: Aborting unused transaction"
    skipped = "BTRFS warning (device sdq1): Skipping commit of aborted transaction."
    findings = _findings(tmp_path, skipped, ABORTED, f"{unused}(No space left).")
    assert list(findings) == ["sdq1"]
    said = findings["sdq1"].message
    assert "1 skipped commit, 1 filesystem error, 1 aborted transaction of sdq1 from 900.0" in said
    assert "with errno -28, no space left: the file system had no space" in said
    two = _findings(tmp_path, ABORTED, NO_SPACE, NO_SPACE.replace("sdq1", "sdr1"))
    assert set(two) == {"kernel log", "sdq1", "sdr1"}


@pytest.mark.parametrize(("left", "profile", "is_full"), [
    ("3.73TiB", "DUP", False), ("3.73TiB", "RAID1", True), ("4.00GiB", "DUP", True),
])  # fmt: skip
def test_space_that_the_text_shows_is_not_to_be_made(
    tmp_path: Path, left: str, profile: str, *, is_full: bool
) -> None:
    page = tmp_path / "page.txt"
    usage = USAGE.format(left=left, profile=profile)
    page.write_text(f"# dmesg\n[  900.000000] {NO_SPACE}\n\n{usage}")
    (finding,) = explain(str(page)).findings
    assert ("3.73 TiB of it unallocated" in finding.message) != is_full
    assert ("balance" in finding.remedy) == is_full


@pytest.mark.parametrize(("used", "profile", "path", "is_full"), [
    ("276.00GiB", "DUP", "sdq1", False), ("3.99TiB", "DUP", "sdq1", True),
    ("276.00GiB", "RAID1", "sdq1", True), ("276.00GiB", "DUP", "sdr1", True),
])  # fmt: skip
def test_show_and_df_tell_the_same_space(
    tmp_path: Path, used: str, profile: str, path: str, *, is_full: bool
) -> None:
    shown = (
        "# btrfs filesystem show\n"
        "Label: 'data'  uuid: 7a3e5d10-8f4c-4b7a-9d7e-6f2c1a9b0d33\n"
        "\tTotal devices 1 FS bytes used 227.00GiB\n"
        f"\tdevid    1 size 4.00TiB used {used} path /dev/{path}\n\n"
        "# btrfs filesystem df /data\n"
        "Data, single: total=268.00GiB, used=223.00GiB\n"
        f"Metadata, {profile}: total=8.00GiB, used=2.00GiB\n"
        "GlobalReserve, single: total=512.00MiB, used=0.00B\n"
    )
    page = tmp_path / "page.txt"
    page.write_text(f"# dmesg\n[  900.000000] {NO_SPACE}\n\n{shown}")
    (finding,) = explain(str(page)).findings
    assert ("3.73 TiB of it unallocated" in finding.message) != is_full
