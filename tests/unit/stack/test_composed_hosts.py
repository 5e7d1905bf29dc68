"""Discovery of hosts that nobody here has: what every kind of disk and partition shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import jsonschema
import pytest

from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost
from iosonde.layers.layer import BlockDevice
from iosonde.records.stack import Capture, Gap, StackLayer
from iosonde.stack.discover import discover
from iosonde.stack.model import Stack, devices_under, layers_under
from iosonde.stack.scene import LSBLK, LSBLK_PAIRS, read_scene, with_reasons
from iosonde.verbs.schema import schema
from tests.empty_host import EmptyHost
from tests.recordings.machine import Machine
from tests.recordings.nfs_client import nfs_client
from tests.recordings.nvme_crypt import nvme_crypt
from tests.recordings.san_multipath import san_multipath
from tests.recordings.sata_md_lvm import sata_md_lvm

MACHINES = (sata_md_lvm, nvme_crypt, san_multipath, nfs_client)


async def discovered(machine: Machine) -> tuple[Capture, dict[str, StackLayer]]:
    capture = await discover([machine.host()])
    return capture, {layer.id.partition("/")[2]: layer for layer in capture.layers}


@pytest.mark.parametrize("machine", MACHINES)
async def test_every_host_gives_a_sound_document(machine: Callable[[], Machine]) -> None:
    capture, layers = await discovered(machine())
    jsonschema.validate(capture.to_json(), schema("show"))
    assert len(layers) == len(capture.layers)
    ids = {layer.id for layer in capture.layers}
    assert all(set(layer.below) <= ids for layer in capture.layers)
    assert all(layer.size is None or layer.size > 0 for layer in capture.layers)
    disks = [layer for layer in capture.layers if layer.kind == "disk"]
    lsblk = [device for device in machine().devices.values() if device.columns["type"] == "disk"]
    assert len(disks) == len(lsblk)


async def test_sata_disks_have_a_queue_depth_and_a_misaligned_partition_is_seen() -> None:
    _, layers = await discovered(sata_md_lvm())
    disk = layers["disk:sda"]
    assert disk.settings["scheduler"] == "mq-deadline"
    assert disk.settings["queue_depth"] == 32
    assert disk.facts["transport"] == "sata"
    assert disk.facts["rotational"] is True
    assert disk.facts["serial"] == "WD-WCC7K000000"
    assert "in use" in disk.hazards
    assert "held by md1" in layers["partition:sda2"].hazards
    assert "misaligned" not in layers["partition:sda2"].hazards
    # Not a member any more, so that nothing holds it; but it starts at an odd sector.
    assert layers["partition:sdd2"].hazards == ("misaligned",)
    assert layers["partition:sdd2"].facts["alignment"] == 512


async def test_nvme_lacks_what_scsi_has_and_a_bridge_is_not_believed_a_stripe() -> None:
    _, layers = await discovered(nvme_crypt())
    nvme = layers["disk:nvme0n1"]
    assert nvme.settings["scheduler"] == "none"
    assert "queue_depth" not in nvme.settings
    assert nvme.facts["transport"] == "nvme"
    assert "held by dm_crypt-0" in layers["partition:nvme0n1p3"].hazards
    bridged = layers["partition:sda1"]
    assert bridged.hazards == ("misaligned", "mounted")
    assert "stripe_width" not in bridged.facts
    assert layers["disk:sda"].settings["queue_depth"] == 1


async def test_paths_of_a_multipath_map_are_held_by_it_not_by_their_own_partitions() -> None:
    capture, layers = await discovered(san_multipath())
    boot = "360002ac000000000000000320001da07"
    for name in ("sda", "sdc"):
        assert f"held by {boot}" in layers[f"disk:{name}"].hazards
        assert layers[f"disk:{name}"].facts["transport"] == "fc"
        assert layers[f"disk:{name}"].facts["hctl"] in {"1:0:0:0", "2:0:0:0"}
    assert layers["disk:sda"].settings["scheduler"] == "deadline"
    swap = next(layer for layer in capture.layers if layer.device == f"/dev/mapper/{boot}-part2")
    assert "swap" in swap.hazards


async def test_an_nfs_clients_own_disk_is_virtual() -> None:
    capture, layers = await discovered(nfs_client())
    assert layers["disk:vda"].facts["transport"] == "virtio"
    assert layers["partition:vda1"].facts["aligned_to_sector"] is True
    assert "mounted" in layers["partition:vda1"].hazards
    assert layers["partition:vda14"].hazards == ()
    assert capture.host_wide["app1.vm.dirty_ratio"] == 20
    assert capture.hosts[0].cpus == 4
    assert capture.hosts[0].memory == 16 * 1024**3


async def test_several_hosts_in_one_capture_keep_apart() -> None:
    capture = await discover([nfs_client().host(), sata_md_lvm().host()])
    assert [host.name for host in capture.hosts] == ["app1", "filer"]
    assert layers_under(capture, "app1", "/dev/vda1")[-1].id == "app1/disk:vda"
    assert layers_under(capture, "filer", "/dev/vda1") == ()
    assert devices_under(capture, "app1", "/dev/vda1") == ("vda1", "vda")
    stack = Stack(capture.layers)
    for layer in capture.layers:
        assert all(under.host == layer.host for under in stack.under(layer))


async def test_lsblk_without_json_gives_the_same_devices() -> None:
    machine = san_multipath()
    whole = (await read_scene(machine.host())).devices
    text = ""
    for name, device in machine.devices.items():
        columns = {**device.columns, "kname": name, "pkname": whole[name].lsblk["pkname"] or ""}
        values = {
            key: int(column) if isinstance(column, bool) else column
            for key, column in columns.items()
        }
        text += " ".join(f'{key.upper()}="{"" if value is None else value}"'
                         for key, value in values.items() if key != "path") + "\n"  # fmt: skip
    host = machine.host()
    machine.command(*LSBLK, status=1, stderr="lsblk: unrecognized option '--json'")
    machine.command(*LSBLK_PAIRS, stdout=text)
    scene = await read_scene(host)
    assert scene.gaps == []
    assert _shape(scene.devices) == _shape(whole)


def _shape(devices: Mapping[str, BlockDevice]) -> dict[str, tuple[object, ...]]:
    return {
        name: (device.path, device.type, device.number, device.size, device.below, device.above)
        for name, device in devices.items()
    }


@pytest.mark.parametrize("machine", MACHINES)
async def test_without_lsblk_sysfs_tells_the_same_and_a_gap_says_so(
    machine: Callable[[], Machine],
) -> None:
    made = machine()
    host = made.host()
    whole = (await read_scene(host)).devices
    del made.commands[LSBLK]
    scene = await read_scene(host)
    assert _shape(scene.devices) == _shape(whole)
    by = "zypper" if machine is san_multipath else "apt-get"
    assert [(gap.reason, gap.remedy) for gap in scene.gaps] == [
        ("no lsblk", f"{by} install util-linux")
    ]


@pytest.mark.parametrize(
    ("release", "dmsetup", "lvm"),
    [
        ('ID="rhel"\nID_LIKE="fedora"', "dnf install device-mapper", "dnf install lvm2"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"', "dnf install device-mapper",
         "dnf install lvm2"),
        ('ID="sles"\nID_LIKE="suse"', "zypper install device-mapper", "zypper install lvm2"),
        ("ID=arch", "pacman -S device-mapper", "pacman -S lvm2"),
        ("ID=alpine", "apk add device-mapper", "apk add lvm2"),
        ("ID=debian", "apt-get install dmsetup", "apt-get install lvm2"),
        ("ID=nosuch", "install dmsetup there", "install lvm2 there"),
    ],
)  # fmt: skip
async def test_what_no_tool_told_is_to_be_installed_by_the_hosts_own_manager(
    release: str, dmsetup: str, lvm: str
) -> None:
    machine = nvme_crypt()
    machine.file("/etc/os-release", release)
    machine.commands = {
        argv: answer
        for argv, answer in machine.commands.items()
        if argv[0] not in {"dmsetup", "lvs", "pvs"}
    }
    capture, _ = await discovered(machine)
    remedies = {gap.reason.split()[0]: gap.remedy for gap in capture.gaps}
    assert (remedies["dmsetup"], remedies["lvs"]) == (dmsetup, lvm)


async def test_this_machine_looks_the_same_with_and_without_lsblk() -> None:
    class WithoutLsblk(LocalHost):
        async def run(self, argv: Sequence[str], **_options: object) -> Completed:
            return Completed(tuple(argv), 127, b"", b"command not found", 0.0)

    def lasting(devices: Mapping[str, BlockDevice]) -> dict[str, tuple[object, ...]]:
        kept = {
            name: device for name, device in devices.items() if device.size and "loop" not in name
        }
        return _shape(kept)

    groups = lasting((await read_scene(LocalHost())).devices)
    assert groups
    assert lasting((await read_scene(WithoutLsblk())).devices) == groups


async def test_a_host_with_nothing_is_all_gaps() -> None:
    capture = await discover([EmptyHost()])
    assert capture.layers == ()
    assert capture.hosts[0].memory is None
    assert capture.hosts[0].cpus is None
    assert {gap.what for gap in capture.gaps} >= {"/proc/self/mountinfo", "/proc/swaps"}


async def test_root_is_not_advised_to_be_root() -> None:
    gaps = [
        Gap("h", "superblock of /", "dumpe2fs: Operation not permitted", "run as root"),
        Gap("h", "pools", "zpool is not installed", "install zfsutils-linux"),
    ]
    machine = sata_md_lvm()
    refused, missing = await with_reasons(machine.host(), gaps)
    assert refused.remedy.startswith("refused to root too")
    assert missing == gaps[1]
    machine.file("/proc/self/status", "Name:\tcat\nUid:\t1000\t1000\t1000\t1000")
    assert await with_reasons(machine.host(), gaps) == tuple(gaps)
    assert await with_reasons(EmptyHost(), gaps) == tuple(gaps)
