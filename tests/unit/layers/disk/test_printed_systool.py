"""systool: ports of Fibre Channel; SCSI devices: test_printed_ndctl.py. Oracle: the sample."""

from __future__ import annotations

import re
from pathlib import Path

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "systool-composed" / "fc-host.txt").read_text()


def test_ports_of_fibre_channel() -> None:
    down, online = subjects_in(TEXT, "systool")
    assert (down.kind, down.name, online.name) == ("fc_host", "host7", "host8")
    pairs = re.findall(r'^    (\w+) {2,}= "([^"\n]+)"$', TEXT.split("host8")[0], re.MULTILINE)
    for name, value in pairs:
        assert str(down.values[name]) == value.strip()
    assert down.values["symbolic_name"] == (
        "Emulex LPe00002 FV2.01A10 DV12.0.0.0. HN:heron. OS:Linux"
    )
    assert down.values["path"] == (
        "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/host7/fc_host/host7"
    )
    assert online.values["port_type"] == "NPort (fabric via point-to-point)"
    assert "system_hostname" not in online.values


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        states = [subject.values.get("port_state") for subject in subjects_in(changed, "systool")]
        assert states == ["Linkdown", "Online"], shape


def test_a_host_of_another_class_is_none() -> None:
    assert not subjects_in(
        'Class = "scsi_host"\n\n  Class Device = "host1"\n    cmd_per_lun         = "7"\n'
    )


def test_the_same_in_files() -> None:
    (port,) = subjects_in(
        "/sys/class/fc_host/host1/port_state:Online\n"
        "/sys/class/fc_host/host1/port_type:NPort (fabric via point-to-point)\n"
        "/sys/class/fc_host/host1/speed:8 Gbit\n"
    )
    assert (port.kind, port.name, dict(port.values)) == ("fc_host", "host1", {
        "port_state": "Online", "port_type": "NPort (fabric via point-to-point)",
        "speed": "8 Gbit",
    })  # fmt: skip
