"""mkfs.btrfs, scrubs of older tools, and transids. Oracle: sums and times that agree."""

from __future__ import annotations

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read, states

UUID = "0a1b2c3d-0000-4000-8000-00000000000e"
MKFS = f"""# mkfs.btrfs -f -d raid6 -m raid1c4 /dev/sdw1 /dev/sdx1 /dev/sdy1
btrfs-progs v5.18
See http://btrfs.wiki.kernel.org for more information.

WARNING: RAID5/6 support has known problems is strongly discouraged
         to be used besides testing or evaluation.

Label:              (null)
UUID:               {UUID}
Node size:          16384
Sector size:        4096
Filesystem size:    3.00TiB
Block group profiles:
  Data:             RAID6             2.00GiB
  Metadata:         RAID1C4           1.00GiB
  System:           RAID1C4           8.00MiB
SSD detected:       no
Incompat features:  extref, raid56
Checksum:           crc32c
Number of devices:  3
Devices:
   ID        SIZE  PATH
    1     1.00TiB  /dev/sdw1
    2     1.00TiB  /dev/sdx1
    3     1.00TiB  /dev/sdy1

# mount /dev/sdw1 /mnt
"""
SCRUB = f"""# btrfs scrub status -d /dev/sdw1
scrub status for {UUID}
scrub device /dev/sdw1 (id 1) history
        scrub started at Mon Oct 19 21:07:13 2020 and finished after
01:02:03
        total bytes scrubbed: 6.50TiB with 2 errors
"""
TRANSID = "parent transid verify failed on 8333716668416 wanted 357026 found 357028\n"


def test_what_mkfs_made() -> None:
    (state,) = states(MKFS)
    (made,) = state.subjects
    assert made.name == UUID
    assert state.command.startswith("mkfs.btrfs -f -d raid6")
    assert (made.values["data_profile"], made.values["metadata_profile"]) == ("raid6", "raid1c4")
    assert made.values["size"] == 3 * 2**40
    assert made.values["below"] == "sdw1 sdx1 sdy1"
    assert made.values["devices"] == 3
    assert not states(MKFS.replace("Block group profiles:", "Profiles of block groups"))


def test_the_scrub_of_a_device_that_a_mail_wrapped() -> None:
    text = "".join(f"> {line}\n" for line in SCRUB.splitlines())
    (state,) = states(text)
    (disk,) = state.subjects
    assert disk.name == "sdw1"
    assert disk.values["scrub_time"] == 3600 + 2 * 60 + 3
    assert (disk.values["scrub_size"], disk.values["scrub_errors"]) == (13 * 2**39, 2)
    cut = SCRUB[: SCRUB.index("        total")]
    assert not states(cut)
    assert [type(part) for part in read(cut)] == [Unread]


def test_transids_are_counted_by_block() -> None:
    first, other = counters(3 * TRANSID + TRANSID.replace("8333", "9333"))
    assert first.values == {
        "transid_failures": 3, "block": 8333716668416, "wanted": 357026, "found": 357028,
    }  # fmt: skip
    assert other.values["transid_failures"] == 1
    assert not counters("a parent transid verify failed on 833 wanted 357 found 358, it said\n")


def test_the_errors_of_an_old_scrub() -> None:
    text = (
        f"scrub status for {UUID}\n\tscrub started at Mon Oct 19 21:07:13 2020 and finished after"
        " 01:02:03\n\ttotal bytes scrubbed: 6.50TiB with 3 errors\n\terror details: read=1 csum=2\n"
        "\tcorrected errors: 2, uncorrectable errors: 1, unverified errors: 0\n"
    )
    (state,) = states(text)
    values = state.subjects[0].values
    assert values["scrub_errors"] == 3
    assert (values["scrub_read_errors"], values["scrub_csum_errors"]) == (1, 2)
    ends = [values[f"scrub_{end}_errors"] for end in ("corrected", "uncorrectable", "unverified")]
    assert ends == [2, 1, 0]


def test_an_old_scrub_that_was_waited_for() -> None:
    text = (
        f"scrub done for {UUID}\n\tscrub started at Wed May 17 10:13:33 2017 and finished after "
        "00:00:10\n\ttotal bytes scrubbed: 320.00KiB with 0 errors\n"
    )
    (state,) = states(text)
    values = state.subjects[0].values
    assert (values["scrub_size"], values["scrub_time"]) == (320 << 10, 10)


