"""Virtual drives of RAID controllers, found by recorded outputs of their tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from iosonde.hosts.host import Completed
from iosonde.layers.hwraid.discovery import MAKERS, _with_identifier, which
from iosonde.layers.hwraid.facts_storcli import parse_storcli
from iosonde.layers.hwraid.kind import Hwraid, volume_facts, volume_hazards
from iosonde.layers.layer import BlockDevice, Scene
from iosonde.records.stack import Scalar, StackLayer
from iosonde.stack.discover import discover
from tests.empty_host import EmptyHost
from tests.recordings.machine import GIB, Machine

OUTPUTS = Path(__file__).parents[3] / "outputs"
KIB, MIB = 1024, 1024**2
MEGARAID, SMART_ARRAY = MAKERS
BEFORE_IT = "Generating detailed summary of the adapter, it may take a while to complete.\n\n"


def said(tool: str, name: str) -> str:
    """A recorded output as the tool alone prints it, without the prompt before it."""
    lines = (OUTPUTS / tool / name).read_text().splitlines(keepends=True)
    return "".join(lines[1:] if "# " in lines[0] else lines)


def lsi(*, cli: str = "storcli64") -> Machine:
    """A file server with a MegaRAID 9361-8i: a RAID 6 as sdb, a mirror as sda."""
    machine = Machine("store1", "5.10.0-21-amd64", cpus=8, memory=32 * GIB)
    machine.block("sda", "8:0", "disk", 935542784 * 512, vendor="AVAGO", model="MR9361-8i",
                  wwn="0x600605b0000000012a3b4c1d6e7f8092", hctl="0:2:1:0")  # fmt: skip
    machine.block("sdb", "8:16", "disk", 31248613376 * 512, vendor="AVAGO", model="MR9361-8i",
                  wwn="0x600605b0000000012a3b4c5d6e7f8091", hctl="0:2:0:0")  # fmt: skip
    machine.mount("30 1 8:16 / /srv rw - xfs /dev/sdb rw")
    machine.file("/sys/module/megaraid_sas/version", "07.714.04.00-rc1")
    machine.file("/sys/class/scsi_host/host0/proc_name", "megaraid_sas")
    path = f"/opt/MegaRAID/{cli.removesuffix('64')}/{cli}"
    machine.command(*which(MEGARAID), stdout=f"{path}\ndriver:megaraid_sas\n")
    machine.command(path, "/call", "show", "all", stdout=said("storcli-7", "show-all.txt"))
    machine.command(
        path, "/call/vall", "show", "all", stdout=said("storcli-7", "vall-show-all.txt")
    )
    return machine


async def layers_of(machine: Machine) -> dict[str, StackLayer]:
    capture = await discover([machine.host()])
    return {layer.id.partition("/")[2]: layer for layer in capture.layers}


@pytest.mark.parametrize("cli", ["storcli64", "perccli64"])
async def test_virtual_drives_of_a_megaraid_by_the_tools_own_device_names(cli: str) -> None:
    layers = await layers_of(lsi(cli=cli))
    first, second = layers["hwraid:sdb"], layers["hwraid:sda"]
    values = {
        "raid_level": "raid6", "disks": 10, "data_disks": 8, "strip_size": 256 * KIB,
        "stripe_width": 2 * MIB, "write_policy": "write_back_always", "read_ahead": True,
        "io_policy": "direct", "disk_cache": "enabled", "state": "partially degraded",
        "battery": "failed", "cache_size": GIB, "controller": "c0", "volume": "c0/v0",
        "controller_model": "AVAGO MegaRAID SAS 9361-8i", "active_operations": "None",
    }  # fmt: skip
    assert {name: first.facts.get(name) for name in values} == values
    assert first.hazards == ("degraded", "battery failed", "unsafe cache", "mounted")
    assert (second.facts["raid_level"], second.facts["write_policy"]) == ("raid1", "write_through")
    assert "stripe_width" not in second.facts
    assert second.hazards == ()
    assert first.size == 31248613376 * 512
    assert first.below == ("store1/disk:sdb",)


async def test_a_file_system_stands_on_the_virtual_drive_and_that_on_the_disk() -> None:
    layers = await layers_of(lsi())
    assert layers["xfs:/srv"].below == ("store1/hwraid:sdb",)


async def test_without_a_device_name_the_world_wide_name_leads_to_the_disk() -> None:
    machine = lsi()
    path = "/opt/MegaRAID/storcli/storcli64"
    without = said("storcli-7", "vall-show-all.txt").replace("OS Drive Name = /dev/sd", "Gone = ")
    machine.command(path, "/call/vall", "show", "all", stdout=without)
    layers = await layers_of(machine)
    assert layers["hwraid:sdb"].facts["raid_level"] == "raid6"
    assert layers["hwraid:sda"].facts["raid_level"] == "raid1"


async def test_a_virtual_drive_whose_disk_cannot_be_told_is_a_gap() -> None:
    machine = lsi()
    machine.command(
        "/opt/MegaRAID/storcli/storcli64", "/call/vall", "show", "all",
        stdout=said("storcli-7", "vall-show-all.txt").replace("/dev/sdb", "/dev/sdx").replace(
            "4c5d6e7f8091", "4c5d6e7f0000"),
    )  # fmt: skip
    machine.devices["sdb"].columns["size"] = 5 * GIB
    capture = await discover([machine.host()])
    assert [layer.id for layer in capture.layers if layer.kind == "hwraid"] == ["store1/hwraid:sda"]
    assert any(gap.what == "virtual drive c0/v0" for gap in capture.gaps)


async def test_megacli_by_scsi_address_and_size() -> None:
    machine = Machine("db1", "3.10.0", cpus=4, memory=16 * GIB)
    sizes = {"sda": round(465.25 * GIB), "sdb": round(3.637 * 1024 * GIB), "sdc": 99 * GIB}
    for target, (name, size) in enumerate(sizes.items()):
        machine.block(name, f"8:{16 * target}", "disk", size, hctl=f"2:2:{target}:0")
    machine.file("/sys/module/megaraid_sas/version", "06.807.10.00")
    machine.file("/sys/class/scsi_host/host0/proc_name", "ahci")
    machine.file("/sys/class/scsi_host/host2/proc_name", "megaraid_sas")
    machine.command(*which(MEGARAID), stdout="/opt/MegaRAID/MegaCli/MegaCli64\n")
    tool = "/opt/MegaRAID/MegaCli/MegaCli64"
    for pair, name in ((("-LDInfo", "-Lall"), "ldinfo"), (("-AdpAllInfo",), "adpallinfo"),
                        (("-AdpBbuCmd",), "bbu")):  # fmt: skip
        machine.command(tool, *pair, "-aALL", "-NoLog", stdout=said("megacli-8", f"{name}.txt"))
    capture = await discover([machine.host()])
    layers = {layer.device: layer for layer in capture.layers if layer.kind == "hwraid"}
    assert set(layers) == {"/dev/sda", "/dev/sdb"}, "sdc has another size than virtual drive 2"
    assert layers["/dev/sda"].hazards == ("battery learning", "write-back suspended")
    assert layers["/dev/sdb"].facts["strip_size"] == 256 * KIB
    assert layers["/dev/sdb"].facts["stripe_width"] == 1 * MIB
    assert [gap.what for gap in capture.gaps if "virtual" in gap.what] == ["virtual drive c0/v2"]


async def test_a_smart_array_with_the_shares_of_its_cache() -> None:
    machine = Machine("app3", "5.4.0", cpus=4, memory=16 * GIB)
    machine.block("sda", "8:0", "disk", round(838.1 * GIB), vendor="HP", model="LOGICAL VOLUME")
    machine.file("/sys/module/hpsa/version", "3.4.20-125")
    machine.command(*which(SMART_ARRAY), stdout="/usr/sbin/ssacli\ndriver:hpsa\n")
    text = said("ssacli-2", "config-detail.txt")
    machine.command("/usr/sbin/ssacli", "ctrl", "all", "show", "config", "detail", stdout=text)
    layer = (await layers_of(machine))["hwraid:sda"]
    values = {
        "raid_level": "raid5", "disks": 4, "data_disks": 3, "strip_size": 256 * KIB,
        "stripe_width": 768 * KIB, "cache_read_share": 0.1, "cache_write_share": 0.9,
        "disk_cache": "enabled", "battery": "failed", "write_policy": "write_back_always",
        "volume": "slot0/ld1",
    }  # fmt: skip
    assert {name: layer.facts.get(name) for name in values} == values
    assert layer.hazards == ("degraded", "battery failed", "unsafe cache")
    assert layer.facts["identifier"] == "600508b1001c7a6e0d2b1c3d4e5f6071"


class Asked(EmptyHost):
    """A host that writes down what it is asked."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files, self.commands = files, list[tuple[str, ...]]()

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:  # fmt: skip
        self.commands.append(tuple(argv))
        return Completed(tuple(argv), 0, b"driver:megaraid_sas\n", b"", 0.0)

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        return {path: self.files[path] for path in paths if path in self.files}


