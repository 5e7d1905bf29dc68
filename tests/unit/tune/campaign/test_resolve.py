"""Names of a study on hosts whose settings are given: links, unsafe values, keys of a stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from iosonde.errors import FileMissing, UsageError
from iosonde.measure.study import ProbePoint, Study
from iosonde.records.campaign import Varied
from iosonde.records.stack import Scalar, StackLayer
from iosonde.settings.declared import LayerSetting
from iosonde.stack.file import DeclaredStack, read_stack
from iosonde.stack.settable import Allowed, Settable
from iosonde.tune.campaign import resolve as module
from iosonde.tune.campaign.declare import understand
from iosonde.tune.campaign.depth import layer_depth, link_depth
from iosonde.tune.campaign.end import commands, natives
from iosonde.tune.campaign.host_group import HostGroup
from iosonde.tune.campaign.resolve import Resolved, TunableSetting, resolve, text_of

HEAD = "targets: /dev/sda\nload: latency\ngoal: {maximise: read.iops}\n"
STACK = """\
stack: small
hosts: {here: {at: local}}
layers:
  a: {kind: disk, file: /tmp/a.img, size: 64 MiB}
  b: {kind: disk, file: /tmp/b.img, size: 64 MiB}
  raid: {kind: md, of: [a, b], level: 0, chunk_size: 64 KiB}