def test_the_version_above_what_is_said_of_defaults() -> None:
    note = (
        "Performing full device TRIM /dev/sdw1 (1.00TiB) ...\n"
        "NOTE: several default settings have changed in version 5.15, please make\nsure\n"
        "      this does not affect your deployments:\n      - DUP for metadata (-m dup)\n"
        "      - enabled no-holes (-O no-holes)\n"
    )
    begin, warning = MKFS.index("WARNING"), MKFS.index("\nLabel:")
    for given in (MKFS, MKFS[:begin] + note + MKFS[warning:]):
        (state,) = states(given)
        assert state.subjects[0].values["btrfs_progs"] == "v5.18"
    (other,) = states(MKFS[:begin] + "Then I made it anew:\n" + MKFS[warning:])
    assert "btrfs_progs" not in other.subjects[0].values


def test_lines_of_mkfs_that_a_mail_made_one() -> None:
    text = MKFS.replace(f"(null)\nUUID:               {UUID}", f"(null) UUID: {UUID}")
    text = text.replace("crc32c\nNumber", "crc32c Number").replace(
        "groups:\n  Data", "groups: Data"
    )
    (whole,), (joined,) = states(MKFS), states(text)
    assert text != MKFS
    assert joined.subjects == whole.subjects
    assert whole.subjects[0].values["data_profile"] == "raid6"


OLD_MKFS = """# mkfs.btrfs -L home /dev/sdq1
btrfs-progs v3.18.2
See http://btrfs.wiki.kernel.org for more information.

Turning ON incompat feature 'extref': increased hardlink limit per file to 65536
fs created label home on /dev/sdq1
\tnodesize 16384 leafsize 16384 sectorsize 4096 size 40.00GiB
"""


def test_what_an_old_mkfs_made() -> None:
    for shape, text in mangled(OLD_MKFS, wraps=False):
        made = next(state for state in states(text) if state.tool == "mkfs.btrfs").subjects[0]
        assert made.name == "home", shape
        assert {**made.values, "btrfs_progs": "v3.18.2"} == {
            "btrfs_progs": "v3.18.2", "node_size": 16384, "leaf_size": 16384, "sector_size": 4096,
            "size": 40 * 2**30, "paths": "/dev/sdq1", "below": "sdq1",
            "incompat_features": "extref", "hard_link_limit": 65536,
        }, shape  # fmt: skip
    assert made.values["btrfs_progs"] == "v3.18.2"


def test_an_old_mkfs_without_a_label_whose_version_stands_below() -> None:
    lines = OLD_MKFS.replace("label home", "label (null)").splitlines(keepends=True)
    (state,) = states("".join([*lines[5:], "Btrfs v3.12\n"]))
    assert state.subjects[0].name == "sdq1"
    assert state.subjects[0].values["btrfs_progs"] == "v3.12"
    assert not states("a fs created label home on /dev/sdq1 has nodesize 16384 leafsize 16384\n")
    assert [type(part) for part in read("".join(lines[:6]))] == [Unread]


def test_sizes_of_devices_pages_and_zones() -> None:
    text = MKFS.replace("4096\n", "4096\t(CPU page size: 65536)\n").replace(
        "SSD detected:       no", "SSD detected:       no\nZoned device:       yes\n"
        "  Zone size:        256.00MiB"
    ).replace("Incompat features:", "Features:         ")  # fmt: skip
    values = states(text)[0].subjects[0].values
    assert (values["sector_size"], values["page_size"]) == (4096, 65536)
    assert (values["zone_size"], values["device_2_size"]) == (2**28, 2**40)
    assert values["incompat_features"] == "extref, raid56"


def test_an_old_scrub_that_is_running_and_one_of_seconds() -> None:
    head = SCRUB.split("        scrub started", maxsplit=1)[0]
    total = "        total bytes scrubbed: 6.50TiB with 2 errors\n"
    started = "        scrub started at Fri May  1 11:37:36 2020"
    running = states(f"{head}{started}, running for 04:37:48\n{total}")[0].subjects[0].values
    assert (running["scrub_status"], running["scrub_time"]) == ("running", 4 * 3600 + 37 * 60 + 48)
    assert (running["scrub_started"], running["devid"]) == ("Fri May 1 11:37:36 2020", 1)
    short = states(f"{head}{started} and finished after 17 seconds\n{total}")[0].subjects[0].values
    assert (short["scrub_status"], short["scrub_time"]) == ("finished", 17)


def test_what_mkfs_warns_of_is_kept_in_one_line() -> None:
    (state,) = states(MKFS)
    assert state.messages == (
        "WARNING: RAID5/6 support has known problems is strongly discouraged "
        "to be used besides testing or evaluation.",
    )
    (state,) = states(MKFS.replace("WARNING: ", "NOTE: "))
    assert state.messages == ()


def test_a_value_that_was_broken_off_its_label() -> None:
    broken = MKFS.replace("SSD detected:       no", "SSD detected:      \n  no")
    (state,) = states(broken)
    (whole,) = states(MKFS)
    assert state.subjects == whole.subjects
    assert state.subjects[0].values["ssd"] == "no"
