"""Lines of the kernel without a time: kept, made whole where a mail broke them, and no prose."""

from __future__ import annotations

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters

_UUID = "3e9b2f9a-1c1c-4a5d-9d1e-6a5b4c3d2e1f"


def _values(text: str) -> dict[str, Json]:
    (log,) = counters(text, "kernel log")
    return dict(log.values)


@pytest.mark.parametrize(("line", "name", "notice"), [
    ("BTRFS warning (device loop5): tree block 542 mirror 1 has bad bytenr, has 0 want 542",
     "loop5", "tree block 542 mirror 1 has bad bytenr, has 0 want 542"),
    ("EXT4-fs (loop0): orphan cleanup on readonly fs", "loop0", "orphan cleanup on readonly fs"),
    ("md/raid0:md7: cannot assemble multi-zone RAID0 with default_layout setting", "md7",
     "cannot assemble multi-zone RAID0 with default_layout setting"),
    ("XFS (dm-3): Injecting 500ms delay at line 84", "dm-3", "Injecting 500ms delay at line 84"),
])  # fmt: skip
def test_what_no_message_names_is_kept(line: str, name: str, notice: str) -> None:
    for before in ("", "  ", "kernel: ", "nas kernel: "):
        (log,) = counters(f"The log:\n\n{before}{line}\n", "kernel log")
        assert (log.name, log.values["notices"]) == (name, [notice])
    assert not counters(f"[  100.000000] {line}\n", "kernel log")


@pytest.mark.parametrize("line", [
    "md/raid5: use bio_end_sector to calculate last_sector",
    "XFS (see below): it is what I use", "XFS (v5): it is the default", "XFS (default): 4k blocks",
    "BTRFS info: see the page", "BTRFS (device sda): is a file system", "EXT4-fs is what I use",
])  # fmt: skip
def test_what_only_begins_alike(line: str) -> None:
    assert not counters(f"{line}\n", "kernel log")


def test_what_a_mail_broke_is_whole() -> None:
    values = _values(
        "BTRFS error (device dm-4): block=1095416938496 read time tree block\n"
        "corruption detected\n"
        "BTRFS error (device dm-4): parent transid verify failed on\n"
        "123456789 wanted 17 found 15\n"
        f"BTRFS warning (device dm-4): devid 4 uuid\n{_UUID} is missing\n"
    )
    assert values["blocks"] == [1095416938496, 123456789]
    assert (values["wanted_generations"], values["read_generations"]) == ([17], [15])
    assert values["missing_uuids"] == [_UUID]


def test_what_stands_below_a_whole_line_is_none_of_it() -> None:
    line = "BTRFS info (device sdc): disk space caching is enabled on this machine"
    for below in (
        "Then I mounted it with the option.", "BTRFS info (device sdc): it is full", "",
        "------------[ cut here ]------------", "00000000: 00 00 17 00", "BTRFS: open_ctree failed",
    ):  # fmt: skip
        assert _values(f"{line}\n{below}\n")["messages"][0] == line  # type: ignore[index]
    short = "BTRFS error (device sdc): parent transid verify failed on\n17 files are lost\n"
    assert "wanted_generations" not in _values(short)
