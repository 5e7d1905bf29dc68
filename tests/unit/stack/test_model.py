"""The graph: roots, what lies under a path, and cycles that must not hang it."""

from __future__ import annotations

import pytest

from iosonde.records.stack import Capture, StackLayer
from iosonde.stack.model import Stack, capture_settings, layers_under


def layer(id_: str, device: str, *below: str, mount: str | None = None, **facts: str) -> StackLayer:
    kind = id_.partition(":")[0]
    return StackLayer(
        id=f"h/{id_}", kind=kind, host="h", device=device, size=1, mount=mount,
        below=tuple(f"h/{name}" for name in below), facts=facts, settings={"a": kind},
    )  # fmt: skip


LAYERS = (
    layer("disk:sda", "/dev/sda"),
    layer("disk:sdb", "/dev/sdb"),
    layer("partition:sda1", "/dev/sda1", "disk:sda"),
    layer("md:md0", "/dev/md0", "partition:sda1", "disk:sdb"),
    layer("xfs:/", "/dev/md0", "md:md0", mount="/"),
    layer("ext4:/srv", "/dev/loop0", "loop:loop0", mount="/srv", mounts="/srv\n/bind"),
    layer("loop:loop0", "/dev/loop0", "xfs:/"),
    layer("disk:sdc", "/dev/sdc"),
)
CAPTURE = Capture(0.0, (), LAYERS, host_wide={"h.vm.dirty_ratio": 20})


def ids(path: str, host: str = "h") -> list[str]:
    return [stack_layer.id.removeprefix("h/") for stack_layer in layers_under(CAPTURE, host, path)]


def test_roots_are_mounts_first() -> None:
    assert [stack_layer.id for stack_layer in Stack(LAYERS).roots()] == [
        "h/ext4:/srv",
        "h/disk:sdc",
    ]


UNDER_ROOT = ["xfs:/", "md:md0", "partition:sda1", "disk:sda", "disk:sdb"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", UNDER_ROOT),
        ("/etc/fstab", UNDER_ROOT),
        ("/srvx/file", UNDER_ROOT),
        ("/srv", ["ext4:/srv", "loop:loop0", *UNDER_ROOT]),
        ("/srv/deep/new file", ["ext4:/srv", "loop:loop0", *UNDER_ROOT]),
        ("/bind/x", ["ext4:/srv", "loop:loop0", *UNDER_ROOT]),
        ("/srv/../etc", UNDER_ROOT),
        ("/dev/md0", UNDER_ROOT[1:]),
        ("/dev/sda1", ["partition:sda1", "disk:sda"]),
        ("/dev/loop0", ["loop:loop0", *UNDER_ROOT]),
        ("/dev/sdc", ["disk:sdc"]),
    ],
)
def test_layers_under_a_path(path: str, expected: list[str]) -> None:
    assert ids(path) == expected


def test_another_host_has_nothing_there() -> None:
    assert ids("/", host="other") == []


def test_a_cycle_ends() -> None:
    ring = (layer("loop:a", "/dev/a", "xfs:b"), layer("xfs:b", "/dev/a", "loop:a", mount="/b"))
    stack = Stack(ring)
    assert [stack_layer.id for stack_layer in stack.under(ring[0])] == ["h/loop:a", "h/xfs:b"]


def test_settings_of_a_capture_are_one_flat_object() -> None:
    values = capture_settings(CAPTURE)
    assert values["h/md:md0.a"] == "md"
    assert values["h.vm.dirty_ratio"] == 20
    assert len(values) == len(LAYERS) + 1
