"""xfs_repair: the phase it came to, and why it stopped."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, read, states

SAMPLES = Path(__file__).parents[3] / "outputs" / "xfsprogs-composed"
FAILED, DONE = ((SAMPLES / f"repair-{name}.txt").read_text() for name in ("failed", "done"))


def test_a_repair_in_every_shape() -> None:
    for shape, given in mangled(FAILED, wraps=False):
        ((xfs,),) = [state.subjects for state in states(given)]
        assert xfs.values == {
            "repair_phase": "Phase 1 - find and verify superblock",
            "failed_offset": 4 << 30, "failed_group": 4, "repair_error": "Input/output error",
        }, shape  # fmt: skip


def test_done_or_cut_off() -> None:
    ((xfs,),) = [state.subjects for state in states("# xfs_repair /dev/vg/srv\n" + DONE)]
    assert (xfs.name, xfs.values["repaired"]) == ("vg/srv", True)
    assert xfs.values["repair_phase"] == "Phase 7 - verify and correct link counts"
    ((torn,),) = [state.subjects for state in states(DONE.replace("done\n", ""))]
    assert "repaired" not in torn.values
    assert read("Phase 1 - find customers, Phase 2 - grow.") == []
