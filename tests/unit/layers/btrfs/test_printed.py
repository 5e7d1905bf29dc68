"""What btrfs' tools print, and what looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import counters, mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "pool.txt").read_text()
GIB = 1 << 30


def _facts(text: str) -> dict[str, dict[str, Scalar]]:
    return {state.tool: dict(state.subjects[0].values) for state in states(text)}


@pytest.mark.parametrize("text", [
    TEXT, TEXT.replace("\n", "\r\n"), "".join(f"> {line}\n" for line in TEXT.splitlines()),
])  # fmt: skip
def test_every_command_in_the_shapes_of_mails(text: str) -> None:
    facts = _facts(text)
    show, usage = facts["btrfs filesystem show"], facts["btrfs filesystem usage"]
    assert (show["devices"], show["below"]) == (2, "sdq1 sdr1")
    assert (show["used"], show["device_2_size"]) == (612.5 * GIB, 931.5 * GIB)
    assert (usage["missing"], usage["available"]) == (0, round(318.22 * GIB))
    assert (usage["data_ratio"], usage["data_profile"]) == (2.0, "raid1")
    assert facts["btrfs filesystem df"]["metadata_used"] == 1.25 * GIB
    scrub = facts["btrfs scrub status"]
    assert (scrub["scrub_time"], scrub["scrub_rate"]) == (3723, 338 << 20)
    first, second = counters(text)
    assert (first.name, first.values["read_io_errs"], first.values["corruption_errs"]) == (
        "sdq1", 17, 3,
    )  # fmt: skip
    assert dict(second.values) == {"write_io_errs": 0}


def test_a_mixed_file_system_and_one_whose_blanks_were_squeezed() -> None:
    text = (
        "System, RAID1: total=32.00MiB, used=12.00KiB\n"
        "Data+Metadata, RAID1: total=36.00GiB, used=34.19GiB\n"
    )
    facts = _facts(text)["btrfs filesystem df"]
    assert (facts["mixed_profile"], facts["mixed_total"]) == ("raid1", 36 * GIB)
    assert facts["system_used"] == 12 << 10
    show = (
        "Label: none uuid: 0c2ad4e8-6a54-4f13-b7d6-2d4f0c5b9a00\n"
        "Total devices 1 FS bytes used 62.01GiB\n"
        "devid 1 size 17.99GiB used 17.99GiB path /dev/mapper/system-root\n"
    )
    assert _facts(show)["btrfs filesystem show"]["below"] == "mapper/system-root"


def test_the_usage_that_newer_progs_print_is_read_to_its_end() -> None:
    text = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "usage.txt").read_text()
    facts = _facts(text)
    usage = facts["btrfs filesystem usage"]
    assert (usage["free_statfs"], usage["metadata_ratio"]) == (9.75 * GIB, 2.0)
    assert (usage["data_profile"], usage["data_used"]) == ("single", 24.5 * GIB)
    assert (usage["unallocated_sdq1"], usage["missing"]) == (8.5 * GIB, 0)
    assert (usage["available_min"], usage["global_reserve_used"]) == (round(5.65 * GIB), 0)
    assert (usage["data_sdq1"], usage["metadata_sdq1"]) == (26 * GIB, 3.5 * GIB)
    assert usage["multiple_profiles"] is False
    scrub = facts["btrfs scrub status"]
    assert (scrub["scrub_time"], scrub["scrub_csum_errors"], scrub["scrub_status"]) == (
        3607, 4, "finished",
    )  # fmt: skip
    raw = text.replace("38.00GiB", str(38 << 30)).replace("0.00B", "0")
    assert _facts(raw)["btrfs filesystem usage"] == usage


def test_a_type_with_two_profiles_while_a_balance_converts_it() -> None:
    text = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "usage.txt").read_text()
    second = (
        "Data,RAID1: Size:2.00GiB, Used:1.50GiB (75.00%)\n   /dev/sdq1\t   2.00GiB\n\nMetadata,"
    )
    usage = _facts(text.replace("Metadata,", second, 1))["btrfs filesystem usage"]
    assert (usage["data_profile"], usage["data_total"]) == ("single", 26 * GIB)
    assert (usage["data_raid1_profile"], usage["data_raid1_used"]) == ("raid1", 1.5 * GIB)
    assert (usage["data_sdq1"], usage["data_raid1_sdq1"]) == (26 * GIB, 2 * GIB)


def test_a_device_that_is_being_removed_has_less_than_nothing_unallocated() -> None:
    text = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "usage.txt").read_text()
    line = next(line for line in text.splitlines() if "/dev/sdq1" in line and "8.50GiB" in line)
    shrunk = text.replace(line, line.replace("8.50GiB", "-8.50GiB"))
    usage = _facts(shrunk)["btrfs filesystem usage"]
    assert usage["unallocated_sdq1"] == -8.5 * GIB
    assert usage | {"unallocated_sdq1": 0} == _facts(text)["btrfs filesystem usage"] | {
        "unallocated_sdq1": 0,
    }  # fmt: skip


@pytest.mark.parametrize("text", [
    "Overall:\n    the device is fast\n",
    "Label: 'pool' is what I called it; uuid: follows\n",
    'printf("[%s].%-16s %llu\\n", path, "write_io_errs", count);\n',
    "Data, RAID1: total= is the allocated size\n",
    "Overall: Device size: does not matter\n",
])  # fmt: skip
def test_talk_of_a_file_system_is_no_output(text: str) -> None:
    assert not list(read(text))


def test_what_is_cut_off_is_named() -> None:
    (part,) = read(TEXT.splitlines(keepends=True)[1])
    assert isinstance(part, Unread)
    assert part.reason == "its lines are cut off"


def test_what_each_device_has_left_and_how_far_a_balance_is() -> None:
    text = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "full.txt").read_text()
    for shape, given in mangled(text, wraps=False):
        if shape == "with blank lines":
            continue  # the parts of its profiles would stand apart
        facts = {name: v for state in states(given) for s in state.subjects
                 for name, v in s.values.items()}  # fmt: skip
        assert facts["unallocated_sdr1"] == 1 << 40, shape
        assert facts["unallocated_sds1"] == 1 << 20
        assert facts["balance_state"] == "running, pause requested"
        assert (facts["balanced_chunks"], facts["balance_left"]) == (12, 0.96)
    assert read("Balance on '/srv' is running since May.") == []


def test_show_of_exact_bytes_and_which_devices_are_missing() -> None:
    text = (
        "Label: 'oak'  uuid: 5d0ac3b1-7a21-4b60-92c4-60be7715f3aa\n"
        "\tTotal devices 3 FS bytes used 1319413953331\n"
        "\tdevid    1 size 2000398934016 used 1400201246474 path /dev/sdb\n"
        "\tdevid    2 size 0 used 0 path /dev/sdc MISSING\n"
        "\tdevid    3 size 0 used 0 path <missing disk> MISSING\n"
    )
    (facts,) = _facts(text).values()
    assert (facts["used"], facts["device_1_size"]) == (1319413953331, 2000398934016)
    assert (facts["paths"], facts["missing_paths"]) == ("/dev/sdb", "/dev/sdc <missing disk>")
    assert "device_2_size" not in facts
    usage = "Overall:\n    Device size:\t\t  931.51GB\n    Used:\t\t  10.00GiB\n"
    assert not _facts(usage), "no version that prints this has units of one letter"


def test_old_versions_count_by_1024_and_name_no_profile_of_a_single_copy() -> None:
    text = (
        "# btrfs fi df /mnt/oak\n"
        "Data, RAID0: total=409.50MB, used=0.00\nData: total=8.00MB, used=512.00\n"
        "System: total=4.00MB, used=4.00KB\nMetadata, DUP: total=1.50GB, used=24.00KB\n"
    )
    ((old,),) = [state.subjects for state in states(text)]
    assert old.name == "/mnt/oak"
    assert old.values == {
        "data_profile": "raid0", "data_total": 429391872, "data_used": 0,
        "data_single_profile": "single", "data_single_total": 8 << 20, "data_single_used": 512,
        "system_profile": "single", "system_total": 4 << 20, "system_used": 4096,
        "metadata_profile": "dup", "metadata_total": 3 << 29, "metadata_used": 24576,
    }  # fmt: skip
    show = (
        "Label: none  uuid: 5d0ac3b1-7a21-4b60-92c4-60be7715f3aa\n"
        "\tTotal devices 1 FS bytes used 28.00KB\n"
        "\tdevid    1 size 931.51GB used 2.04GB path /dev/sdb1\n"
    )
    (facts,) = _facts(show).values()
    assert (facts["used"], facts["device_1_size"]) == (28 << 10, round(931.51 * 2**30))
    assert not _facts("Data: total=8.00 of them, used=0.00\nData: total=many, used=few\n")


def test_sizes_of_exbibytes() -> None:
    text = "# btrfs fi df /mnt/x\nData, single: total=8.00EiB, used=207.05GiB\n"
    ((data,),) = [state.subjects for state in states(text)]
    assert data.values["data_total"] == 2**63


def test_what_a_balance_moved_and_the_share_of_each_profile() -> None:
    text = (
        "# btrfs balance start --full-balance /srv/pool\nDone, had to relocate 3 out of 7 chunks\n"
    )
    (state,) = states(text)
    assert (state.tool, state.subjects[0].name) == ("btrfs balance start", "/srv/pool")
    assert state.subjects[0].values == {
        "balance_state": "done", "balanced_chunks": 3, "balance_chunks": 7,
        "balance": "had to relocate 3 out of 7 chunks",
    }  # fmt: skip
    assert not states("He said: Done, had to relocate 3 out of 7 chunks\n")
    used = "Data, single: total=1.00GiB, used=512.00MiB, zone_unusable=10.00MiB\n"
    assert states(used)[0].subjects[0].values["data_zone_unusable"] == 10 * 2**20


def test_the_version_that_old_tools_print_below_the_list() -> None:
    text = (
        "Label: none  uuid: 5d1f3c1a-70c1-4f0e-9c5a-2b9d7e6f8a10\n"
        "\tTotal devices 1 FS bytes used 6.50GiB\n"
        "\tdevid    1 size 9.50GiB used 7.03GiB path /dev/sdq1\n\nBtrfs v3.17.1\n"
    )
    assert states(text)[0].subjects[0].values["btrfs_progs"] == "v3.17.1"
    talk = text.replace("Btrfs v3.17.1", "Btrfs v3.17.1 is old")
    assert "btrfs_progs" not in states(talk)[0].subjects[0].values


def test_what_it_warns_of_is_kept_as_it_stands() -> None:
    text = (
        "# btrfs fi show /dev/sdq\nwarning, device 1 is missing\n"
        "Label: none  uuid: 5d0ac3b1-7a21-4b60-92c4-60be7715f3aa\n"
        "\tTotal devices 2 FS bytes used 640.00KiB\n"
        "\tdevid    2 size 93.13GiB used 2.01GiB path /dev/sdq\n\t*** Some devices missing\n\n"
    )
    (state,) = states(text)
    assert state.command == "btrfs fi show /dev/sdq"
    assert state.messages == ("warning, device 1 is missing", "*** Some devices missing")
    whole = text.replace("warning, device 1 is missing\n", "").replace("\t*** Some dev", "\tno dev")
    assert states(whole)[0].messages == ()
