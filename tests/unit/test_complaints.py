"""Which line of a tool's complaint is the reason, and which only its banner."""

from __future__ import annotations

import pytest

from iosonde.errors import CommandFailed
from iosonde.kerneltext import complaints


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("dumpe2fs 1.47.0 (5-Feb-2023)\ndumpe2fs: Permission denied while trying to open /dev/vda\n"
         "Couldn't find valid filesystem superblock.\n",
         "dumpe2fs: Permission denied while trying to open /dev/vda"),
        ("dumpe2fs 1.47.0 (5-Feb-2023)\n", "dumpe2fs 1.47.0 (5-Feb-2023)"),  # nothing else is there
        ("dumpe2fs: no banner before it\n", "dumpe2fs: no banner before it"),
        ("dumpe2fs 1.47.0 cannot read this\nmore\n", "dumpe2fs 1.47.0 cannot read this"),
    ],
)  # fmt: skip
def test_a_banner_is_no_reason(said: str, reason: str) -> None:
    assert complaints(said, "dumpe2fs")[0] == reason


def test_a_banner_before_the_usage_is_no_reason() -> None:
    said = b"mdadm v4.2 - 2021-12-30\nmkfs.x 1.2\nbad option\nUsage: mkfs.x DEVICE\n"
    failed = CommandFailed("node1", ("mkfs.x",), 1, b"", said.partition(b"\n")[2])
    assert str(failed) == "node1: mkfs.x ended with status 1: bad option"
