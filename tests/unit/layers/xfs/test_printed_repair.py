"""xfs_repair: the phase it came to, and why it stopped."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import counters, mangled, read, states

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


def test_what_was_counted_otherwise_and_found() -> None:
    text = (SAMPLES / "repair-n.txt").read_text()
    for shape, given in mangled(text, wraps=False):
        ((xfs,),) = [state.subjects for state in states(given)]
        assert xfs.values == {
            "repair_phase": "Phase 7 - verify link counts", "no_modify": True,
        }, shape  # fmt: skip
        (counted,) = counters(given)
        assert counted.values == {
            "wrong_figures": 4,
            "figures": [
                {"problem": "agf_freeblks", "said": 71203, "counted": 71199, "group": 2},
                {"problem": "agi_freecount", "said": 44, "counted": 45, "group": 0},
                {"problem": "sb_fdblocks", "said": 2598345, "counted": 2598341},
                {"problem": "nlinks", "inode": 128, "said": 4, "counted": 3},
            ],
            "disconnected_inodes": 1, "cleared_inodes": 1, "metadata_checksum_errors": 1,
            "inode_map_errors": 1,
        }, shape  # fmt: skip


def test_what_it_ends_with_where_it_cannot_go_on() -> None:
    text = (
        "# xfs_repair /dev/sdb1\nPhase 1 - find and verify superblock...\n"
        "bad primary superblock - bad magic number !!!\n\n"
        "attempting to find secondary superblock...\n"
        "....................Sorry, could not find valid secondary superblock\nExiting now.\n"
    )
    for shape, given in mangled(text):
        ((subject,),) = (state.subjects for state in states(given))
        error = "Sorry, could not find valid secondary superblock"
        assert subject.values["repair_error"] == error, shape
        assert "repaired" not in subject.values


def test_what_stands_below_the_last_phase_is_no_part_of_it() -> None:
    text = "Phase 1 - find and verify superblock...\nPhase 2 - using internal log\n\nHello!\n"
    assert [state.subjects[0].values["repair_phase"] for state in states(text)] == [
        "Phase 2 - using internal log"
    ]
