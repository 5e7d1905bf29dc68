"""What e2fsck names as wrong. Oracle: the real program on images that debugfs damaged."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from iosonde.layers.ext4.check_problems import problems
from iosonde.records.stack import Json
from tests.mangle import counters, folded, mangled, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed" / "problems.txt").read_text()
DAMAGE = (
    "set_inode_field f1 blocks 8", "set_inode_field f2 links_count 9", "set_inode_field f3 mode 0",
    "set_super_value free_blocks_count 7", "setb 12000 20", "unlink f4",
    "set_block_group 0 free_inodes_count 3", "set_inode_field f5 size 100", "clri f6",
)  # fmt: skip


def _problems(text: str) -> list[tuple[str, dict[str, Json]]]:
    return [
        (each.name, dict(each.values))
        for each in counters(text)
        if (each.tool, each.kind) == ("e2fsck", "ext4")
    ]


def _counts(values: dict[str, Json]) -> int:
    """How many problems there are of all sorts."""
    no_sorts = {"problem_inodes", "blocks_not_marked", "blocks_marked_in_vain",
                "inodes_not_marked", "inodes_marked_in_vain"}  # fmt: skip
    return sum(
        count for name, count in values.items() if isinstance(count, int) and name not in no_sorts
    )


def _run(*argv: str | Path, given: str = "") -> str:
    done = subprocess.run(
        list(map(str, argv)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, input=given,
        text=True, check=False, env={"LC_ALL": "C"},
    )  # fmt: skip
    return done.stdout


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path, content = tmp_path / "image", tmp_path / "content"
    with path.open("wb") as file:
        file.truncate(16 << 20)
    content.write_bytes(b"0123456789abcdef" * 2000)
    _run("/sbin/mke2fs", "-q", "-t", "ext4", path)
    requests = [*(f"write {content} f{each}" for each in range(1, 7)), *DAMAGE]
    _run("/sbin/debugfs", "-w", "-f", "-", path, given="\n".join(requests) + "\n")
    return path


@pytest.mark.parametrize(("option", "answer"), [("-y", "mended"), ("-n", "left_as_it_was")])
def test_what_the_real_program_names(image: Path, option: str, answer: str) -> None:
    text = _run("/sbin/e2fsck", "-f", option, image)
    ((name, values),) = _problems(text)
    asked = len(re.findall(r"\? (?:yes|no)$|(?:FIXED|IGNORED)\.$", text, re.MULTILINE))
    assert asked > 10
    settings = [subject.values for subject in subjects_in(text)]
    assert [each[answer] for each in settings if answer in each] == [asked]
    assert _counts(values) == asked, "each problem has one question"
    assert "other_problems" not in values
    named = {int(number) for number in re.findall(r"[Ii]node (\d+)", text)}
    assert set(values["inodes"] or []) == named  # type: ignore[arg-type]
    assert values["problem_inodes"] == len(named)
    assert name == str(image)


def test_each_figure_that_the_real_program_counted(image: Path) -> None:
    text = _run("/sbin/e2fsck", "-f", "-y", image)
    ((_, values),) = _problems(text)
    figures = values["figures"]
    assert isinstance(figures, list)
    read = [
        (row["said"], row["counted"])
        for row in figures
        if isinstance(row, dict) and "counted" in row
    ]
    printed = re.findall(r" (?:is |\(was |\()(\w+), (?:should be |counted=)(\w+)", text)
    assert [(str(said), str(counted)) for said, counted in read] == printed
    (free,) = re.findall(r"^Free blocks count wrong \(7, counted=(\d+)", text, re.MULTILINE)
    superblock = _run("/sbin/dumpe2fs", "-h", image)
    assert re.search(rf"^Free blocks: +{free}$", superblock, re.MULTILINE)


def test_a_check_that_mends_by_itself_names_its_device(image: Path) -> None:
    text = _run("/sbin/e2fsck", "-f", "-p", image)
    ((name, values),) = _problems(text)
    assert values["i_blocks_wrong"] == text.count(", i_blocks is ")
    assert name == str(image)
    (state,) = states(text)
    assert state.subjects[0].values["run_manually"] is True
    assert state.subjects[0].values["mended"] == text.count("FIXED.")


def test_problems_by_sort() -> None:
    ((name, values),) = _problems(TEXT)
    assert name == "sdz2"
    figures = values.pop("figures")
    assert values == {
        "i_blocks_wrong": 1, "i_size_wrong": 1, "invalid_extents": 1, "multiply_claimed_inodes": 2,
        "shared_files": 1, "deleted_entries": 1, "unconnected_directories": 1,
        "block_bitmap_differences": 1, "free_blocks_wrong": 2, "problem_inodes": 7,
        "inodes": [1234, 1300, 1301, 1310, 1311, 1401, 1402], "blocks_not_marked": 5,
        "blocks_marked_in_vain": 3, "block_ranges": ["+(1--5)", "-7", "-(100--101)"],
    }  # fmt: skip
    assert isinstance(figures, list)
    assert figures[0] == {"problem": "i_blocks_wrong", "inode": 1234, "said": 8, "counted": 16}
    assert figures[2] == {
        "problem": "invalid_extents", "inode": 1301, "logical": 7, "block": 99000000001,
        "length": 32,
    }  # fmt: skip
    (check,) = (state for state in states(TEXT) if "check_passes" in state.subjects[0].values)
    checked = check.subjects[0].values
    summary = {"blocks", "inodes", "contiguous"}
    assert {name: checked[name] for name in checked if name.rpartition("_")[2] not in summary} == {
        "e2fsck_version": "1.46.5", "e2fsck_date": "30-Dec-2021",
        "check_passes": "5", "modified_by_check": True,
        "errors_remain": True, "mended": 4, "left_as_it_was": 5,
    }  # fmt: skip


def test_a_question_that_only_goes_on_mends_nothing() -> None:
    text = (
        "Pass 1: Checking inodes, blocks, and sizes\n"
        "Error reading block 77 (Attempt to read block from filesystem resulted in short read)."
        "  Ignore error<y>? yes\nForce rewrite<y>? yes\nClear<y>? cancelled!\n"
    )
    (state,) = states(text)
    values = state.subjects[0].values
    assert (values["mended"], values["other_answers"], values["unanswered"]) == (1, 1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Inode 1234, i_blocks is 8, should be 16.  Fix? no\n",
        "Free inodes count wrong for group #0 (4, counted=2031).\nFix? yes\n",
        "Block bitmap differences:  +(1--5)\nFix? no\n",
        "/dev/sdz1: Clearing orphaned inode 1234 (uid=0, gid=0, mode=0100600, size=512)\n",
    ],
)
def test_a_problem_alone(text: str) -> None:
    ((_, values),) = _problems(text)
    assert _counts(values) == 1


@pytest.mark.parametrize(
    "text",
    [
        "The inode's i_blocks is 8, should be no problem\n",
        'N_("@i %i, i_@bs is %Ib, @s %N.  "),\n',
        "I saw that the ref count is 9, it should be 1.\n",
        "+\tset_problem(\"Free blocks count wrong (%b, counted=%c).\\n\");\n",
        "The count wrong for group #3 is not e2fsck's\n",
        "EXT4-fs error (device sdz1): ext4_iget:5091: inode #1234: comm ls: bad header\n",
    ],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not _problems(text)


def test_long_lists_take_little_time_and_keep_their_sums() -> None:
    ranges = " ".join(f"+{number}" for number in range(0, 40000, 2))
    values = problems(f"Block bitmap differences:  {ranges}\nFix? no\n")
    assert values["blocks_not_marked"] == 20000
    assert len(values["block_ranges"] or []) == 1000  # type: ignore[arg-type]


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _problems(text) == _problems(TEXT), shape


def test_a_mail_that_folded_it() -> None:
    assert _problems(folded(TEXT, 72)) == _problems(TEXT)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("Clearing orphaned inode 71 (uid=1000, gid=100, mode=0100600, size=4711)",
         {"problem": "cleared_orphans", "inode": 71, "uid": 1000, "gid": 100, "mode": "0100600",
          "size": 4711}),
        ("Problem in HTREE directory inode 977: block #31 has bad max hash",
         {"problem": "htree_problems", "inode": 977, "logical": 31, "hash": "max"}),
        ("Illegal indirect block (4009) in inode 33.  CLEARED.",
         {"problem": "illegal_blocks", "inode": 33, "block": 4009}),
        ("Multiply-claimed block(s) in inode 15: 801 803--807 990",
         {"problem": "multiply_claimed_inodes", "inode": 15, "claimed": "801 803--807 990"}),
        ("Entry 'old' in /var/x (12) has deleted/unused inode 97.  Clear? yes",
         {"problem": "deleted_entries", "directory": 12, "inode": 97}),
        ("[QUOTA WARNING] Usage inconsistent for ID 3:actual (8192, 3) != expected (4096, 2)",
         {"problem": "quota_usages", "id": 3, "counted_bytes": 8192, "counted_inodes": 3,
          "said_bytes": 4096, "said_inodes": 2}),
        ("File /srv/a (inode #41, mod time Wed May  4 03:10:38 2022)",
         {"problem": "shares_blocks", "file": "/srv/a", "inode": 41,
          "modified": "Wed May  4 03:10:38 2022"}),
    ],
)  # fmt: skip
def test_the_figures_of_a_problem(line: str, row: dict[str, object]) -> None:
    assert problems(line)["figures"] == [row]
