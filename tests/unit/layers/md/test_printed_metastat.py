"""metastat: mirrors of Solaris Volume Manager and what they are made of."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "metastat-composed"
TEXT = (PLACE / "mirror.txt").read_text()


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
    for line, work, share in (
        ("Resync in progress: 15 % done", "resync", 0.15),
        ("Resync in progress: 12.3 % done", "resync", 0.123),
        ("Resync in progress:  4.7 % done", "resync", 0.047),
        ("Resync cancelled: 51.0 % done", "resync cancelled", 0.51),
    ):
        mirror = things(TEXT.replace("    Pass: 1", f"    {line}\n    Pass: 1"))["d30"]
        assert (mirror["work"], mirror["progress"], mirror["pass"]) == (work, share, 1), line


def test_the_worse_half_is_the_state_of_a_mirror() -> None:
    text = TEXT.replace("      State: Okay         \n", "      State: Resyncing    \n", 1)
    mirror = things(text)["d30"]
    assert mirror["submirrors"] == "d31 resyncing, d32 needs maintenance"
    assert mirror["state"] == "needs maintenance"


RAID = (PLACE / "raid.txt").read_text()


def test_a_raid_with_an_erred_column_in_every_shape() -> None:
    for shape, given in mangled(RAID, wraps=False):
        if shape == "with blank lines":
            continue
        named = things(given)
        raid = named["d45"]
        assert (raid["type"], raid["state"]) == ("raid", "needs maintenance"), shape
        assert raid["devices"] == (
            "c2t1d0s2 okay, c2t2d0s2 resyncing (hot spare c2t9d0s2), c2t3d0s2 last erred, "
            "c2t5d0s2 maintenance"
        ), shape
        assert (raid["size"], raid["strip_size"]) == (83886080 * 512, 32 * 512)
        assert (raid["work"], raid["progress"]) == ("parity regeneration", 0.628)
        assert named["d60"]["devices"] == "c3t0d0s0, c3t1d0s0"
        assert named["d60"]["size"] == 41943040 * 512


def test_a_name_alone_and_prose() -> None:
    (entry,) = read("d30: Mirror\n\n\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("d30: Mirror of the world\n") == []
    assert read("We have: Mirror, RAID\n") == []
