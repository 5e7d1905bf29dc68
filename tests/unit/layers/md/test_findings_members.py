"""Read errors that md counts of its members: from the text of a file to what is said of it."""

from __future__ import annotations

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.md.findings_members import corrected_reads
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
