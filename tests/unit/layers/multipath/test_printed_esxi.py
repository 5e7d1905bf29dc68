"""ESXi's lists and tables. Oracle: two tools' words about the same paths, units of the NVMe log."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Json, Scalar
from tests.mangle import counters, mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "esxi-composed"
DEVICES, PATHS, STATS, MPATH, SMART, TABLES, MORE = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in ("devices", "paths", "stats", "mpath", "smart", "tables", "more")
)
LUN = "naa.60060160aaaabbbbccccddddeeee0001"
MIB = 1 << 20


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_devices_in_every_shape() -> None:
    for shape, given in mangled(DEVICES):
        read = things(given)
        lun = read["disk", LUN]
        assert (lun["size"], lun["status"], lun["vendor"]) == (2097152 * MIB, "degraded", "DGC")
        assert (lun["firmware"], lun["device_max_queue_depth"]) == ("0532", 64), shape
        assert (lun["is_local"], lun["is_rdm_capable"]) == (False, True), shape
        (local,) = (values for (_, name), values in read.items() if name.startswith("t10.ATA"))
        assert (local["size"], local["rotational"]) == (244198 * MIB, False), shape
        paths = read["multipath", LUN]
        assert paths["path_selection_policy"] == "VMW_PSP_RR", shape
        assert (paths["working_paths"], paths["working_path_names"]) == (
            2, "vmhba2:C0:T0:L1, vmhba3:C0:T1:L1",
        ), shape  # fmt: skip
        nvme = read["multipath", "eui.0000000000000001"]
        assert (nvme["paths"], nvme["working_paths"], nvme["use_ano"]) == (2, 2, False), shape


def test_a_dead_path_is_said_of_its_lun_by_both_tools() -> None:
    for text in (PATHS, MPATH):
        for shape, given in mangled(text):
            read = things(given)
            lun = read["multipath", LUN]
            assert (lun["paths"], lun["failed_paths"]) == (2, 1), shape
            assert lun["failed"] == "vmhba3:C0:T1:L1", shape
            assert read["path", "vmhba2:C0:T0:L1"]["state"] == "active", shape
            dead = read["path", "vmhba3:C0:T1:L1"]
            assert (dead["state"], dead["lun"], dead["transport"]) == ("dead", 1, "fc"), shape


def test_of_a_single_path_nothing_is_said_about_its_lun() -> None:
    text = PATHS.partition("\n\n")[2]
    assert list(things(text)) == [("path", "vmhba3:C0:T1:L1")]
    asked = f"[root@esx7:~] esxcli storage core path list -d {LUN}\n{text}"
    assert things(asked)["multipath", LUN]["failed_paths"] == 1
    some = f"[root@esx7:~] esxcli storage core path list -p vmhba3:C0:T1:L1\n{text}"
    assert ("multipath", LUN) not in things(some)


def test_what_a_device_counted() -> None:
    for shape, given in mangled(STATS):
        (device,) = counters(given)
        assert (device.kind, device.name) == ("disk", LUN)
        values: dict[str, Json] = dict(device.values)
        assert (values["successful_commands"], values["failed_commands"]) == (4471432, 77), shape
        assert values["reservation_conflicts"] == 2, shape


def test_the_health_of_a_drive() -> None:
    for shape, given in mangled(SMART):
        drive = things(given)["disk", "vmhba1"]
        assert (drive["temperature"], drive["media_errors"]) == (305 - 273, 1), shape
        assert (drive["spare"], drive["spare_threshold"], drive["media_wear"]) == (1, 0.1, 0.03)
        assert (drive["written"], drive["read"]) == (10 * 512_000, 16 * 512_000), shape
        assert (drive["power_cycles"], drive["power_on_time"]) == (31, 100 * 3600), shape


def test_tables_in_every_shape() -> None:
    uuid = "5f4b9aa5-aaaabbbb-cccc-ddddeeee000"
    for shape, given in mangled(TABLES):
        read = things(given)
        assert read["vmfs", "local7"] == {
            "uuid": f"{uuid}2", "extent": 0, "device": "mpx.vmhba0:C0:T0:L0", "partition": 3
        }, shape  # fmt: skip
        assert read["vmfs", "fast one"] == {
            "uuid": f"{uuid}1", "mounted": True, "type": "VMFS-6", "volume": "fast one",
            "size": 999922073600, "available": 123000000000,
            "mount_point": f"/vmfs/volumes/{uuid}1",
        }, shape  # fmt: skip
        assert read["vmfs", f"{uuid}3"]["size"] == 299712512, shape
        controller = read["nvme_controller", "nqn.2014-08.org.example:nvme:disk1"]
        assert (controller["state"], controller["transport"]) == ("online", "pcie"), shape
        assert read["nvme_controller", "vmhba1"]["state"] == "online", shape
        namespace = read["disk", "eui.0000000000000001"]
        assert (namespace["size"], namespace["logical_block_size"]) == (915715 * MIB, 512), shape


def test_adapters_smart_parameters_and_groups_of_paths() -> None:
    for shape, given in mangled(MORE, wraps=False):
        read = things(given)
        drive = read["disk", "t10.NVMe____EX_0001"]
        assert (drive["health_passed"], drive["drive_temperature"]) == (True, 32), shape
        assert drive["reallocated_sector_count_raw"] == 8, shape
        lun = read["multipath", LUN]
        assert (lun["paths"], lun["failed"]) == (2, "vmhba2:C0:T1:L1"), shape
        down = read["controller", "vmhba3"]
        assert (down["state"], down["driver"]) == ("link-down", "qlnativefc"), shape
        assert down["capabilities"] == "Second Level Lun ID", shape
        assert read["disk", LUN]["ats_status"] == "supported", shape
        (adapter,) = counters(given)
        assert (adapter.kind, adapter.name) == ("controller", "vmhba2"), shape
        assert adapter.values["failed_commands"] == 5, shape


def test_a_file_system_that_is_not_mounted() -> None:
    head, rule, row = TABLES.partition("filesystem list\n")[2].splitlines()[:3]
    unmounted = f"{'':50} oldnfs       aaaabbbb-ccccdddd{'':21}    false  NFS{'':16}0             0"
    read = things("\n".join((head, rule, unmounted, row)))
    assert read["vmfs", "oldnfs"]["mounted"] is False
    assert read["vmfs", "fast one"]["mounted"] is True


@pytest.mark.parametrize(
    "text",
    [
        "The Path Selection Policy: we chose VMW_PSP_RR.\n",
        "vmhba2:C0:T0:L1 is in state:dead since noon\n",
        "Mount Point  Volume Name  UUID  Mounted  Type  Size  Free\n/ a 1 true x 3 4\n",
        "Multipath Plugin: NMP\n\nAnd what else?\n",
    ],
)
def test_words_about_them_are_none(text: str) -> None:
    assert not [name for _, name in things(text) if name]


def test_drives_of_vsan() -> None:
    text = (OUTPUTS / "vsan.txt").read_text()
    every = {thing.name: thing.values for state in states(text) for thing in state.subjects}
    assert set(every) == {"naa.5000c500aaaabbbb", "naa.5000c500cccc0000"}
    capacity, cache = every.values()
    assert (capacity["in_cmmds"], cache["in_cmmds"]) == (False, True)
    assert capacity["vsan_disk_group_uuid"] == "52aaaaaa-bbbb-cccc-dddd-eeeeeeee0000"
    assert capacity["on_disk_format_version"] == 19
    assert capacity["creation_time"] == "Tue Mar  3 09:11:52 2026"
    assert cache["rotational"] is False
