"""What btrfs's tools say is wrong. Oracle: each line of the sample that says so is of one sort."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.btrfs.check_messages import message_sort
from iosonde.records.stack import Json
from tests.mangle import counters, folded, mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "messages.txt").read_text()
SORTS = {
    "ref_mismatches": 1, "incorrect_backrefs": 1, "mismatching_backrefs": 1,
    "backpointer_mismatches": 1, "deleted_records": 1, "added_backrefs": 1,
    "repaired_references": 1, "wrong_device_extents": 1, "inode_errors": 1,
    "file_extent_holes": 1, "unresolved_refs": 1, "errors_found_in": 1,
}  # fmt: skip


def _messages(text: str) -> list[tuple[str, str, dict[str, Json]]]:
    return [
        (each.tool, each.name, dict(each.values))
        for each in counters(text)
        if "messages" in each.values
    ]


def _sentences(values: dict[str, Json]) -> list[str]:
    sentences = values["messages"]
    assert isinstance(sentences, list)
    return [str(sentence) for sentence in sentences]


def test_the_errors_of_a_check_by_sort() -> None:
    ((tool, name, values),) = _messages(TEXT)
    assert (tool, name) == ("btrfs check", "sdz1")
    sentences = _sentences(values)
    assert {key: count for key, count in values.items() if key != "messages"} == SORTS
    lines = [" ".join(line.split()) for line in TEXT.splitlines() if message_sort(line)]
    assert sentences == lines
    assert len(sentences) == sum(SORTS.values())


def test_errors_alone_and_broken_by_a_mail() -> None:
    start = TEXT.index("ref mismatch")
    alone = TEXT[start : TEXT.index("found 1127")]
    ((tool, name, values),) = _messages(alone)
    assert (tool, name) == ("btrfs", "")
    assert values == _messages(TEXT)[0][2]
    ((_, _, broken),) = _messages(folded(alone, 60))
    assert broken == values


def test_what_receive_and_restore_say() -> None:
    text = (
        "At subvol snap1\nAt snapshot snap2\n"
        "ERROR: failed to clone extents to bar: Invalid argument\n"
    )
    ((_, _, values),) = _messages(text)
    assert _sentences(values) == text.splitlines()
    text = "ERROR: exhausted mirrors trying to read (3 > 2)\nError copying data for /srv/a b.img\n"
    ((_, _, values),) = _messages(text)
    assert (values["exhausted_mirrors"], values["failed_copies"]) == (1, 1)


def test_sentences_of_people_end_it() -> None:
    text = (
        "WARNING: reserved space leaked, transid=2608372 flag=0x2 bytes_reserved=32768\n"
        "That is what it says, 17 times.\n"
    )
    ((_, _, values),) = _messages(text)
    assert _sentences(values) == text.splitlines()[:1]


@pytest.mark.parametrize(
    "text",
    [
        "The root 5 inode 257 errors are many\n", "At subvol the road ends\n",
        "ERROR: missing [4/3]!\n", "I could not open ctree\n", "start: 1, len: 2\n",
        "ref mismatch on [what] I do not know\n", "block group 1 used 2\n",
        'fprintf(stderr, "ref mismatch on [%llu %llu] ",\n',
    ],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not _messages(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _messages(text) == _messages(TEXT), shape


def test_how_long_the_steps_of_a_check_take() -> None:
    text = (
        "Checking filesystem on /dev/sdz1\nUUID: 0b0e0d0c-1111-4222-8333-0a0b0c0d0e0f\n"
        "[1/7] checking root items                      (0:01:07 elapsed, 509893 items checked)\n"
        "[2/7] checking extents                         (27:48:52 elapsed, 33 items checked)\n"
    )
    (state,) = states(text)
    values = state.subjects[0].values
    assert (values["check_root_items_time"], values["check_root_items_items"]) == (67, 509893)
    assert (values["check_extents_time"], values["check_extents_items"]) == (100132, 33)
