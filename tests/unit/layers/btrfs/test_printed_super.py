"""Superblocks of btrfs. Oracle: fields that repeat each other, and the rows of the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "super.txt").read_text()


def _blocks(text: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (subject.name, dict(subject.values)) for subject in subjects_in(text, "btrfs dump-super")
    ]


def test_fields_of_a_superblock() -> None:
    ((name, values),) = _blocks(TEXT)
    assert name == "sdz1"
    assert values["total_bytes"] == values["dev_item.total_bytes"] == 246373416960
    assert values["generation"] == values["cache_generation"]
    assert values["superblock_at"] == values["bytenr"] == 65536
    assert (values["csum"], values["csum_matches"]) == ("0x0b234e5d", True)
    assert (values["csum_type"], values["leafsize"], values["label"]) == ("0 (crc32c)", 16384, "")
    assert values["dev_item.devid"] == 1


def test_a_sum_that_does_not_match() -> None:
    ((_, values),) = _blocks(TEXT.replace("5d [match]", "5d [DON'T MATCH]"))
    assert values["csum_matches"] is False


def test_tabs_that_a_mail_made_blanks() -> None:
    blanks = "\n".join(" ".join(line.split()) for line in TEXT.splitlines())
    assert _blocks(blanks) == _blocks(TEXT)


def test_without_its_fields_it_is_not_read() -> None:
    head = "superblock: bytenr=65536, device=/dev/sdz1\n"
    (output,) = read(f"{head}\nThat is all that I get from it.\n")
    assert isinstance(output, Unread)
    assert not read("The superblock: bytenr=65536, device=/dev/sdz1 is bad.\n")


@pytest.mark.parametrize("hidden", ["[xxx]", "xxxxxxxxx-yyyy-zzzz-tttt-wwwwwww", "<removed>"])
def test_a_file_system_whose_uuid_was_hidden(hidden: str) -> None:
    text = (
        f"Label: none  uuid: {hidden}\n\tTotal devices 1 FS bytes used 127.83GiB\n"
        "\tdevid    1 size 227.29GiB used 197.02GiB path /dev/sdz1\n"
    )
    (state,) = states(text)
    values = state.subjects[0].values
    assert "uuid" not in values
    assert (values["devices"], values["below"]) == (1, "sdz1")


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _blocks(text) == _blocks(TEXT), shape