async def test_a_host_without_such_a_driver_is_asked_for_no_tool() -> None:
    host = Asked({})
    scene = Scene(host=host, devices={}, mounts=(), swaps=())
    assert await Hwraid().discover(scene) == ()
    assert host.commands == []
    assert scene.gaps == []


async def test_a_controller_without_its_tool_is_one_gap() -> None:
    host = Asked({"/sys/module/megaraid_sas/version": b"07.714\n"})
    scene = Scene(host=host, devices={}, mounts=(), swaps=())
    assert await Hwraid().discover(scene) == ()
    assert len(host.commands) == 1
    (gap,) = scene.gaps
    assert (gap.what, gap.remedy) == (
        "virtual drives of a MegaRAID or PERC controller", "install storcli or perccli"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("message", "said_so"),
    [("No Controller found", ()), ("Firmware is in fault state", ("virtual drives of ",))],
)
async def test_a_tool_that_fails_is_a_gap_unless_it_found_none(
    message: str, said_so: tuple[str, ...]
) -> None:
    machine = lsi()
    text = f"CLI Version = 007.1\nStatus = Failure\nDescription = {message}\n"
    for place in ("/call", "/call/vall"):
        machine.command("/opt/MegaRAID/storcli/storcli64", place, "show", "all", stdout=text)
    capture = await discover([machine.host()])
    gaps = [gap for gap in capture.gaps if "virtual" in gap.what]
    assert [gap.what[:18] for gap in gaps] == list(said_so)
    assert [gap.reason for gap in gaps] == [f"storcli64: {message}"] * len(said_so)
    assert not any(layer.kind == "hwraid" for layer in capture.layers)


