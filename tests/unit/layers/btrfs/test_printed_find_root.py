"""Roots that btrfs-find-root came across. Oracle: the root that it found is the superblock's."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Json
from tests.mangle import counters, folded, mangled, read

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "roots.txt").read_text()


def _roots(text: str) -> list[tuple[str, dict[str, Json]]]:
    return [(each.name, dict(each.values)) for each in counters(text, "btrfs-find-root")]


def test_roots_and_what_the_superblock_wants() -> None:
    ((name, values),) = _roots(TEXT)
    assert name == "sdz1"
    assert values == {
        "superblock_generation": 4956, "superblock_level": 1, "root": 998506496,
        "root_generation": 4956, "root_level": 1, "well_blocks": 2, "wanted_generation": 4956,
        "wanted_level": 1,
        "wells": [
            {"block": 998211584, "generation": 4955, "level": 1, "matches": False},
            {"block": 997933056, "generation": 4951, "level": 0, "matches": False},
        ],
    }  # fmt: skip
    assert values["root_generation"] == values["superblock_generation"]
    assert values["wanted_generation"] == values["superblock_generation"]


@pytest.mark.parametrize("lines", [slice(1, 3), slice(3, 4), slice(4, 5), slice(4, 6)])
def test_lines_that_stand_alone(lines: slice) -> None:
    ((name, values),) = _roots("\n".join(TEXT.splitlines()[lines]) + "\n")
    assert name == ""
    whole = _roots(TEXT)[0][1]
    same = {key: whole[key] for key in values if key not in ("wells", "well_blocks")}
    assert {key: values[key] for key in same} == same


def test_a_block_that_matches_and_one_of_an_old_program() -> None:
    text = (
        "Super think's the tree root is at 29376512, chunk root 20971520\n"
        "Well block 4194304 seems great, but generation doesn't match, have=2, want=7 level 0\n"
        "Well block 4198400(gen: 7 level: 0) seems good, and it matches superblock\n"
    )
    ((_, values),) = _roots(text)
    assert (values["superblock_root"], values["superblock_chunk_root"]) == (29376512, 20971520)
    assert values["wanted_generation"] == 7
    assert values["wells"] == [
        {"block": 4198400, "generation": 7, "level": 0, "matches": True},
        {"block": 4194304, "generation": 2, "level": 0},
    ]


def test_a_line_that_is_cut_is_not_half_read() -> None:
    cut = "\n".join(TEXT.splitlines()[:-1]) + "\nWell block 997933056(gen: 4951 lev"
    (output,) = read(cut)
    assert isinstance(output, Unread)
    assert output.reason == "a line of it is cut off"


@pytest.mark.parametrize(
    "text",
    [
        "The well block 12(gen: 3 level: 1) seems good to me.\n",
        "Superblock thinks the world of itself.\n",
        'printf("Superblock thinks the generation is %llu\\n", gen);\n',
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _roots(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _roots(text) == _roots(TEXT), shape


@pytest.mark.parametrize("width", [60, 72])
def test_a_mail_that_folded_it(width: int) -> None:
    assert _roots(folded(TEXT, width)) == _roots(TEXT)
