"""nfs.conf."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "nfs.conf.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_file_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        printed = things(given)
        assert printed["/etc/nfs.conf"]["nfsd.threads"] == 48, shape
        assert printed["/etc/nfs.conf"]["mountd.manage-gids"] == "y"
        assert printed[""] == {"threads": 48}


def test_a_part_and_an_empty_section() -> None:
    assert things("[nfsd]\n# threads=8\nvers4.2=y\n")[""] == {"holds": "nfs", "nfsd.vers4.2": "y"}
    (entry,) = read("[nfsd]\n\nThat is all there is.\n")
    assert isinstance(entry, Unread)
    assert read("root 712 0.0 0.0 0 0 ? S 10:00 0:00 [nfsd]\n") == []
