"""Every key of every kind that can be declared is compared with what stands, or it says why not."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from iosonde.layers.site import Compares, Declared, Homed, Site
from iosonde.layers.step import Check
from iosonde.records.stack import StackLayer
from iosonde.stack.file import buildable, builder

# What each kind stands on, and what it needs to be declared; a disk where nothing is said.
SAMPLES: Mapping[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "aoe": (("aoe_target",), {}),
    "bcache": (("disk", "disk"), {}),
    "disk": ((), {"file": "/srv/d.img"}),
    "dm_cache": (("disk", "disk"), {}),
    "dm_writecache": (("disk", "disk"), {}),
    "drbd": (("disk", "far"), {}),
    "ext4": (("md",), {"mount": "/mnt/a"}),
    "guest": (("disk",), {"at": "vm", "image": "/srv/vm.img", "cache": "none"}),
    "hwraid": ((), {"drives": ["252:0", "252:1", "252:2", "252:3"], "level": 10}),
    "iscsi": (("iscsi_target",), {}),
    "lvm": (("disk", "disk", "disk"), {"type": "striped", "size": "1 GiB"}),
    "md": (("disk",) * 6, {"level": 5}),
    "nbd": (("nbd_server",), {}),
    "nfs": (("nfs_server",), {"mount": "/mnt/n"}),
    "nfs_server": (("xfs",), {}),
    "nvmeof": (("nvmeof_target",), {}),
    "xfs": (("md",), {"mount": "/mnt/a"}),
}
SMART_ARRAY = {"drives": ["1I:1:1", "1I:1:2", "1I:1:3", "1I:1:4"]}  # has keys that MegaRAID lacks
# A second value, where none can be made of the field's type.
OTHERS: Mapping[tuple[str, str], Any] = {
    ("disk", "file"): "/srv/e.img", ("disk", "path"): "/dev/sdz",
    ("drbd", "net"): {"max-buffers": 4000}, ("drbd", "disk"): {"al-extents": 200},
    ("drbd", "primary"): "there", ("hwraid", "drives"): ["252:4", "252:5", "252:6", "252:7"],
    ("iscsi", "transport"): "iser", ("xfs", "su"): 65536, ("xfs", "sw"): 3,
    ("dm_cache", "block_size"): 65536, ("dm_writecache", "block_size"): 1024,
    ("bcache", "bucket_size"): 1 << 20, ("guest", "cache"): "directsync",
    ("hwraid", "level"): 6, ("hwraid", "spans"): 2,
    ("md", "layout"): "right-symmetric",
}  # fmt: skip


def _site(kind: str, name: str, values: Mapping[str, Any] | None = None) -> Site:
    if kind == "hwraid" and "cache_ratio" in (values or {}):
        values = {**SMART_ARRAY, **(values or {})}
    below, given = SAMPLES.get(kind, (("disk",) if kind != "disk" else (), {}))
    host = "here"
    if kind == "far":
        kind, host, given = "disk", "there", {"file": "/srv/far.img"}
        below = ()
    names = [f"{name}{number}" for number in range(len(below))]
    under = tuple(_site(text, its) for text, its in zip(below, names, strict=True))
    if kind == "iscsi_target":
        given = {"iser": True}
    model = buildable()[kind].declaration
    declared = model.model_validate({**given, "kind": kind, **(values or {})})
    place = {"mount": str(getattr(declared, "mount", "")), "": f"<{name}>"}
    site = Site(
        "keys", name, host, declared, under, {"here": "10.0.0.1", "there": "10.0.0.2"},
        device=place.get(builder(kind).probe, f"/dev/{name}"),
    )  # fmt: skip
    return replace(site, host=str(getattr(declared, "primary", "")) or host)


def _another(kind: str, key: str) -> Any:
    """A value of a key that is valid and is not the one of the sample."""
    if (kind, key) in OTHERS:
        return OTHERS[kind, key]
    model = buildable()[kind].declaration
    field = model.model_fields[key]
    now = getattr(_site(kind, "a").declared, key)
    choices = [
        arg for part in (field.annotation, *typing.get_args(field.annotation))
        for arg in typing.get_args(part) if typing.get_origin(part) is typing.Literal
    ]  # fmt: skip
    numbers = (2, 3, 5, 7, 12, 100, 128, 1024, 4096, 65536, 1 << 20, 1 << 21)
    for value in (*choices, not now, *numbers, "other", "/mnt/b", ["noatime"]):
        try:
            if TypeAdapter(field.rebuild_annotation()).validate_python(value) == now:
                continue
            _site(kind, "a", {key: value})
        except ValidationError:
            continue
        return value
    raise AssertionError(f"no second value of {kind}.{key}: add one to OTHERS")


def _checks(site: Site) -> list[tuple[str, Check | None, str]]:
    """What tells of each step whether it is done, with the script on the host that it asks."""
    steps = builder(site.kind).plan(site)
    scripts = [command.stdin for step in steps if step.there is None for command in step.do]
    return [(step.host, step.there, " ".join(scripts)) for step in steps]


def _keys() -> list[tuple[str, str]]:
    return [
        (kind, key)
        for kind, class_ in sorted(buildable().items())
        for key in class_.declaration.model_fields
        if key not in {"kind", "of", "host"}  # where it stands, and on what
    ]


@pytest.mark.parametrize(("kind", "key"), _keys())
def test_a_key_is_compared_with_what_stands_or_says_why_not(kind: str, key: str) -> None:
    declared: type[Declared] = buildable()[kind].declaration
    reasons = {**declared.unread, **declared.immaterial}
    if key in reasons:
        assert len(reasons[key].split()) > 3, f"{kind}.{key}: say why"
        return
    made = builder(kind)
    site = _site(kind, "a")
    layer = StackLayer("here/x:x", kind, "here", site.device, None)
    if isinstance(made, Compares) and key in {
        comparison.key for comparison in made.compare(site, layer)
    }:
        return
    if key == "path":  # of a real disk: it has no steps, and its place is the path itself
        return
    other = _site(kind, "a", {key: _another(kind, key)})
    if kind == "drbd" and key == "primary":
        assert isinstance(made, Homed)
        assert made.home(other.declared, other.below) == "there"
        return
    assert _checks(site) != _checks(other), f"nothing that is looked at shows {kind}.{key}"


@pytest.mark.parametrize("kind", sorted(buildable()))
def test_reasons_name_keys_that_there_are(kind: str) -> None:
    declared = buildable()[kind].declaration
    assert {*declared.unread, *declared.immaterial} <= set(declared.model_fields)
    assert not set(declared.unread) & set(declared.immaterial)


@pytest.mark.parametrize("kind", sorted(buildable()))
def test_of_a_layer_that_tells_nothing_nothing_differs(kind: str) -> None:
    made, site = builder(kind), _site(kind, "a")
    if isinstance(made, Compares):
        layer = StackLayer("here/x:x", kind, "here", site.device, None)
        assert not [comparison for comparison in made.compare(site, layer) if comparison.differs]
