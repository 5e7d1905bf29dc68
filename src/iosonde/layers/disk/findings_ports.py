"""Ports of Fibre Channel adapters that have no link, or are in no fabric.

Source:
    Linux drivers/scsi/scsi_transport_fc.c, fc_port_state_names and fc_port_type_names;
    drivers/scsi/qla2xxx/qla_attr.c, qla2x00_get_host_fabric_name() (all ones where no switch was
    found) and qla2x00_get_host_port_type() ("Unknown" before a topology is known). A private loop
    and a point-to-point connection have no fabric and are right so.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_DOWN = frozenset({"linkdown", "offline", "error", "bypassed"})
_NO_FABRIC = 0xFFFF_FFFF_FFFF_FFFF
_SHOWN = ("port_state", "port_type", "fabric_name", "port_id", "speed", "port_name")


def _ports(case: EvidenceSet) -> Iterator[Finding]:
    for port in case.of_kind("fc_host"):
        state = str(port.values.get("port_state") or "")
        adapter = str(port.values.get("symbolic_name") or "").partition(" ")[0]
        called = f"{port.name} ({adapter})" if adapter else port.name
        if state.lower() in _DOWN:
            yield Finding(
                "link-down", "warning", subject_of(port),
                f"The Fibre Channel port {called} is {state}: no LUN is reached over it, and what "
                "has paths over other ports goes over these alone.",
                port.evidence(*_SHOWN),
                "if it is meant to be in use: look at the cable and the transceiver, at the port "
                "of the switch (enabled, and at a speed that both support), and at what the "
                "kernel's log says of the adapter",
                f"/sys/class/fc_host/{port.name}/port_state says Online",
            )  # fmt: skip
        elif state == "Online" and _is_alone(port):
            yield Finding(
                "link-down", "warning", subject_of(port),
                f"The Fibre Channel port {called} has a link but is logged in to no fabric: it "
                "sees no targets behind a switch.",
                port.evidence(*_SHOWN),
                "look at the switch: whether its port is an F port, enabled, in the right fabric "
                "and not refused by port security or an NPIV limit; then "
                f"`echo 1 > /sys/class/fc_host/{port.name}/issue_lip`, which interrupts the port",
                f"/sys/class/fc_host/{port.name}/port_type says “NPort (fabric via "
                "point-to-point)”, and port_id is not 0x000000",
            )  # fmt: skip


def _is_alone(port: StateEvidence) -> bool:
    """Whether a port with a link is in no fabric, though it is not connected without one."""
    kind = str(port.values.get("port_type") or "")
    if kind == "Unknown":
        return True
    name = port.values.get("fabric_name")
    is_hex = isinstance(name, str) and name.startswith("0x") and len(name) == len("0x") + 16
    return kind.startswith("NPort") and is_hex and int(str(name), 16) == _NO_FABRIC


RULES: tuple[Rule, ...] = (
    Rule("link-down", "fc_host", "Ports of Fibre Channel without a link or a fabric.",
         "Linux drivers/scsi/scsi_transport_fc.c, fc_port_state_names", _ports),
)  # fmt: skip
