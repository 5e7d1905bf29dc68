"""virsh's tables, lists of labels and counters. Oracle: figures that it prints twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import counters, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/guests-composed/virsh-tables.txt").read_text()


def named(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    """Things by kind and name; of those that several outputs have, what all of them say."""
    things: dict[tuple[str, str], dict[str, Scalar]] = {}
    for subject in subjects_in(text):
        things.setdefault((subject.kind, subject.name), {}).update(subject.values)
    return things


def test_machines_disks_pools_and_volumes_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape == "with blank lines":
            continue
        things = named(given)
        assert set(things) == {
            ("guest", "vda"), ("guest", "sda"), ("guest", "web1 vda"), ("libvirt_pool", "default"),
            ("libvirt_pool", "iso"), ("libvirt_volume", "web1.qcow2"),
            ("libvirt_snapshot", "before"), ("libvirt_machine", "web1"), ("libvirt_machine", "old"),
        }, shape  # fmt: skip
        disk, pool = things["guest", "vda"], things["libvirt_pool", "default"]
        assert disk["size"] == things["guest", "web1 vda"]["size"] == 20 * 2**30, shape
        assert (disk["device"], disk["done"], disk["limit_bandwidth"]) == (
            "disk",
            0.45,
            100 * 2**20,
        )
        assert things["guest", "sda"] == {"type": "block", "device": "cdrom"}, shape
        assert pool["size"] == pytest.approx(
            int(str(pool["allocation"])) + int(str(pool["available"]))
        )
        assert (pool["state"], pool["autostart"], pool["persistent"]) == ("running", True, True)
        assert things["libvirt_pool", "iso"]["state"] == "inactive", shape
        machine = things["libvirt_machine", "web1"]
        assert (machine["vcpus"], machine["max_memory"], machine["cpu_time"]) == (4, 2**33, 1523.4)
        assert things["libvirt_machine", "old"] == {"state": "shut off"}, shape


def test_counters_have_the_names_of_those_without_explanations() -> None:
    explained, of_machine = counters(TEXT)
    assert (explained.name, of_machine.name) == ("vda", "web1 vda")
    assert explained.values == of_machine.values
    assert explained.values["rd_total_times"] == 1005.410244506
    assert explained.values["flush_operations"] == 11577


def test_translations_are_read_by_their_order() -> None:
    pools = (
        "$ virsh pool-list --all\n"
        " Name      Status    Automatischer Start\n"
        "------------------------------------------\n"
        " default   aktiv     ja\n\n"
    )
    assert named(pools) == {("libvirt_pool", "default"): {"state": "aktiv"}}
    assert not named(pools.replace("$ virsh pool-list --all", "$ cat notes"))
    volume = (
        "$ virsh vol-info --pool default web1.qcow2\n"
        "Name:           web1.qcow2\nTyp:            file\n"
        "Kapazität:      97,93 GiB\nZuordnung:      11,27 GiB\n"
    )
    assert named(volume)["libvirt_volume", "web1.qcow2"] == {
        "type": "file", "size": round(97.93 * 2**30), "allocation": round(11.27 * 2**30)
    }  # fmt: skip


def test_disks_in_error() -> None:
    assert named("$ virsh domblkerror web1\nvda: no space\nvdb: unspecified error\n") == {
        ("guest", "vda"): {"error": "no space"}, ("guest", "vdb"): {"error": "unspecified error"}
    }  # fmt: skip
    assert not named("/dev/vda: no space left on device\n")


def test_what_is_none() -> None:
    assert not named("Name:     a\nState:    running\nAutostart: yes\n")
    assert not named("Name   State   Autostart\n a      b       c\n")
    network = "Name: lan\nUUID: 1\nActive: yes\nPersistent: yes\nAutostart: yes\nBridge: virbr0\n"
    assert not named(network)
