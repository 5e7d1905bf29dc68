"""`gmirror status`. Oracle: geom.c, status_one_geom(), and g_raid.c, g_raid_dumpconf()."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs/freebsd-composed/gmirror.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {thing.name: dict(thing.values) for state in states(text) for thing in state.subjects}


def test_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        assert things(given) == {
            "mirror/sys": {
                "type": "mirror", "state": "DEGRADED", "members": "ada2, ada3",
                "ada2_state": "ACTIVE", "ada3_state": "SYNCHRONIZING", "ada3_synchronised": 0.41,
            },
            "mirror/journal": {
                "type": "mirror", "state": "COMPLETE", "members": "da4p2, da5p2",
                "da4p2_state": "ACTIVE", "da5p2_state": "ACTIVE",
            },
            "raid/r1": {
                "type": "raid", "state": "OPTIMAL", "members": "ada6, ada7",
                "ada6_state": "ACTIVE (ACTIVE)", "ada7_state": "ACTIVE (ACTIVE)",
            },
            "raid/r2": {
                "type": "raid", "state": "DEGRADED", "members": "ada8, ada9",
                "ada8_state": "ACTIVE (ACTIVE)", "ada9_state": "ACTIVE (REBUILD 63%)",
                "ada9_synchronised": 0.63,
            },
        }, shape  # fmt: skip


def test_a_list_without_its_indentation() -> None:
    bare = "\n".join(line.strip() for line in TEXT.split("\n"))
    assert things(bare) == things(TEXT)


def test_geoms_and_old_releases() -> None:
    """With -g classes are not printed; before FreeBSD 8 components had no state."""
    geom = "  Name  Status  Components\nIntel-7b1f  BROKEN  ada6 (STALE_FAILED (FAILED))\n"
    assert things(geom) == {
        "Intel-7b1f": {
            "state": "BROKEN", "members": "ada6", "ada6_state": "STALE_FAILED (FAILED)",
        },
    }  # fmt: skip
    old = "      Name    Status  Components\nmirror/gm3  DEGRADED  ad4\n           ad6 (12%)\n"
    assert things(old)["mirror/gm3"] == {
        "type": "mirror", "state": "DEGRADED", "members": "ad4, ad6", "ad6_synchronised": 0.12,
    }  # fmt: skip
    bare = "     Name  Status  Components\nstripe/t1     N/A  N/A\n"
    assert things(bare) == {"stripe/t1": {"type": "stripe"}}


def test_what_looks_like_it() -> None:
    table = "Name  Status  Components\nwebshop  RUNNING  frontend\n"
    assert things(table) == {}
    assert "no array" in str(read("Name  Status  Components\n"))


def test_labels_and_what_is_encrypted() -> None:
    text = (Path(__file__).parents[3] / "outputs/freebsd-composed/geom-labels.txt").read_text()
    label = "gptid/3b1ce3c1-0f5f-11ee-8d27-0cc47a000001"
    named = things(text)
    assert named == {
        label: {"type": "gptid", "members": "ada1p1"},
        "gpt/efiboot0": {"type": "gpt", "members": "nda0p1"},
        "diskid/DISK-EX%20AMPLE0417": {"type": "diskid", "members": "da0"},
        f"{label}.eli": {"type": "encrypted", "state": "ACTIVE", "members": label},
        "ada2p1.eli": {"type": "encrypted", "state": "SUSPENDED", "members": "ada2p1"},
    }