"""


ANY = Allowed()


def offered(
    host: str, title: str, name: str, value: Scalar, allowed: Allowed = ANY, **more: Any
) -> Settable:
    declared = LayerSetting(name, "sysfs", f"/sys/{title}/{name}", **more)
    layer = f"{host}/{title}" if title else host
    return Settable(layer, title, declared, f"/sys/{title}/{name}", value, allowed)


def layer(host: str, title: str, *below: str) -> StackLayer:
    kind, _, name = title.partition(":")
    return StackLayer(f"{host}/{title}", kind, host, f"/dev/{name}", 1, below)


OFFERED = {
    "local": [
        offered("local", "xfs:/data", "commit", 5, Allowed(low=1, high=900), needs="remount"),
        offered("local", "disk:sda", "scheduler", "none", Allowed(("none", "bfq"))),
        offered("local", "disk:sda", "write_cache", "write back", unsafe=("write through",)),
        offered("local", "link:eth1", "mtu", 1500, Allowed(low=68, high=9000), risk="cut"),
        offered("local", "", "vm.dirty_ratio", 20, Allowed(low=0, high=100)),
    ],
    "far": [offered("far", "link:eth1", "mtu", 1500, Allowed(low=68, high=9000), risk="cut")],
}
LAYERS = {
    "local": [
        layer("local", "xfs:/data", "local/disk:sda"), layer("local", "disk:sda"),
        layer("local", "link:eth1"),
    ],
    "far": [layer("far", "link:eth1")],
}  # fmt: skip


@dataclass
class Named:
    """A host of which a name and paths are asked; `links` None: every path is there, no link."""

    name: str
    links: Mapping[str, str] | None = None

    async def resolve(self, path: str) -> str:
        if self.links is None:
            return path
        if path not in self.links:
            raise FileMissing(path)
        return self.links[path]


@dataclass
class Standing:
    """A layer that stands."""

    name: str
    device: str
    host: str = "here"


@dataclass
class Opened:
    """A stack of which is asked what its host is called when it is opened."""

    opens: Mapping[str, str] = field(default_factory=lambda: {"here": "local"})


@dataclass
class Built:
    """A place whose stack stands: its layers by the names that it declares."""

    host: Named
    layers: Mapping[str, Standing]
    stack: Opened = field(default_factory=Opened)

    @property
    def hosts(self) -> Mapping[str, Named]:
        return {"local": self.host}

    def site(self, name: str) -> Standing | None:
        return self.layers.get(name)


class Place:
    """Hosts of a campaign, of which only the names are asked."""

    def __init__(self, file: Path | None = None) -> None:
        self.hosts = {name: Named(name) for name in OFFERED}
        self.file = file
        self.study = (
            Study(stack=str(file), at=["a"], loads=["latency"])
            if file
            else Study(targets=[ProbePoint(path="/dev/sda")], loads=["latency"])
        )
        self.stack = self.declared({}) if file else None

    def site(self, name: str) -> None:
        return None

    def declared(self, values: dict[str, Any]) -> DeclaredStack:
        assert self.file is not None
        return read_stack(self.file, values=values)


async def resolved(
    monkeypatch: pytest.MonkeyPatch, text: str, place: Place | None = None
) -> Resolved:
    async def settings(host: Any, _: Any) -> tuple[Settable, ...]:
        return tuple(OFFERED[host.name])

    async def layers(host: Any) -> tuple[None, list[StackLayer]]:
        return None, LAYERS[host.name]

    monkeypatch.setattr(module, "settable", settings)
    monkeypatch.setattr(module, "discover_layers", layers)
    return await resolve(understand(HEAD + text, "x.yaml"), cast("Any", place or Place()))


async def test_settings_stand_from_the_disks_up_with_what_is_in_force(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolution = await resolved(
        monkeypatch,
        "vary: {vm.dirty_ratio: [10, 30], /data.commit: [5, 60], sda.scheduler: [bfq, none]}\n",
    )
    space = resolution.space(())
    assert [vary.name for vary in space.vary] == [
        "sda.scheduler", "/data.commit", "vm.dirty_ratio",
    ]  # fmt: skip
    assert space.settings(space.baseline) == {
        "sda.scheduler": "none", "/data.commit": 5, "vm.dirty_ratio": 20,
    }  # fmt: skip
    assert [vary.values for vary in space.vary] == [("bfq", "none"), (5, 60), (20, 10, 30)]
    assert "is tried too" in resolution.notes[0]


async def test_both_ends_of_a_link_are_one_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "vary: {local/link:eth1.mtu: {values: [1500, 9000], also: far/link:eth1.mtu}}\n"
    resolution = await resolved(monkeypatch, text)
    (knob,) = resolution.knobs
    assert [host for host, _ in knob.spots] == ["local", "far"]
    assert knob.seconds >= 3  # what can cut the connection is not changed lightly
    group = HostGroup(cast("Any", Place()), "study", cast("Any", None))
    group.knobs = resolution.knobs
    lines = commands(group, {"local/link:eth1.mtu": 9000}, "my study", applied=False)
    assert lines == (
        "iosonde set link:eth1.mtu=9000", "iosonde set --host far link:eth1.mtu=9000",
        "iosonde persist local --study 'my study'", "iosonde persist far --study 'my study'",
    )  # fmt: skip


async def test_ends_that_differ_now_have_no_value_in_force(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = offered("far", "link:eth1", "mtu", 9000, Allowed(low=68, high=9000))
    monkeypatch.setitem(OFFERED, "far", [other])
    text = "vary: {local/link:eth1.mtu: {values: [1500, 9000], also: far/link:eth1.mtu}}\n"
    with pytest.raises(UsageError, match="differ now"):
        await resolved(monkeypatch, text)


async def test_unsafe_values_are_left_out_unless_they_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "vary: {sda.write_cache: [write back, write through]}\n"
    resolution = await resolved(monkeypatch, text)
    assert resolution.knobs[0].varied.values == ("write back",)
    assert [(out.value, "allow" in out.reason) for out in resolution.left_out] == [
        ("write through", True)
    ]
    for allow in ("sda.write_cache", "sda.write_cache=write through"):
        named = await resolved(monkeypatch, f"{text}allow: {allow}\n")
        assert named.knobs[0].varied.values == ("write back", "write through")
        assert named.knobs[0].varied.unsafe == ("write through",)
        assert len(named.space(("sda.write_cache",)).candidates()) == 2


async def test_excluded_combinations_are_no_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "vary: {sda.scheduler: [none, bfq], vm.dirty_ratio: [20, 30]}\n"
        "exclude: [{sda.scheduler: bfq, vm.dirty_ratio: 30}]\n"
    )
    space = (await resolved(monkeypatch, text)).space(())
    assert len(space.candidates()) == 3


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ("sda.schedular: [none, bfq]", "did you mean"),
        ("sda.scheduler: [none, cfq]", "not among what this host allows"),
        ("vm.dirty_ratio: [20, 101]", "out of its range"),
        ("eth1.mtu: [1500, 9000]", "several settings"),
        ("sda.scheduler: [none, bfq], disk:sda.scheduler: [none, bfq]", "same setting as"),
    ],
)
async def test_what_is_wrong_is_told_with_the_studys_line(
    monkeypatch: pytest.MonkeyPatch, vary: str, said: str
) -> None:
    with pytest.raises(UsageError) as raised:
        await resolved(monkeypatch, f"vary: {{{vary}}}\n")
    assert said in raised.value.message + raised.value.hint
    assert raised.value.where == "x.yaml:4"


async def test_keys_of_a_declared_stack_are_varied_by_building(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(STACK)
    text = "vary: {raid.chunk_size: [64 KiB, 256 KiB], raid.level: [0, 1]}\n"
    resolution = await resolved(monkeypatch, text, Place(file))
    assert resolution.notes == ()
    assert [(out.setting, out.value) for out in resolution.left_out] == []  # RAID 0 is in force
    chunk = next(knob for knob in resolution.knobs if knob.varied.name == "raid.chunk_size")
    assert chunk.varied.values == (65536, 262144)
    assert (chunk.varied.default, chunk.varied.rebuild, chunk.spots) == (65536, True, ())
    assert chunk.declared[262144] == "256 KiB"
    with pytest.raises(UsageError, match=r"chunk_size|size"):
        await resolved(monkeypatch, "vary: {raid.chunk_size: [64 KiB, many]}\n", Place(file))
    with pytest.raises(UsageError, match="no setting"):
        await resolved(monkeypatch, "vary: {raid.chunks: [1, 2]}\n", Place(file))


async def test_a_level_that_survives_less_is_unsafe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(STACK.replace("level: 0, chunk_size: 64 KiB", "level: 1"))
    text = "vary: {raid.level: [1, 0]}\n"
    resolution = await resolved(monkeypatch, text, Place(file))
    assert [(out.setting, out.value) for out in resolution.left_out] == [("raid.level", 0)]
    assert resolution.knobs[0].varied.values == (1,)
    named = await resolved(monkeypatch, text + "allow: raid.level\n", Place(file))
    assert named.knobs[0].varied.unsafe == (0,)


def test_values_are_written_as_hosts_read_them() -> None:
    assert [text_of(value) for value in (True, False, 64, "write  back")] == [
        "on", "off", "64", "write back",
    ]  # fmt: skip


SAN = """\
stack: san
hosts: {storage: {lab: {}}, diskless: {lab: {}}}
layers:
  d1: {kind: disk, host: storage, size: 64 MiB}
  lv: {kind: lvm, of: d1}
  target: {kind: aoe_target, of: lv, mtu: 4200}
  aoe: {kind: aoe, of: target, host: diskless, mtu: 4200}
