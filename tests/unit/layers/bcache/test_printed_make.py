"""What bcache's tools make and show. Oracle: bcache-super-show's names and units of the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "bcache-composed"
MADE, NEW, SHOWN = ((OUTPUTS / f"{name}.txt").read_text() for name in ("make", "make-1.1", "show"))
TOOLS = {"make-bcache", "bcache show"}


def _things(text: str) -> dict[str, dict[str, object]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, *TOOLS)}


def test_devices_have_the_names_of_the_command() -> None:
    made = _things(MADE)
    assert (made["sdc"]["role"], made["sdb"]["role"]) == ("cache", "backing")
    assert made["sdc"]["set_uuid"] == made["sdb"]["set_uuid"]
    assert made["sdb"]["data_offset"] == 8192  # BDEV_DATA_START_DEFAULT, 16 sectors
    assert (made["sdc"]["bucket_size"], made["sdc"]["buckets"]) == (512 << 10, 114473)
    alone = _things(MADE.split("\n", 1)[1])
    assert list(alone.values()) == list(made.values())
    assert list(alone) == [values["uuid"] for values in made.values()]


def test_newer_tools_say_the_device() -> None:
    (made,) = _things(NEW).items()
    assert made == ("sde2", {
        "role": "cache", "uuid": "58092ee5-2412-4f25-af21-111111111111",
        "set_uuid": "a5bfbb35-dd42-4593-af63-222222222222", "superblock_version": 0,
        "buckets": 3814, "block_size": 512, "bucket_size": 512 << 10, "nr_in_set": 1,
        "nr_this_dev": 0, "first_bucket": 1,
    })  # fmt: skip
    cut = "\n".join(NEW.split("\n")[:7])
    assert "role" not in _things(cut)["sde2"]


def test_what_serves_what() -> None:
    shown = _things(SHOWN)
    assert shown["sdb"] == {
        "role": "backing", "superblock_version": 1, "state": "clean(running)",
        "bcache": "bcache0", "attached": "/dev/sdc",
    }  # fmt: skip
    assert shown["sdd"]["attached"] == "Alone"
    assert shown["sdc"] == {"role": "cache", "superblock_version": 3, "state": "active"}
    assert _things("\n".join(SHOWN.split("\n")[2:])) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Set UUID: is what make-bcache prints\nversion: 1\n",
        "UUID: 58092ee5-2412-4f25-af21-111111111111\nversion: 0\n",
        "uuid:\t\t\t58092ee5-2412-4f25-af21-111111111111\nblock_size:\t\t4KB\n",
        "/dev/sdb is 1 (data) and /dev/sdc 3 (cache)\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


@pytest.mark.parametrize("text", [MADE, NEW, SHOWN], ids=["1.0", "1.1", "show"])
def test_every_shape(text: str) -> None:
    expected = _things(text)
    for shape, changed in mangled(text):
        assert _things(changed) == expected, shape
