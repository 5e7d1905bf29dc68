"""Links between layers of kinds that do not know each other, and settings read for all alike."""

from __future__ import annotations

from dataclasses import replace

from iosonde.layers.layer import BlockDevice, LayerSetting, Mount, Scene
from iosonde.records.stack import StackLayer
from iosonde.stack.hazards import mark_hazards
from iosonde.stack.link import holding_mount, link
from iosonde.stack.model import Stack
from iosonde.stack.read_settings import read_settings
from tests.recordings.machine import Machine


def scene(machine: Machine | None = None) -> Scene:
    made = machine or Machine("h", "6.1", cpus=1, memory=1)
    devices = {
        "sda": BlockDevice("sda", "/dev/sda", "8:0", "disk", 10, above=("dm-0",)),
        "dm-0": BlockDevice("dm-0", "/dev/mapper/vg-a", "253:0", "lvm", 9, below=("sda",)),
    }
    return Scene(host=made.host(), devices=devices, mounts=(), swaps=("/dev/dm-0",))


def layer(id_: str, device: str, *below: str, mount: str | None = None) -> StackLayer:
    return StackLayer(f"h/{id_}", id_.partition(":")[0], "h", device, 1, below, mount)


def test_a_device_is_provided_by_the_layer_that_does_not_stand_on_it() -> None:
    at = scene()
    system = layer("ext4:dm-0", "/dev/mapper/vg-a", at.on_device("dm-0"), mount="/srv")
    volume = layer("lvm:vg/a", "/dev/mapper/vg-a", at.on_device("sda"))
    disk = layer("disk:sda", "/dev/sda")
    loop = layer("loop:loop0", "/dev/loop0", at.on_mount("/srv/images/a"))
    linked = {
        stack_layer.id: stack_layer.below for stack_layer in link(at, [system, volume, disk, loop])
    }
    assert linked == {
        "h/ext4:dm-0": ("h/lvm:vg/a",),
        "h/lvm:vg/a": ("h/disk:sda",),
        "h/disk:sda": (),
        "h/loop:loop0": ("h/ext4:dm-0",),
    }
    assert at.gaps == []
    names = {
        stack_layer.id: stack_layer.facts.get("kernel_name")
        for stack_layer in link(at, [system, volume, disk])
    }
    assert names == {"h/ext4:dm-0": None, "h/lvm:vg/a": "dm-0", "h/disk:sda": "sda"}


def test_what_nobody_claims_is_dropped_and_named() -> None:
    at = scene()
    linked = link(at, [layer("lvm:a", "/dev/mapper/vg-a", at.on_device("sda"), "h/md:md0")])
    assert linked[0].below == ()
    assert [(gap.what, gap.reason) for gap in at.gaps] == [
        ("/dev/sda (disk)", "no kind of layer knows it"),
        ("h/lvm:a", "it stands on /dev/sda, which no layer claims"),
        ("h/lvm:a", "it stands on md:md0, which no layer claims"),
    ]


def test_a_file_system_no_kind_knows_leaves_its_device_on_top() -> None:
    mounts = tuple(
        Mount(point, source, fstype, number, "/", ("rw",), ("rw",))
        for point, source, fstype, number in (
            ("/", "/dev/sda", "exotic", "8:0"),
            ("/tmp", "tmpfs", "tmpfs", "0:40"),
        )
    )
    at = replace(scene(), mounts=mounts)
    disk = layer("disk:sda", "/dev/sda")
    volume = layer("lvm:a", "/dev/mapper/vg-a", at.on_device("sda"))
    loops = [
        layer("loop:0", "/dev/loop0", at.on_mount("/srv/image")),
        layer("loop:1", "/dev/loop1", at.on_mount("/tmp/image")),
    ]
    linked = {stack_layer.id: stack_layer for stack_layer in link(at, [disk, volume, *loops])}
    assert linked["h/disk:sda"].facts["mounts"] == "/"
    assert linked["h/loop:0"].below == ("h/disk:sda",)
    # In memory, not on the disk that holds "/".
    assert linked["h/loop:1"].below == ()
    assert [gap.what for gap in at.gaps] == ["h/loop:1"]
    stack = Stack(linked.values())
    assert stack.holder("h", "/etc/fstab") == linked["h/disk:sda"]


def test_a_bind_mount_belongs_to_the_file_system() -> None:
    mounts = tuple(
        Mount(point, "/dev/sda", "ext4", "8:0", root, ("rw",), ("rw",))
        for point, root in (("/", "/"), ("/bind", "/srv"))
    )
    at = replace(scene(), mounts=mounts)
    system = layer("ext4:sda", "/dev/sda", at.on_device("sda"), mount="/")
    linked = {
        stack_layer.id: stack_layer
        for stack_layer in link(at, [layer("disk:sda", "/dev/sda"), system])
    }
    assert linked["h/ext4:sda"].facts == {"mounts": "/bind"}
    assert linked["h/disk:sda"].facts == {"kernel_name": "sda"}
    assert Stack(linked.values()).holder("h", "/bind/x") == linked["h/ext4:sda"]


def test_the_longest_mount_holds_a_path() -> None:
    assert holding_mount("/srv/a/b", ["/", "/srv", "/srv/ab"]) == "/srv"
    assert holding_mount("/srvx", ["/", "/srv"]) == "/"
    assert holding_mount("/x", []) is None


def test_hazards_go_down_to_all_that_carries_what_is_used() -> None:
    at = scene()
    disk = layer("disk:sda", "/dev/sda")
    volume = layer("lvm:a", "/dev/mapper/vg-a", "h/disk:sda")
    marked = {hazard.id: hazard.hazards for hazard in mark_hazards(at, [disk, volume])}
    assert marked == {"h/disk:sda": ("held by vg-a",), "h/lvm:a": ("swap",)}


async def test_settings_by_name_by_fact_and_by_their_former_place() -> None:
    machine = Machine("h", "6.1", cpus=1, memory=1)
    machine.file("/sys/block/sda/queue/scheduler", "none [bfq]")
    machine.file("/sys/module/old/parameters/depth", "7")
    machine.file("/sys/class/net/ens3/mtu", "9000")
    offered = (
        LayerSetting("scheduler", "sysfs", "/sys/block/{name}/queue/scheduler"),
        LayerSetting("depth", "sysfs", "/sys/module/new/depth",
                     former=("/sys/module/old/parameters/depth",)),
        LayerSetting("mtu", "sysfs", "/sys/class/net/{interface}/mtu"),
        LayerSetting("lost", "sysfs", "/sys/block/{name}/none"),
        LayerSetting("dirty", "sysctl", "vm.dirty_ratio"),
        LayerSetting("own", "sysfs", "/sys/block/{name}/queue/scheduler"),
    )  # fmt: skip
    at = scene(machine)
    layer = StackLayer("h/disk:sda", "disk", "h", "/dev/sda", 1, facts={"interface": "ens3"},
                     settings={"own": "kept"})  # fmt: skip
    bare = StackLayer("h/disk:sdx", "disk", "h", "sdx", 1)
    first, second = await read_settings(at, [layer, bare], {"disk": offered})
    assert first.settings == {
        "own": "kept", "scheduler": "bfq", "depth": 7, "mtu": 9000, "dirty": 20,
    }  # fmt: skip
    assert second.settings == {"depth": 7, "dirty": 20}
    assert at.gaps == []
