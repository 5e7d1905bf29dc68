"""JSON of nvme-cli, and the logs that makers of NVMe drives define."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from iosonde.records.stack import Json, Scalar
from tests.mangle import counters, mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "nvme-logs-composed"
TOOL = "nvme -o json"


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values(given: str) -> Mapping[str, Scalar]:
    (state,) = states(given)
    assert state.tool.startswith("nvme")
    (subject,) = state.subjects
    return subject.values


def counted(given: str) -> Mapping[str, Json]:
    (entry,) = counters(given)
    return entry.values


def test_a_controller_has_the_names_that_the_text_has() -> None:
    for shape, given in mangled(text("id-ctrl.json"), wraps=False):
        facts = values(given)
        assert facts["model"] == "Examplecorp EX960 960GB", shape
        assert facts["size"] == 960197124096
        assert (facts["warning_temperature"], facts["critical_temperature"]) == (70, 85)  # kelvin
        assert facts["volatile_write_cache"] is True
        psds = counted(given)["psds"]
        assert isinstance(psds, list)
        assert len(psds) == int(str(facts["npss"])) + 1  # NPSS counts from zero


def test_a_namespace_in_the_format_in_use() -> None:
    """Its size is that of the controller's whole capacity in the other sample."""
    facts = values(text("id-ns.json"))
    assert facts["logical_block_size"] == 4096
    assert facts["size"] == values(text("id-ctrl.json"))["size"]
    assert facts["eui64"] == "0025384900000001"


def test_errors_that_are_in_use() -> None:
    log = counted(text("errors.json"))
    errors = log["errors"]
    assert isinstance(errors, list)
    assert [error["error_count"] for error in errors if isinstance(error, dict)] == [77, 76]
    assert log["entries_shown"] == 3
    none = {"errors": [{"error_count": 0, "sqid": 0, "lba": 0}]}
    assert counted(json.dumps(none, indent=1)) == {"errors": [], "entries_shown": 1}


def test_self_tests_in_text_and_in_json_are_the_same() -> None:
    (whole,) = counters(text("self-tests.txt"))
    assert (whole.name, whole.values["current_completion"]) == ("nvme1", 28)
    results = whole.values["results"]
    assert isinstance(results, list)
    (result,) = results
    assert isinstance(result, dict)
    reports = counted(text("self-tests.json"))["list_of_valid_reports"]
    assert isinstance(reports, list)
    report = reports[0]
    assert isinstance(report, dict)
    for name, key in (("operation_result", "Self test result"), ("failing_lba", "Failing LBA"),
                      ("power_on_hours", "Power on hours"),
                      ("segment_number", "Segment number")):  # fmt: skip
        assert result[name] == report[key], name
    assert values(text("self-tests.json"))["current_device_self_test_completion"] == 28


def test_paths_of_subsystems() -> None:
    for shape, given in mangled(text("subsystems.json"), wraps=False):
        (state,) = states(given)
        assert len(state.subjects) == 3, shape
    (state,) = states(text("subsystems.json"))
    local, first, second = state.subjects
    assert (local.kind, local.name, local.values["transport"]) == ("disk", "nvme0", "nvme")
    assert local.values["address"] == "0000:41:00.0"
    assert (first.kind, first.name, first.values["ana_state"]) == ("nvmeof", "nvme3", "optimized")
    assert (first.values["address"], first.values["port"]) == ("192.0.2.9", "4420")
    assert second.values["state"] == "connecting"
    assert second.values["nqn"] == first.values["nqn"] != local.values["nqn"]


def test_firmware_in_its_slots() -> None:
    """AFI 17 is slot 1, and slot 1 after the next reset."""
    (state,) = states(text("firmware.json"))
    assert state.subjects[0].name == "nvme5"
    assert state.subjects[0].values == {
        "active_slot": 1, "firmware_slot_1": "1.0.3", "firmware_slot_2": "1.0.4",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["solidigm.txt", "intel-1.x.txt"])
