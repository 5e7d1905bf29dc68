"""debugfs. Oracle: the real program on an image, whose outputs tell of the same blocks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Json
from tests.mangle import counters, mangled, read

FOLDER = Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed"
INODE, EXTENTS, HTREE = (
    (FOLDER / f"{name}.txt").read_text() for name in ("inode", "extents", "htree")
)


def _read(text: str) -> list[tuple[str, dict[str, Json]]]:
    return [(each.name, dict(each.values)) for each in counters(text, "debugfs")]


def _run(*argv: str | Path, given: str = "") -> str:
    done = subprocess.run(
        list(map(str, argv)), capture_output=True, input=given, text=True, check=False,
        env={"LC_ALL": "C"},
    )  # fmt: skip
    return done.stdout


def _rows(values: dict[str, Json], name: str) -> list[Json]:
    rows = values[name]
    assert isinstance(rows, list)
    return rows


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path, content = tmp_path / "image", tmp_path / "content"
    with path.open("wb") as file:
        file.truncate(16 << 20)
    content.write_bytes(b"0123456789abcdef" * 6250)
    _run("/sbin/mke2fs", "-q", "-t", "ext4", "-b", "1024", path)
    names = [f"write /dev/null file_with_a_long_name_{number}" for number in range(200)]
    requests = [f"write {content} data", "mkdir big", "cd big", *names]
    _run("/sbin/debugfs", "-w", "-f", "-", path, given="\n".join(requests) + "\n")
    _run("/sbin/e2fsck", "-f", "-y", "-D", path)
    return path


def test_the_real_program_of_a_file(image: Path) -> None:
    ((name, inode),) = _read(
        "# debugfs -R 'stat data' image\n" + _run("/sbin/debugfs", "-R", "stat data", image)
    )
    ((_, extents),) = _read(_run("/sbin/debugfs", "-R", "dump_extents data", image))
    assert (inode["file"], inode["size"], inode["type"]) == ("data", 100000, "regular")
    assert name == str(inode["inode"])
    assert inode["data_blocks"] == extents["extent_blocks"] == -(-100000 // 1024)
    assert inode["blockcount"] == 2 * int(str(inode["data_blocks"])), "of 512 bytes"
    runs = [
        [row["from"], row["to"], row["at"], row["end"]]
        for row in _rows(extents, "rows")
        if isinstance(row, dict)
    ]
    assert runs == _rows(inode, "runs")


def test_the_real_program_of_a_directory(image: Path) -> None:
    ((_, tree),) = _read(_run("/sbin/debugfs", "-R", "htree big", image))
    ((_, inode),) = _read(_run("/sbin/debugfs", "-R", "stat big", image))
    entries = tree["entries"]
    assert isinstance(entries, dict)
    assert tree["count"] == len(entries) == len(_rows(tree, "leaf_blocks"))
    assert inode["data_blocks"] == len(entries) + 1, "the root is a block, too"
    assert tree["listed_names"] == 200


def test_an_inode() -> None:
    ((name, values),) = _read(INODE)
    assert name == "8"
    time = "0x68b1a2f0:00000000"
    assert values == {
        "file": "<8>", "inode": 8, "type": "regular", "mode": "0600", "flags": "0x80000",
        "generation": 0, "version": "0x00000000:00000000", "user": 0, "group": 0, "project": 0,
        "size": 1048576, "file_acl": 0, "links": 1, "blockcount": 2048, "extra_isize": 32,
        "checksum": "0x083f1d95", "ctime": time, "atime": time, "mtime": time, "crtime": time,
        "data_blocks": 1024, "tree_blocks": 0,
        "runs": [[0, 511, 8322, 8833], [512, 1023, 9345, 9856]],
    }  # fmt: skip


def test_blocks_of_ext2_and_of_a_deep_tree() -> None:
    text = INODE[: INODE.index("EXTENTS")]
    ((_, values),) = _read(
        f"{text}BLOCKS:\n(0-11):524-535, (IND):536, (12-29):537-554\nTOTAL: 31\n"
    )
    assert values["total_blocks"] == 31
    assert int(str(values["data_blocks"])) + int(str(values["tree_blocks"])) == 31
    ((_, values),) = _read(f"{text}EXTENTS:\n(ETB0):33, (0-3[u]):40-43, (9):77\n")
    assert _rows(values, "runs") == [["ETB0", 33], [0, 3, 40, 43, "unwritten"], [9, 9, 77, 77]]


def test_extents_and_an_index() -> None:
    ((_, extents),) = _read(EXTENTS)
    assert (extents["file"], extents["extents"], extents["extent_blocks"]) == ("<8>", 2, 1024)
    ((_, tree),) = _read(HTREE)
    assert tree == {
        "file": "big", "hash_version": 1, "info_length": 8, "indirect_levels": 0, "count": 2,
        "limit": 123, "entries": {"0x00000000": 1, "0x8b675916": 2},
        "leaf_blocks": [[1, 1384], [2, 1385]], "listed_names": 3,
    }  # fmt: skip


def test_rows_that_do_not_add_up_are_not_read() -> None:
    (output,) = read(EXTENTS.replace("  511 ", "  510 "))
    assert isinstance(output, Unread)
    assert output.reason == "its rows are cut off, or were changed"


@pytest.mark.parametrize(
    "text",
    [
        "Inode: 8   Type: regular or not?\n", "The Root node dump: it is long\n",
        "Level Entries of the game\n", 'fprintf(f, "Level Entries %*s %*s Length Flags\\n",\n',
    ],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not _read(text)


@pytest.mark.parametrize("whole", [INODE, EXTENTS, HTREE])
def test_every_shape(whole: str) -> None:
    for shape, text in mangled(whole, wraps=False):
        expected = [(name, {**values}) for name, values in _read(whole)]
        read_now = _read(text)
        if shape == "with blank lines":  # the command stands further above
            for entry in (*expected, *read_now):
                entry[1].pop("file", None)
        assert read_now == expected, shape
