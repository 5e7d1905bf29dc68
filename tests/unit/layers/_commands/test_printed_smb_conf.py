"""smb.conf."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "smb.conf.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_shares_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        shares = things(given)
        assert list(shares) == ["global", "media", "attic"], shape
        assert shares["media"]["read only"] is False
        assert (shares["media"]["create mask"], shares["attic"]["guest ok"]) == ("0664", True)


def test_one_share_alone_ends_where_prose_begins() -> None:
    text = "[docs]\n path = /srv/docs\n read only = no\nThen restart smbd.\n"
    assert things(text) == {"docs": {"path": "/srv/docs", "read only": False}}


def test_what_only_looks_alike() -> None:
    assert not read("The share has read only = no in its section.\n")
    assert not things("[section]\nread_only = no\n")


def test_pairs_without_blanks() -> None:
    assert things("[docs]\npath=/srv/docs\nwriteable=yes\n") == {
        "docs": {"path": "/srv/docs", "writeable": True},
    }  # fmt: skip
    assert not read("see writeable=yes of the share\n")
