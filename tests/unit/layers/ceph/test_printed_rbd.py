"""rbd info: objects times their size is the check on the size."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "rbd-composed" / "info.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_an_image_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        image = things(given)["vm-7-disk-0"]
        assert image["size"] == 8192 * (1 << 22), shape
        assert (image["objects"], image["object_size"]) == (8192, 4 << 20)
        assert (image["snapshot_count"], image["format"]) == (1, 2)
        assert image["block_name_prefix"] == "rbd_data.10c3f2a94bd1"


def test_the_sizes_of_old_versions_are_powers_of_1024() -> None:
    old = TEXT.replace("32 GiB in 8192", "102400 kB in 25").replace("4 MiB obj", "4096 kB obj")
    assert things(old)["vm-7-disk-0"]["size"] == 25 * (1 << 22)


def test_an_image_whose_command_is_glued_to_it_and_a_torn_one() -> None:
    glued = "~# rbd info disk7 --name client.a" + TEXT
    assert things(glued)["vm-7-disk-0"]["objects"] == 8192
    (entry,) = read("rbd image 'a':\n\torder 22 (4 MiB objects)\n")
    assert isinstance(entry, Unread)
    assert read("The rbd image 'a' is mapped.\n") == []
