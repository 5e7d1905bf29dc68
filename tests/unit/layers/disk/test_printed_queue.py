"""Files of a queue in sysfs, as people show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "linux-6.18-queue"


def disks(given: str) -> dict[str, dict[str, Scalar]]:
    return {thing.name: dict(thing.values) for state in states(given) for thing in state.subjects}


def test_what_grep_shows_in_every_shape() -> None:
    for shape, given in mangled((PLACE / "grep.txt").read_text()):
        vda = disks(given)["vda"]
        assert vda["scheduler"] == "mq-deadline", shape
        assert (vda["nr_requests"], vda["read_ahead_kb"], vda["io_min"]) == (256, 8192, 4096)
        assert (vda["rotational"], vda["write_cache"]) == (True, "write back")


def test_cat_head_and_prompts() -> None:
    shown = (
        "root@db1:~# cat /sys/block/sda/queue/scheduler\nnoop deadline [cfq]\n"
        "root@db1:~# cat /sys/block/sda/queue/nr_requests\n128\n\n"
        "==> /sys/block/nvme0n1/queue/scheduler <==\n[none] mq-deadline\n\n"
        "==> /sys/block/nvme0n1/queue/rotational <==\n0\n"
    )
    assert disks(shown) == {
        "sda": {"scheduler": "cfq", "nr_requests": 128},
        "nvme0n1": {"scheduler": "none", "rotational": False},
    }
    assert {each.host for state in states(shown) for each in state.subjects} == {"db1"}


@pytest.mark.parametrize(
    "line",
    [
        "# cat /sys/block/nvme0n1/queue/nr_requests:1023",
        "$ sudo cat /sys/block/nvme0n1/queue/nr_requests: 1023",
        "/sys/block/nvme0n1/queue/nr_requests 1023",
        "    /sys/block/nvme0n1/queue/nr_requests = 1023",
        "/sys/block/nvme0n1/queue/nr_requests : 1023",
    ],
)
def test_file_and_value_in_a_line_as_noted_by_hand(line: str) -> None:
    text = f"Here it says:\n\n{line}\n\nthanks\n"
    assert disks(text) == {"nvme0n1": {"nr_requests": 1023}}
    assert [output.place.first_line for output in read(text)] == [3]


@pytest.mark.parametrize(
    "near_miss",
    [
        "echo none > /sys/block/sda/queue/scheduler",
        "/sys/block/<device>/queue/scheduler: the scheduler",
        "cat /sys/block/sda/queue/scheduler shows which scheduler is active.",
        "cat /sys/block/sda/queue/scheduler\ncat: permission denied",
        "/sys/block/sda/queue/nr_requests 128 is too few for me",
        "# cat /sys/block/sda/queue/nr_requests # 128 here",
        "/sys/block/sda/queue/nr_requests: how many requests may be waiting",
    ],
)
def test_commands_and_prose_are_no_values(near_miss: str) -> None:
    assert [output for output in states(near_miss) if output.tool == "queue files"] == []
    assert not [entry for entry in read(near_miss) if getattr(entry, "reason", "")]


def test_files_that_are_shown_from_within_the_folder_of_the_prompt() -> None:
    whole = "# cat /sys/block/sdq/queue/scheduler\nnone [bfq]\n"
    whole += "# cat /sys/block/sdq/queue/nr_requests\n64\n"
    near = "root@h:/sys/block/sdq/queue# cat scheduler\nnone [bfq]\n"
    near += "root@h:/sys/block/sdq/queue# cat nr_requests\n64\n"
    (far,), (here,) = (state.subjects for state in states(whole) + states(near))
    assert (here.name, here.values) == (far.name, far.values)
    assert here.host == "h"
    for folder in ("/srv/queue", "~", " queue", "/sys/block/sdq"):
        line = f"root@h:{folder}# cat scheduler"
        assert not states(f"{line}\nnone [bfq]\n"), line