"""


@pytest.mark.parametrize(
    ("title", "built", "lasts"),
    [
        ("loop:loop4", False, False),
        ("loop:loop4", True, False),
        ("nbd:nbd0", False, False),
        ("nvmeof:nvme1n1", True, False),
        ("nvmeof:nvme1n1", False, True),
        ("disk:sda", True, True),
        ("md:md0", True, True),
    ],
)
async def test_a_device_that_may_be_another_one_is_in_no_command(
    tmp_path: Path, title: str, built: bool, lasts: bool
) -> None:
    """`loop:loop4` of a campaign was somebody else's minutes later."""
    file = tmp_path / "stack.yaml"
    file.write_text(STACK)
    group = HostGroup(cast("Any", Place(file if built else None)), "study", cast("Any", None))
    spot = offered("local", title, "nr_requests", 64)
    group.knobs = (TunableSetting(Varied("q", (64, 128), 64), (("local", spot),)),)
    lines = commands(group, {"q": 128}, "study", applied=False)
    run = [line for line in lines if not line.startswith("#")]
    assert any(title in line for line in run) is lasts
    assert any("iosonde persist" in line for line in run) is lasts
    notes = [line for line in lines if line.startswith("#")]
    assert ["nr_requests=128" in line for line in notes] == [True] * (not lasts)
    if not lasts:
        (native,) = await natives(group, {"q": 128})
        assert (native.line, native.note.partition(":")[0]) == ("", "not kept")


