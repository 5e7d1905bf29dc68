"""metastat: mirrors of Solaris Volume Manager and what they are made of."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "metastat-composed" / "mirror.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_mirror_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape == "with blank lines":
            continue  # three blank lines between two devices become seven
        named = things(given)
        mirror, half = named["d30"], named["d32"]
        assert (mirror["type"], mirror["state"]) == ("mirror", "needs maintenance"), shape
        assert mirror["submirrors"] == "d31 okay, d32 needs maintenance"
        assert (mirror["size"], mirror["pass"]) == (41945472 * 512, 1)
        assert (half["parent"], half["state"]) == ("d30", "needs maintenance")
        assert (half["strip_size"], half["size"]) == (32 * 512, 41945472 * 512)
        assert half["devices"] == "c1t1d0s3 maintenance, c1t3d0s3 okay"
        assert named["d31"]["state"] == "okay"
        assert (named["d90"]["device"], named["d90"]["size"]) == ("d30", 20971520 * 512)
        assert named["hsp002"] == {"type": "hot spare pool", "c1t5d0s0": "available"}


def test_how_far_a_resync_is() -> None:
    text = TEXT.replace("    Pass: 1", "    Resync in progress: 15 % done\n    Pass: 1")
    assert things(text)["d30"]["progress"] == 0.15


def test_a_name_alone_and_prose() -> None:
    (entry,) = read("d30: Mirror\n\n\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("d30: Mirror of the world\n") == []
    assert read("We have: Mirror, RAID\n") == []