def test_additional_figures(name: str) -> None:
    for shape, given in mangled(text(name), wraps=False):
        if shape == "with blank lines":
            continue
        (entry,) = counters(given)
        assert entry.name == "nvme2", shape
        figures = entry.values
        wear = "wear_leveling_count" if name == "solidigm.txt" else "wear_leveling"
        assert [figures[f"{wear}_{part}"] for part in ("min", "max", "avg")] == [41, 66, 55]
        assert figures[f"{wear}_normalized"] == 0.97
        assert figures["thermal_throttle_status_cnt"] == 21
        assert figures["thermal_throttle_status_share"] == 0.07
        assert figures["program_fail_count"] == 2
    if name == "intel-1.x.txt":
        assert figures["timed_workload_media_wear"] == pytest.approx(0.01024)
    else:
        assert figures["pll_lock_loss_count_legacy"] == 5


def test_the_extended_log_in_text_and_in_json() -> None:
    (state,) = states(text("cloud.txt"))
    facts, fields = state.subjects[0].values, values(text("cloud.json"))
    for name in ("media_written", "media_read", "media_errors"):
        assert facts[name] == fields[name], name
    assert facts["media_written"] == 987654321000
    (entry,) = counters(text("cloud.txt"))
    assert (entry.values["capacitor_health"], entry.values["plp_start_count"]) == (163, 29)
    assert entry.values["pcie_link_retraining_count"] == 1
    large = text("cloud.txt").replace("-\t\t0 987654321000", "-\t\t1 987654321000")
    (state,) = states(large)
    assert "media_written" not in state.subjects[0].values  # beyond 63 bits


@pytest.mark.parametrize("given", [
    'The key "nsze" is the size of a namespace in blocks, "error_count" counts.\n',
    '{"error_count": "many"}\n',
    '{"errors": [{"error_count": 3, "file": "a.c"}]}\n',
    '{"ssvid": 5197, "name": "none of nvme"}\n',
    "SMART Cloud Attributes :- are described in the specification.\n",
    "Additional Smart Log for NVME device:nvme0 namespace-id:ffffffff\n",
    "Device Self Test Log for NVME device:nvme0\n",
])  # fmt: skip
def test_prose_and_heads_alone_are_none(given: str) -> None:
    assert not states(given)
    assert not [entry for entry in counters(given) if entry.tool != "printed"]


def test_json_that_is_torn_is_not_read() -> None:
    torn = text("id-ctrl.json")
    assert not states(torn[: len(torn) // 2])


LOST = """# nvme list-subsys -o json
[
  {
    "HostNQN":"nqn.2014-08.org.example:uuid:1c2d3e4f",
    "Subsystems":[
      {
        "Name":"nvme-subsys7",
        "NQN":"nqn.2024-01.org.example:pond",
        "IOPolicy":"numa",
        "Paths":[]
      }
    ]
  }
]
"""


def test_a_subsystem_without_a_path_is_said() -> None:
    for shape, given in mangled(LOST, wraps=False):
        (state,) = states(given)
        (subsystem,) = state.subjects
        assert (subsystem.kind, subsystem.name) == ("nvmeof", "nvme-subsys7"), shape
        assert subsystem.values["nqn"] == "nqn.2024-01.org.example:pond", shape
        assert (subsystem.values["paths"], subsystem.values["iopolicy"]) == (0, "numa"), shape


OLD = """# nvme list-subsys -o json
{
  "Subsystems" : [
    {
      "Name" : "nvme-subsys7",
      "NQN" : "nqn.2024-01.org.example:pond"
    },
    {
      "Name" : "nvme-subsys8",
      "NQN" : "nqn.2024-01.org.example:reed"
    },
    {
      "Paths" : [
        {
          "Name" : "nvme8",
          "Transport" : "rdma",
          "Address" : "traddr=192.0.2.8 trsvcid=4420",
          "State" : "live"
        }
      ]
    }
  ]
}
"""


def test_the_list_of_nvme_cli_1() -> None:
    for shape, given in mangled(OLD, wraps=False):
        (state,) = states(given)
        lost, path = state.subjects
        assert (lost.name, lost.values["paths"]) == ("nvme-subsys7", 0), shape
        assert (path.name, path.values["subsystem"]) == ("nvme8", "nvme-subsys8"), shape
        assert (path.values["address"], path.values["port"]) == ("192.0.2.8", "4420"), shape
    assert not states(OLD.replace("nvme-subsys", "area-").replace("NQN", "Id"))
