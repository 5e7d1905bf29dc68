"""What is set of ESXi's adapters and modules; its older tools. Oracle: figures printed twice."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import counters, kept_as_printed, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "esxi-composed"
SETTINGS, ESXCFG = ((OUTPUTS / f"{name}.txt").read_text() for name in ("settings", "esxcfg"))
DISK = "naa.600508b1001c7d5a91c0d2a4b1e1f0a1"


def named(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    things: dict[tuple[str, str], dict[str, Scalar]] = {}
    for subject in subjects_in(text):
        things.setdefault((subject.kind, subject.name), {}).update(subject.values)
    return things


def test_settings_in_every_shape() -> None:
    for shape, given in mangled(SETTINGS, wraps=False):
        if shape == "with blank lines":
            continue
        things = named(given)
        adapter = things["controller", "vmhba64"]
        assert (adapter["state"], adapter["LoginTimeout"]) == ("online", 5), shape
        assert adapter["ARPRedirect"] is False, shape
        assert things["module", "lpfc"] == {"lpfc_lun_queue_depth": 64}, shape
        nic = things["link", "vmnic0"]
        assert (nic["speed"], nic["mtu"], nic["duplex"]) == (10**10 // 8, 9000, "full"), shape
        assert things["link", "vmk0"]["mtu"] == 1500, shape
        assert things["path_plugin", "VMW_SATP_ALUA"]["default_path_selection"] == "VMW_PSP_RR"
        session = things["iscsi", "iqn.1992-08.com.netapp:sn.e0b1a0"]
        assert (session["adapter"], session["immediatedata"]) == ("vmhba64", False), shape
        (counted,) = counters(given)
        assert (counted.kind, counted.name) == ("link", "vmnic0"), shape
        assert counted.values["bytes_sent"] == 34234234234, shape
    assert not kept_as_printed(SETTINGS)


def test_partitions_whose_size_is_that_of_their_sectors() -> None:
    things = named(SETTINGS)
    assert things["partition", f"{DISK}:1"]["start"] == 64 * 512
    assert things["partition", f"{DISK}:3"]["size"] == (286677086 - 10229760) * 512
    assert ("partition", f"{DISK}:0") not in things
    assert ("partition", f"{DISK}:1") not in named(SETTINGS.replace("4161536", "416153"))


def test_options_of_a_module_without_columns_or_command_are_left() -> None:
    module = SETTINGS.partition("[root@esx1:~] esxcli system module")[2].partition("[root@")[0]
    head, *rows = module.split("\n")
    collapsed = "\n".join(" ".join(row.split()) for row in rows)
    assert ("module", "lpfc") not in named(f"[root@esx1:~] esxcli system module{head}\n{collapsed}")
    assert not named("\n".join(rows))


def test_older_tools() -> None:
    things = named(ESXCFG)
    disk = things[
        "disk", "t10.ATA_____ST3320620AS_________________________________________6QF1PZXB"
    ]
    assert (disk["vendor"], disk["model"], disk["firmware"]) == ("ATA", "ST3320620AS", "3.AA")
    assert (disk["size"], disk["is_ssd"], disk["vaai_status"]) == (305245 * 2**20, False, "unknown")
    assert things["disk", "naa.600508b1001c7d5a"]["size"] == 571926 * 2**20
    store, boot = things["vmfs", "datastore1"], things["vmfs", "BOOTBANK2"]
    assert store["partitions"] == f"{store['device']}:{store['partition']}"
    assert store["size"] == round(550.2 * 2**30)
    assert boot["size"] == 65515 * int(str(boot["file_block_size"]))
    for shape, given in mangled(ESXCFG, wraps=False):
        if shape not in {"with blank lines", "escaped"}:
            assert named(given) == things, shape


def test_what_is_none() -> None:
    assert not named("Name  Type  Value  Description\n----\nfoo bar baz qux\n")
    assert not named("The file system spanning 1 partitions was lost.\n")
    assert not named("/vmfs/devices/disks/naa.600508b1001c7d5a is the device\n")
