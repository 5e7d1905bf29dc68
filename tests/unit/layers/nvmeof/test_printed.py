"""NVMe drives: nvme list as table and JSON, and their PCIe links by lspci -vv."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from iosonde.layers.disk.printed_lspci import lane_rate
from iosonde.records.printed import PrintedSubject, Unread
from iosonde.text.find import FoundOutput
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs"
LISTS = {path.name: path.read_text() for path in sorted((PLACE / "nvme-cli").glob("list*"))}
PCI = (PLACE / "pciutils-3.7" / "nvme.txt").read_text()


def subjects(text: str) -> dict[str, PrintedSubject]:
    return {subject.name: subject for state in states(text) for subject in state.subjects}


@pytest.mark.parametrize("name", ["list-1.x.txt", "list-2.x.txt"])
def test_the_table_says_what_json_says(name: str) -> None:
    printed_subjects = subjects(LISTS[name])
    assert list(printed_subjects) == ["nvme0n1", "nvme1n1"]
    for row in json.loads(LISTS["list.json"])["Devices"]:
        values = printed_subjects[row["DevicePath"].removeprefix("/dev/")].values
        assert values["model"] == row["ModelNumber"]
        assert values["serial"] == row["SerialNumber"]
        assert values["firmware"] == row["Firmware"]
        assert values["logical_block_size"] == row["SectorSize"]
        assert values["size"] == pytest.approx(row["PhysicalSize"], rel=0.003)


def test_no_row_takes_the_cells_of_another() -> None:
    """Of a row that is cut off, and of one without model and firmware."""
    head, dashes, *rows = LISTS["list-1.x.txt"].splitlines()[-4:]
    cut = rows[0][: rows[0].index("TB")].rstrip()
    bare = "/dev/nvme8n1     S8                                                  2      " + (
        "   0.00   B /   3.84  TB      4 KiB +  8 B"
    )
    text = "\n".join((head, dashes, cut, bare, rows[1])) + "\n"
    said = subjects(text)
    assert list(said) == ["nvme8n1", "nvme1n1"]
    assert dict(said["nvme8n1"].values) == {
        "serial": "S8", "namespace": 2, "transport": "nvme", "size": 3840000000000, "used": 0,
        "logical_block_size": 4096, "metadata_size": 8,
    }  # fmt: skip
    (unread,) = (part for part in read(text) if isinstance(part, Unread))
    assert unread.place.first_line == 3


def test_json_is_exact() -> None:
    printed_subjects = subjects(LISTS["list.json"])
    assert printed_subjects["nvme0n1"].values["size"] == 1920383410176
    assert printed_subjects["nvme1n1"].values["logical_block_size"] == 4096


def test_nested_json_names_the_transport() -> None:
    printed_subjects = subjects(LISTS["list-2.11.json"])
    assert printed_subjects["nvme0n1"].values["transport"] == "nvme"
    assert printed_subjects["nvme0n1"].values["address"] == "0000:01:00.0"
    assert printed_subjects["nvme2n1"].values["transport"] == "nvme-tcp"
    assert printed_subjects["nvme2n1"].values["size"] == 107374182400


@pytest.mark.parametrize("name", list(LISTS))
def test_lists_survive_what_happens_to_pasted_text(name: str) -> None:
    expected = {key: dict(subject.values) for key, subject in subjects(LISTS[name]).items()}
    for way, mangling in mangled(LISTS[name]):
        values_by_name = {key: dict(subject.values) for key, subject in subjects(mangling).items()}
        assert values_by_name == expected, way


def test_pcie_links_of_drives() -> None:
    printed_subjects = subjects(PCI)
    assert list(printed_subjects) == ["01:00.0", "41:00.0"]  # the bridge is no drive
    full, slow = printed_subjects["01:00.0"].values, printed_subjects["41:00.0"].values
    assert (full["link_speed"], full["link_width"]) == (8e9, 4)
    assert full["bandwidth"] == full["bandwidth_max"]
    assert full["numa_node"] == 0
    assert (full["max_payload"], full["max_read_request"]) == (256, 512)
    assert slow["model"] == "Micron Technology Inc 7450 PRO NVMe SSD"
    assert (slow["link_speed"], slow["link_speed_max"]) == (8e9, 16e9)
    assert (slow["link_width"], slow["link_width_max"]) == (2, 4)


@pytest.mark.parametrize(
    ("speed", "rate"),  # one lane, published figures of the specification, bytes/s
    [(2.5, 250e6), (5, 500e6), (8, 985e6), (16, 1969e6), (32, 3938e6), (64, 7563e6)],
)
def test_a_lane_carries_what_is_left_of_its_line_code(speed: float, rate: float) -> None:
    assert lane_rate(speed) == pytest.approx(rate, rel=0.001)


def test_a_plain_line_has_the_model_alone() -> None:
    (subject,) = subjects((PLACE / "pciutils-3.7" / "plain.txt").read_text()).values()
    assert set(subject.values) == {"class", "model"}


def test_pci_survives_what_happens_to_pasted_text() -> None:
    expected = {key: dict(subject.values) for key, subject in subjects(PCI).items()}
    for way, mangling in mangled(PCI):
        values_by_name = {key: dict(subject.values) for key, subject in subjects(mangling).items()}
        for name, values in expected.items():
            assert values_by_name[name] | {"model": ""} == values | {"model": ""}, way


def test_sentences_about_links_are_none() -> None:
    assert read("Compare LnkCap: with LnkSta: of the drive in /dev/nvme0n1.") == []


def test_decimal_commas_are_points() -> None:
    text = LISTS["list-1.x.txt"]
    commas = re.sub(r"(\d)\.(\d\d +[GT]B)", r"\1,\2", text)
    assert commas != text
    assert subjects(commas) == subjects(text)


@pytest.mark.parametrize("name", ["list-1.x.txt", "list-2.x.txt"])
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n\n"])
def test_sentences_below_a_table_are_not_its_rows(name: str, gap: str) -> None:
    """One of them begins as the head does: it and the lines below are no part of the table."""
    table = LISTS[name].rstrip("\n")
    panic = (PLACE / "kernel-composed" / "oops.txt").read_text()
    sentences = "Node seven shows the same drives.\n\n" + "The array was rebuilt.\n" * 40 + "\n"
    listed, *messages = read(f"{table}\n{gap}{sentences}{panic}")
    assert isinstance(listed, FoundOutput)
    assert (listed.place.first_line, listed.place.last_line) == (1, table.count("\n") + 1)
    assert len(messages) == len(read(panic)) == 1


@pytest.mark.parametrize("name", ["list-1.x.txt", "list-2.x.txt"])
def test_rows_without_their_head(name: str) -> None:
    rows = "".join(LISTS[name].splitlines(keepends=True)[2:])
    whole = subjects(LISTS[name])
    assert subjects(rows) == whole
    assert subjects(f"# nvme list | grep dev\n{rows}") == whole
    for shape, changed in mangled(f"$ nvme list | tail -n 2\n{rows}", wraps=False):
        assert subjects(changed) == whole, shape
    last = rows.splitlines()[-1]
    assert list(subjects(f"It is the second:\n\n{last}\n")) == ["nvme1n1"]
    assert not subjects("/dev/nvme0n1 is formatted with 512   B +  0 B of metadata\n")


def test_nested_json_says_all_of_a_namespace() -> None:
    values = subjects(LISTS["list-2.11.json"])["nvme0n1"].values
    assert (values["used"], values["maximum_lba"]) == (1920383410176, 3750748848)
    assert (values["namespace"], values["generic"], values["slot"]) == (1, "ng0n1", "1")
    assert (values["controller"], values["controller_id"]) == ("nvme0", "4")
    assert values["subsystem"] == "nvme-subsys0"
    assert values["nqn"] == "nqn.1994-11.com.samsung:nvme:PM983:2.5-inch:S4YPNG0M300001"


def test_controllers_that_stand_below_a_namespace() -> None:
    path = {
        "Path": "nvme4c4n1", "ANAState": "optimized", "Controller": "nvme4", "Cntlid": "2",
        "SerialNumber": "Q7", "ModelNumber": "Heron", "Firmware": "5.1", "Transport": "tcp",
        "Address": "traddr=192.0.2.9,trsvcid=4420", "Slot": "",
    }  # fmt: skip
    space = {
        "NameSpace": "nvme4n1", "Generic": "ng4n1", "NSID": 9, "UsedBytes": 4096,
        "MaximumLBA": 2048, "PhysicalSize": 8388608, "SectorSize": 4096, "Paths": [path],
    }  # fmt: skip
    subsystem = {"Subsystem": "nvme-subsys4", "SubsystemNQN": "nqn.x:q", "Namespaces": [space]}
    text = json.dumps({"Devices": [{"HostNQN": "nqn.x:h", "Subsystems": [subsystem]}]}, indent=2)
    values = subjects(text)["nvme4n1"].values
    assert (values["size"], values["used"], values["namespace"]) == (8388608, 4096, 9)
    assert (values["transport"], values["model"], values["path"]) == (
        "nvme-tcp", "Heron", "nvme4c4n1",
    )  # fmt: skip
    assert values["ana_state"] == "optimized"
