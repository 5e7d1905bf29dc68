"""What findmnt finds wrong in fstab. Oracle: the lines of the sample, and the counts below them."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers._mounts.printed_findmnt_verify import FindmntVerify
from iosonde.records.stack import Scalar
from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "findmnt-composed" / "verify.txt").read_text()


def _things(text: str) -> list[tuple[str, dict[str, Scalar]]]:
    return [(thing.name, dict(thing.values)) for thing in subjects_in(text, FindmntVerify.tool)]


def test_errors_and_warnings_of_each_place() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape == "with blank lines":
            continue
        (host, data, swap, old, sound) = _things(given)
        counts = {"fstab_parse_errors": 0, "fstab_errors": 2, "fstab_warnings": 2}
        assert host == ("", counts), shape
        assert data[0] == "/srv/data", shape
        assert str(data[1]["fstab_errors"]).startswith("unreachable on boot required source"), shape
        assert list(swap[1]) == ["fstab_warnings"], shape
        assert set(old[1]) == {"fstab_errors", "fstab_warnings"}, shape
        assert sound == ("", dict.fromkeys(counts, 0)), shape


def test_the_counts_above_what_tail_left() -> None:
    text = (
        "$ findmnt --verify | tail -2\n0 parse errors, 0 errors, 1 warning\n/\n   [W] old passno\n"
    )
    (host, root) = _things(text)
    assert host[1]["fstab_warnings"] == 1
    assert root == ("/", {"fstab_warnings": "old passno"})


def test_counts_of_a_compiler_are_none() -> None:
    assert not _things("$ make\n0 parse errors, 1 error, 2 warnings\n")
