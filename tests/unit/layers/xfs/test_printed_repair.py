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
        assert {name: own for name, own in counted.values.items() if name != "messages"} == {
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


VERBOSE = """# xfs_repair -v /dev/sdb1
Phase 1 - find and verify superblock...
        - block cache size set to 180520 entries
        - reporting progress in intervals of 15 minutes
        - max_mem = 1024, icount = 512, imem = 2000, dblock = 134217727, dmem = 65535
Phase 2 - using external log on /dev/sdq2
        - zero log...
zero_log: head block 13813 tail block 13815
        - found root inode chunk
Phase 3 - for each AG...
        - agno = 1
attribute entry #32 in attr block 2, inode 134 is INCOMPLETE
Phase 7 - verify and correct link counts...

        XFS_REPAIR Summary    Wed Nov 26 21:04:01 2008

Phase\t\tStart\t\tEnd\t\tDuration
Phase 1:\t11/26 21:03:59\t11/26 21:03:59\t
Phase 2:\t11/26 21:03:59\t11/26 21:05:00\t1 minute, 1 second
Phase 5:\tSkipped

Total run time: 1 hour, 2 minutes, 2 seconds
done
"""


def test_what_it_says_with_v() -> None:
    for shape, given in mangled(VERBOSE, wraps=False):
        (counted,) = counters(given, "xfs_repair")
        assert counted.values == {
            "cache_entries": 180520, "report_interval": 900, "max_memory": 1 << 20, "inodes": 512,
            "inode_memory": 2000 * 1024, "data_blocks": 134217727, "data_memory": 65535 * 1024,
            "external_log": "/dev/sdq2", "log_head_block": 13813, "log_tail_block": 13815,
            "date": "Wed Nov 26 21:04:01 2008", "run_time": 3722,
            "phases": [
                {"phase": 1, "start": "11/26 21:03:59", "end": "11/26 21:03:59"},
                {"phase": 2, "start": "11/26 21:03:59", "end": "11/26 21:05:00", "duration": 61},
            ],
            "messages": ["attribute entry #32 in attr block 2, inode 134 is INCOMPLETE"],
        }, shape  # fmt: skip
    assert not counters("Phase 1 - find and verify superblock...\nPhase 2 - using internal log\n")


def test_a_phase_that_names_a_log_s_device() -> None:
    text = "".join(VERBOSE.splitlines(keepends=True)[:7])
    ((xfs,),) = [state.subjects for state in states(text)]
    assert xfs.values["repair_phase"] == "Phase 2 - using external log on /dev/sdq2"
