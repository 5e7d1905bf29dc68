"""Counts that zpool prints in short are told with the digits that were printed."""

from __future__ import annotations

import pytest

from iosonde.layers.zfs.facts import counts_of
from iosonde.layers.zfs.findings import RULES
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import case_of, findings_named

STATUS = """\
  pool: tank
 state: DEGRADED
config:

        NAME        STATE     READ WRITE CKSUM
        tank        DEGRADED     0     0     0
          mirror-0  DEGRADED     0     0     0
            sda     ONLINE       0     0     0
            sdb     FAULTED      7 {:>5}     0  too many errors

errors: No known data errors
"""


@pytest.mark.parametrize(("printed", "value"), [
    ("1.05K", 1080), ("10.5K", 10_800), ("105K", 108_000), ("1.20M", 1_260_000),
])  # fmt: skip
def test_what_is_printed_in_short_is_about_that_much(printed: str, value: int) -> None:
    assert counts_of({"read_errors": printed}) == {"read_errors": value, "rounded": "read_errors"}


@pytest.mark.parametrize(("printed", "value"), [("0", 0), ("1075", 1075), ("2K", 2048)])
def test_what_is_printed_whole_is_exact(printed: str, value: int) -> None:
    assert counts_of({"read_errors": printed}) == {"read_errors": value}


@pytest.mark.parametrize(("printed", "said", "value"), [
    ("1.05K", "7 reads and about 1,080 writes", "about 1,080"),
    ("913", "7 reads and 913 writes", 913),
])  # fmt: skip
def test_a_finding_says_no_digit_that_was_not_printed(
    printed: str, said: str, value: Scalar
) -> None:
    (finding,) = findings_named(RULES, case_of(STATUS.format(printed)), "io-errors")
    assert said in finding.message
    figures = {evidence.what: evidence.value for evidence in finding.evidence}
    assert figures["write errors"] == value
