"""Leaves and nodes of btrfs's trees. Oracle: the bytes of a block add up to its size.

A block of 16384 bytes has a header of 101, an item of a leaf 25 and a pointer of a node 33 (Linux
6.1, include/uapi/linux/btrfs_tree.h: struct btrfs_header, btrfs_item, btrfs_key_ptr).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters, folded, mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "tree.txt").read_text()
ROOM = 16384 - 101


def _blocks(text: str) -> list[tuple[str, str, dict[str, Json]]]:
    return [(each.kind, each.name, dict(each.values)) for each in counters(text, "btrfs dump-tree")]


def _rows(values: dict[str, Json], name: str = "rows") -> list[list[Json]]:
    rows = values[name]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, list)]


def _number(value: Json) -> int:
    assert isinstance(value, int)
    return value


def test_the_bytes_of_each_block_add_up() -> None:
    (kind, block, node), (leaf_kind, leaf_block, leaf) = _blocks(TEXT)
    assert (kind, block, leaf_kind, leaf_block) == (
        "btrfs_node", "30507008", "btrfs_leaf", "30523392",
    )  # fmt: skip
    assert _number(node["items"]) + _number(node["free_space"]) == ROOM // 33
    sizes = [_number(row[3]) for row in _rows(leaf)]
    assert leaf["listed"] == leaf["items"] == len(sizes)
    assert sum(sizes) + 25 * len(sizes) + _number(leaf["free_space"]) == ROOM
    ends = [ROOM, *(_number(row[2]) for row in _rows(leaf))]
    assert [before - size for before, size in zip(ends, sizes, strict=False)] == ends[1:]


def test_what_a_node_says() -> None:
    ((_, _, node), _) = _blocks(TEXT)
    assert node == {
        "level": 1, "items": 2, "free_space": 491, "generation": 91, "owner": 258, "tree": "file",
        "flags": "0x1(WRITTEN)", "backref_revision": 1, "listed": 2,
        "fs_uuid": "0b0e0d0c-1111-4222-8333-0a0b0c0d0e0f",
        "chunk_uuid": "1b1e1d1c-1111-4222-8333-1a1b1c1d1e1f",
        "pointers": [
            ["256 INODE_ITEM 0", 30523392, 91], ["261 EXTENT_DATA 4096", 30539776, 77],
        ],
    }  # fmt: skip
    versions = [subject.values for subject in subjects_in(TEXT)]
    assert {"btrfs-progs": "6.2", "btrfs_progs": "v6.2"} in versions


def test_items_by_type_with_what_is_said_of_each() -> None:
    (_, (_, _, leaf)) = _blocks(TEXT)
    assert leaf["item_types"] == {"INODE_ITEM": 1, "INODE_REF": 1, "DIR_INDEX": 1, "EXTENT_DATA": 1}
    assert _rows(leaf)[2] == [
        2, "256 DIR_INDEX 2", 16077, 34, "location key (257 INODE_ITEM 0) type FILE",
        "transid 9 data_len 0 name_len 4", "name: file",
    ]  # fmt: skip


def test_items_alone() -> None:
    text = "\n".join(TEXT.splitlines()[22:25]) + "\n\nThis is what I do not understand.\n"
    ((kind, name, values),) = _blocks(text)
    assert (kind, name, values["listed"]) == ("btrfs_leaf", "", 1)
    assert "items" not in values, "nobody says how many there are"


def test_lines_that_grep_chose_are_not_of_the_item_above() -> None:
    text = (
        "\titem 16 key (67417 DIR_ITEM 4104047264) itemoff 2351 itemsize 44\n"
        "\t\tlocation key (68472 INODE_ITEM 0) type FILE\n--\n"
        "\t\tlocation key (68469 INODE_ITEM 0) type FILE\n"
        "\titem 19 key (67417 DIR_INDEX 13) itemoff 2181 itemsize 44\n"
    )
    ((_, _, values),) = _blocks(text)
    assert [len(row) for row in _rows(values)] == [5, 4]
    assert values["lines_of_other_items"] == ["location key (68469 INODE_ITEM 0) type FILE"]


def test_a_node_as_older_programs_print_it_broken_by_a_mail() -> None:
    text = (
        "node 13404298215424 level 1 items 809 free 180 generation 3240438 owner \n"
        "EXTENT_TREE\nfs uuid 0b0e0d0c-1111-4222-8333-0a0b0c0d0e0f\n"
        "     key (3723346178048 EXTENT_ITEM 268435456) block 13403736571904 \n"
        "(409049578) gen 3239532\n"
    )
    ((kind, name, values),) = _blocks(text)
    assert (kind, name, values["owner"]) == ("btrfs_node", "13404298215424", "EXTENT_TREE")
    assert (values["items"], values["free_space"]) == (809, 180)
    assert _rows(values, "pointers") == [
        ["3723346178048 EXTENT_ITEM 268435456", 13403736571904, 3239532]
    ]


def test_a_leaf_of_the_kernel() -> None:
    ((kind, name, values),) = _blocks(
        "BTRFS info (device sdz1): leaf 30523392 gen 91 total ptrs 4 free space 15876 owner 258\n"
        "\titem 0 key (256 1 0) itemoff 16123 itemsize 160\n"
    )
    assert (kind, name, values["generation"], values["items"]) == ("btrfs_leaf", "30523392", 91, 4)


def test_a_leaf_in_the_kernels_log_stays_with_its_times() -> None:
    text = "".join(
        f"[ 1563.35828{number}] {line}\n" for number, line in enumerate(TEXT.splitlines()[9:14])
    )
    assert not _blocks(text)


@pytest.mark.parametrize(
    "text",
    [
        "There is no free space left, and the leaf 12 of the plant fell.\n",
        "The item 3 key (on the left) block 4 is what I pressed.\n",
        "chunk uuid of what I have is unknown\n",
        '\tprintf("leaf %llu items %u free space %d generation %llu owner ",\n',
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not read(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _blocks(text) == _blocks(TEXT), shape


def test_a_mail_that_folded_it() -> None:
    narrow = folded(TEXT.replace("\t", "        "), 60)
    assert [values["listed"] for _, _, values in _blocks(narrow)] == [2, 4]
    assert [row[:4] for row in _rows(_blocks(narrow)[1][2])] == [
        row[:4] for row in _rows(_blocks(TEXT)[1][2])
    ]
