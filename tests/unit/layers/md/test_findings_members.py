"""Read errors that md counts of its members: from the text of a file to what is said of it."""

from __future__ import annotations

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.md.findings_members import corrected_reads, listed_blocks
from iosonde.text.document import of_bytes


def said(text: str) -> list[str]:
    case, _ = of_document(of_bytes("mail.txt", text.encode()))
    return [finding.message for finding in corrected_reads(case)]


@pytest.mark.parametrize(
    ("count", "what"), [("1", "a read error of sdc1"), ("4096", "4096 read errors of sdc1")]
)
def test_a_count_of_errors_is_said_of_its_member(count: str, what: str) -> None:
    (message,) = said(f"# cat /sys/block/md7/md/dev-sdc1/errors\n{count}\n")
    assert what in message
    assert "md7" in message


def test_members_without_an_error_and_other_files_of_them_say_nothing() -> None:
    assert not said("# cat /sys/block/md7/md/dev-sdc1/errors\n0\n")
    assert not said("# cat /sys/block/md7/md/dev-sdc1/size\n4096\n")
    assert not said("# cat /sys/block/md7/md/rd0/errors\n12\n")


@pytest.mark.parametrize(
    ("features", "log", "said_of"),
    [
        ("0x9", " - bad blocks present.", ["sdq1"]),
        ("0x9", " - bad\nblocks present.", ["sdq1"]),  # as mails break it
        ("0x9", "", ["sdq1"]),
        ("0x1", "", []),
        ("0x4", " - none present.", []),
    ],
)
def test_a_list_of_bad_blocks_is_said(features: str, log: str, said_of: list[str]) -> None:
    text = (
        f"/dev/sdq1:\n          Magic : a92b4efc\n    Feature Map : {features}\n"
        "     Raid Level : raid5\n   Raid Devices : 4\n"
        f"  Bad Block Log : 512 entries available at offset 40 sectors{log}\n"
        "         Events : 10080\n    Device Role : Active device 0\n"
    )
    case, _ = of_document(of_bytes("mail.txt", text.encode()))
    assert [finding.subject for finding in listed_blocks(case)] == said_of