async def test_keys_of_both_ends_are_built_anew_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "san.yaml"
    file.write_text(SAN)
    text = "vary: {target.mtu: {values: [1500, 4131], also: aoe.mtu}}\n"
    resolution = await resolved(monkeypatch, text, Place(file))
    (knob,) = resolution.knobs
    assert (knob.varied.rebuild, knob.varied.also, knob.spots) == (True, ("aoe.mtu",), ())
    assert (knob.varied.default, knob.varied.values) == (4200, (4200, 1500, 4131))
    group = HostGroup(cast("Any", Place(file)), "study", cast("Any", None))
    group.knobs = resolution.knobs
    lines = commands(group, {"target.mtu": 1500}, "study", applied=False)
    assert lines == (f"iosonde up {file} --set target.mtu=1500 --set aoe.mtu=1500",)


@pytest.mark.parametrize(
    ("other", "said"),
    [("aoe.mtx", "not a key of the stack"), ("d1.size", "declared differently"),
     ("eth1.mtu", "not a key of the stack")],
)  # fmt: skip
async def test_keys_that_do_not_go_together_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, other: str, said: str
) -> None:
    file = tmp_path / "san.yaml"
    file.write_text(SAN)
    text = f"vary: {{target.mtu: {{values: [1500, 4131], also: {other}}}}}\n"
    with pytest.raises(UsageError, match=said):
        await resolved(monkeypatch, text, Place(file))


def test_a_network_lies_below_what_reaches_over_it(tmp_path: Path) -> None:
    file = tmp_path / "san.yaml"
    file.write_text(SAN)
    stack = read_stack(file)
    assert layer_depth(stack, "target") < link_depth(stack) < layer_depth(stack, "aoe")
    anvil = read_stack(Path(__file__).parents[4] / "examples/stacks/anvil.yaml")
    order = [layer_depth(anvil, "ra"), link_depth(anvil)]
    order += [layer_depth(anvil, name) for name in ("r0", "lv", "vm", "fs")]
    assert order == sorted(order)


async def test_a_volume_is_found_whichever_of_its_names_the_stack_has() -> None:
    """LVM's own path, device-mapper's name and the kernel's are one device."""
    links = {"/dev/vg/lv": "/dev/dm-0", "/dev/mapper/vg-lv": "/dev/dm-0"}
    here = Named("local", links)
    place = Built(here, {"lv": Standing("lv", "/dev/vg/lv")})
    names = module.Names(cast("Any", place))
    volume = StackLayer("local/lvm:vg-lv", "lvm", "vg-lv", "/dev/mapper/vg-lv", 1)
    names._layers["local"] = [
        (stack_layer, await module._names(cast("Any", here), stack_layer))
        for stack_layer in (layer("local", "disk:gone"), volume)
    ]
    names._settable.append(("local", offered("local", "lvm:vg-lv", "read_ahead_kb", 128)))
    _, settable = await names.find("lv.read_ahead_kb")
    assert settable.title == "lvm:vg-lv"


async def test_a_disks_name_is_not_that_of_the_file_system_on_it() -> None:
    """Both have the device; the file system stands first among a host's layers."""
    here = Named("local")
    devices = {"disk": "/dev/sda", "fs": "/mnt/data"}
    place = Built(here, {name: Standing(name, path) for name, path in devices.items()})
    names = module.Names(cast("Any", place))
    mounted = StackLayer("local/ext4:/mnt/data", "ext4", "data", "/dev/sda", 1, mount="/mnt/data")
    names._layers["local"] = [
        (each, await module._names(cast("Any", here), each))
        for each in (mounted, layer("local", "disk:sda"))
    ]
    for title, setting in (("ext4:/mnt/data", "atime"), ("disk:sda", "nomerges")):
        names._settable.append(("local", offered("local", title, setting, 1)))
    assert (await names.find("disk.nomerges"))[1].title == "disk:sda"
    assert (await names.find("fs.atime"))[1].title == "ext4:/mnt/data"
