"""Answers of qemu-img. Oracle: sizes and options are those that the commands above them ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde import units
from tests.mangle import mangled, states, subjects_in, unread_in

PLACE = Path(__file__).parents[3] / "outputs" / "guests-composed"
TEXT = (PLACE / "qemu-img-answers.txt").read_text()
TOOLS = ("qemu-img create", "qemu-img resize")


def _images(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(thing.name, dict(thing.values)) for thing in subjects_in(text, *TOOLS)]


def test_what_was_asked_for_was_made() -> None:
    assert _images(TEXT) == [
        ("/srv/reed.qcow2", {
            "format": "qcow2", "cluster_size": units.parse_bytes("128k"), "extended_l2": False,
            "preallocation": "metadata", "compression_type": "zlib",
            "size": units.parse_bytes("40G"), "lazy_refcounts": True, "refcount_bits": 16,
        }),
        ("newt.qcow2", {
            "format": "qcow2", "size": 10 << 30, "backing_file": "base.qcow2",
            "cluster_size": 65536, "lazy_refcounts": False,
        }),
        ("heron.img", {"format": "raw", "size": 8 << 30}),
        ("heron.img", {"resized": "+2G"}),
    ]  # fmt: skip


def test_a_size_of_clusters_that_was_not_set_is_none() -> None:
    text = "Formatting 'newt', fmt=qcow2 size=1024 encryption=off cluster_size=0 \n"
    assert _images(text) == [("newt", {"format": "qcow2", "size": 1024})]


def test_an_answer_that_is_cut_says_nothing() -> None:
    text = "Formatting '/srv/reed.qcow2', fmt=qcow2 cluster_size=131072 preallo\n\nand so on\n"
    assert not _images(text)
    assert unread_in(text)
    assert not _images("Image resized.\n")


@pytest.mark.parametrize("text", ["Formatting 'C:' as NTFS\n", "Formatting '/dev/sdb' with ext4\n"])
def test_what_others_format(text: str) -> None:
    assert not _images(text)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT)), ids=lambda each: each[:20])
def test_mangled(shape: str, text: str) -> None:
    assert _images(text) == _images(TEXT), shape


def test_what_it_says_of_a_size_is_kept() -> None:
    (state,) = states("# qemu-img resize newt.qcow2 +40G\nImage resized.\n")
    assert state.messages == ("Image resized.",)


def test_refcount_bits_of_an_image() -> None:
    text = (
        "image: newt.qcow2\nfile format: qcow2\nvirtual size: 20 GiB (21474836480 bytes)\n"
        "disk size: 1 GiB\ncluster_size: 65536\nFormat specific information:\n    compat: 1.1\n"
        "    refcount bits: 16\n    corrupt: false\n"
    )
    (image,) = subjects_in(text, "qemu-img info")
    assert image.values["refcount_bits"] == 16
