"""sas3ircu DISPLAY: a controller, a volume and a disk."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "sas-ircu-composed" / "display.txt").read_text()

STATUS = (Path(__file__).parents[3] / "outputs" / "sas-ircu-composed" / "status.txt").read_text()
LIST = (Path(__file__).parents[3] / "outputs" / "sas-ircu-composed" / "list.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_controller_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        assert values_by_name["SAS3008"]["firmware_version"] == "16.00.10.00", shape
        assert values_by_name["SAS3008"]["concurrent_commands_supported"] == 9856
        volume = values_by_name["v1"]
        assert (volume["raid_level"], volume["size"]) == ("raid1", 952720 << 20)
        assert (volume["state"], volume["disks"]) == ("degraded", 1)
        disk = values_by_name["e1/s0"]
        assert (disk["size"], disk["state"]) == (1953525167 * 512, "online")


def test_the_number_of_the_controller_names_its_things() -> None:
    values_by_name = things(f"# sas3ircu 2 DISPLAY\n{TEXT}")
    assert list(values_by_name) == ["c2", "c2/v1", "c2/e1/s0"]
    assert values_by_name["c2/v1"]["controller"] == "c2"
    failed = TEXT.replace("Optimal (OPT)", "Failed (FLD)").replace("Degraded (DGD)", "Failed (FLD)")
    assert things(failed)["e1/s0"]["state"] == "failed"
    assert things(failed)["v1"]["state"] == "offline"
    odd = TEXT.replace("Optimal (OPT)", "Sleeping (ZZZ)")
    assert things(odd)["e1/s0"]["state"] == "sleeping (zzz)"


def test_what_status_says_of_a_volume() -> None:
    for shape, given in mangled(STATUS, wraps=False):
        (volume,) = things(given).values()
        assert volume["state"] == "degraded", shape
        assert volume["active_operations"] == "synchronize 75.00 %", shape
        assert volume["volume_id"] == 286
    idle = STATUS.replace("Synchronize", "None").replace(": Degraded", ": Optimal")
    (volume,) = things(idle).values()
    assert (volume["state"], "active_operations" in volume) == ("optimal", False)


def test_a_count_of_sectors_that_is_cut_is_none() -> None:
    whole = things(TEXT)["e1/s0"]["size"]
    cut = things(TEXT.replace("953869/1953525167", "953869/19535251"))["e1/s0"]
    assert whole == 1953525167 * 512
    assert cut["size"] == 953869 << 20


def test_a_volume_that_is_inactive() -> None:
    text = TEXT.replace("Degraded (DGD)", "Inactive, Okay (OKY)")
    assert (things(text)["v1"]["state"], things(text)["v1"]["active"]) == ("optimal", False)


def test_a_list_of_controllers() -> None:
    for shape, given in mangled(LIST, wraps=False):
        assert things(given) == {
            "c0": {
                "model": "SAS2308_2", "vendor_id": "1000h", "device_id": "87h",
                "pci_address": "00h:03h:00h:00h", "subsystem_vendor_id": "15d9h",
                "subsystem_device_id": "691h",
            },
        }, shape  # fmt: skip


def test_a_torn_output_and_prose() -> None:
    (entry,) = read("Device is a Hard disk\n\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert read("This Device is a Hard disk of mine.\n") == []
