"""tuned-adm: the profile in force."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "tuned-composed" / "list.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_the_profile_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        assert things(given)[""]["tuned_profile"] == "throughput-performance", shape


def test_a_torn_line_and_prose() -> None:
    for text in (TEXT[:-30], "The Current active profile: it is Balanced!\n"):
        assert things(text) == {}
        assert not unread_in(text)
