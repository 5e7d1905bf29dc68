"""PowerShell's storage objects. Oracle: powers of 1024, tables against lists, what is redundant."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import folded, mangled, states, unread_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "windows-composed"
DRIVES, POOLS, SPACES, DISKS, VOLUMES, JOBS, WEAR, LIST = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in (
        "physical-disks", "pools", "spaces", "disks", "volumes", "jobs", "reliability", "list",
    )
)  # fmt: skip
TIB = 1 << 40


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_drives_in_every_shape() -> None:
    for shape, given in mangled(DRIVES):
        drives = things(given)
        good, failing, lost = (drives["disk", f"PhysicalDrive{number}"] for number in (0, 3, 4))
        assert (good["model"], good["serial"]) == ("EXAMPLE SSD 850 EVO", "S21ABC0001"), shape
        assert (good["size"], good["rotational"]) == (round(465.76 * (1 << 30)), False), shape
        assert (failing["operational_status"], failing["health_status"]) == (
            "Predictive Failure", "Warning",
        ), shape  # fmt: skip
        assert (failing["health_passed"], "health_passed" in lost) == (False, False), shape
        assert (lost["operational_status"], lost["usage"]) == ("Lost Communication", "Retired")
        assert (lost["can_pool"], lost["size"]) == (True, round(3.64 * TIB)), shape


def test_pools_and_spaces() -> None:
    for shape, given in mangled(POOLS):
        pool = things(given)["storage_pool", "Pool One"]
        assert (pool["operational_status"], pool["is_primordial"]) == ("Degraded", False), shape
        assert (pool["size"], pool["allocated_size"]) == (round(7.27 * TIB), round(5.01 * TIB))
    for shape, given in mangled(SPACES):
        data, scratch = (things(given)["storage_space", name] for name in ("Data", "Scratch"))
        assert (data["operational_status"], scratch["operational_status"]) == (
            "Degraded", "Detached",
        ), shape  # fmt: skip
        share = int(str(data["size"])) / int(str(data["footprint_on_pool"]))
        assert share == data["storage_efficiency"] == 0.5, shape


def test_reasons_of_states() -> None:
    for shape, given in mangled((OUTPUTS / "reasons.txt").read_text(), wraps=False):
        read = things(given)
        data, pool = read["storage_space", "Data"], read["storage_pool", "Pool One"]
        assert (data["operational_status"], data["detached_reason"]) == (
            "{Degraded, Incomplete}", "None",
        ), shape  # fmt: skip
        media = read["storage_space", "Media"]
        assert media["detached_reason"] == "Majority Disks Unhealthy", shape
        assert (pool["operational_status"], pool["read_only_reason"]) == (
            "Read-only", "Incomplete",
        ), shape  # fmt: skip
        assert read["disk", "ACME X4000"]["cannot_pool_reason"] == "In a Pool", shape


def test_disks_whose_names_stand_in_two_lines() -> None:
    for shape, given in mangled(DISKS, wraps=False):
        read_disks = things(given)
        assert read_disks["disk", "PhysicalDrive0"]["partition_style"] == "GPT", shape
        offline = read_disks["disk", "PhysicalDrive5"]
        assert (offline["operational_status"], offline["size"]) == ("Offline", 2 * TIB), shape
        assert offline["model"] == "Msft Virtual Disk", shape
    (refused,) = unread_in(folded(DISKS, 72))
    assert refused.reason == "its first row is not whole"


def test_volumes_jobs_and_wear() -> None:
    for shape, given in mangled(VOLUMES):
        volume = things(given)["mount", "D:"]
        assert (volume["label"], volume["type"]) == ("Data", "ReFS"), shape
        assert (volume["size"], volume["available"]) == (2 * TIB, round(1.5 * TIB)), shape
        assert "label" not in things(given)["mount", "C:"], shape
    for shape, given in mangled(JOBS, wraps=False):
        job = things(given)["storage_job", "Repair"]
        done = int(str(job["bytes_processed"])) / int(str(job["bytes_total"]))
        assert done == pytest.approx(int(str(job["percent_complete"])) / 100), shape
    for shape, given in mangled(WEAR):
        drive = things(given)["disk", "PhysicalDrive3"]
        assert (drive["media_errors"], drive["temperature"]) == (12, 51), shape
        assert things(given)["disk", "PhysicalDrive0"]["media_wear"] == 0.07, shape


def test_a_list_says_what_a_table_says() -> None:
    for shape, given in mangled(LIST):
        drives = things(given)
        failing = drives["disk", "ACME X4000 000123450002"]
        assert failing["operational_status"] == "{Predictive Failure, Starting}", shape
        assert (failing["health_passed"], failing["serial"]) == (False, "000123450002"), shape
        assert failing["size"] == 4000787030016, shape
        assert drives["disk", "ACME X4000 000123450003"]["health_status"] == "Healthy", shape


def test_a_comma_is_a_point_elsewhere() -> None:
    pool = things(POOLS.replace("7.27", "7,27").replace("5.01", "5,01"))
    assert pool["storage_pool", "Pool One"]["size"] == round(7.27 * TIB)


@pytest.mark.parametrize(
    "text",
    [
        "The OperationalStatus : is OK and HealthStatus : is fine.\n",
        "FriendlyName OperationalStatus HealthStatus\nfoo OK Healthy\n",
        "Name Size\n---- ----\na    2 GB\n",
        "HealthStatus : Healthy\n\nAnd then?\n",
    ],
)
def test_words_about_them_are_none(text: str) -> None:
    assert not things(text)


def test_drives_of_which_only_name_and_size_were_selected() -> None:
    given = (
        "PS C:\\> Get-Disk | Select Number,FriendlyName,Size\n\n"
        "Number FriendlyName               Size\n------ ------------               ----\n"
        "     0 ACME Flash 512     512110190592\n     3 ACME Stick          15495856128\n"
    )
    drives = {each.name: each for state in states(given) for each in state.subjects}
    assert {name: each.kind for name, each in drives.items()} == {
        "PhysicalDrive0": "disk", "PhysicalDrive3": "disk",
    }  # fmt: skip
    assert drives["PhysicalDrive0"].values["size"] == 512_110_190_592
    assert drives["PhysicalDrive3"].values["model"] == "ACME Stick"


def test_another_table_with_numbers_and_names_is_none() -> None:
    given = "Number FriendlyName  State\n------ ------------  -----\n     1 ACME Clock    Ready\n"
    assert not states(given)