@pytest.mark.parametrize(("user", "remedy"), [
    (1000, "run as root"),
    (0, "refused to root too, as in a container: run on the host itself"),
])  # fmt: skip
async def test_a_tool_that_may_not_ask_is_a_gap_with_its_own_words(user: int, remedy: str) -> None:
    machine = lsi()
    machine.file("/proc/self/status", f"Name:\tcat\nUid:\t{user}\t{user}\t{user}\t{user}\n")
    for pair in (("/call",), ("/call/vall",)):
        machine.command("/opt/MegaRAID/storcli/storcli64", *pair, "show", "all", status=1,
                        stderr="You must be root to run this.\n")  # fmt: skip
    capture = await discover([machine.host()])
    (gap,) = [hole for hole in capture.gaps if "virtual" in hole.what]
    assert (gap.reason, gap.remedy) == ("storcli64: You must be root to run this.", remedy)


def test_two_controllers_in_one_output_are_kept_apart() -> None:
    name = BEFORE_IT + said("storcli-7", "vall-show-all.txt")
    other = name.replace("Controller = 0", "Controller = 1").replace("/c0/", "/c1/")
    other = other.replace("/dev/sd", "/dev/sdz").replace("4c5d", "4c5e").replace("4c1d", "4c1e")
    identifiers = {
        subject.values["volume"]: subject.values["identifier"]
        for subject in parse_storcli(name + other)
        if subject.kind == "hwraid"
    }
    assert sorted(map(str, identifiers)) == ["c0/v0", "c0/v1", "c1/v0", "c1/v1"]
    assert len(set(identifiers.values())) == 4


@pytest.mark.parametrize(
    ("facts", "hazards"),
    [
        ({"state": "optimal", "write_policy": "write_back", "battery": "ok"}, ()),
        ({"state": "optimal", "write_policy": "write_through", "battery": "failed"}, ()),
        ({"write_policy": "write_back", "battery": "charging"},
         ("battery charging", "write-back suspended")),
        ({"write_policy": "write_through", "write_policy_initial": "write_back"},
         ("write-back suspended",)),
        ({"write_policy": "write_back_always", "battery": "ok"}, ()),
        ({"write_policy": "write_back_always"}, ("unsafe cache",)),
        ({"disk_cache": "enabled"}, ("unsafe cache",)),
        ({"state": "rebuild", "active_operations": "36% complete"},
         ("rebuild", "busy: 36% complete")),
        ({"state": "offline", "active_operations": "None"}, ("offline",)),
    ],
)  # fmt: skip
def test_hazards(facts: dict[str, Scalar], hazards: tuple[str, ...]) -> None:
    assert volume_hazards(facts) == hazards


def test_a_mirror_has_no_stripe() -> None:
    facts = volume_facts({"raid_level": "raid1", "strip_size": 65536, "data_disks": 1}, {})
    assert "stripe_width" not in facts


def test_a_disk_of_another_controller_is_never_taken_by_a_short_name() -> None:
    """Without the extension, the names of one controller's virtual drives are the same."""
    device = BlockDevice("sda", "/dev/sda", "8:0", "disk", GIB, lsblk={"wwn": "0x600605b000000001"})
    scene = Scene(EmptyHost(), {"sda": device}, (), ())
    assert _with_identifier(scene, "600605b0000000012a3b4c5d6e7f8091") is None
