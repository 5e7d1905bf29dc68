"""`drbdsetup status --json`: resources of DRBD 9 with volumes, peers, paths and what they counted.

Subjects, states and counters are those of the text (printed.py), and what only the JSON has.

Source: drbd-utils 9.34, user/v9/drbdsetup.c (resource_status_json(), device_status_json(),
connection_status_json(), peer_device_status_json(): amounts in KiB, those of a resync and of what a
verification has left in sectors, times in ms where the name says so, rates in MiB/s; 987654321
seconds to finish are none).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers.drbd.facts import amount
from iosonde.records.printed import PrintedCounters, PrintedSubject, without_none
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, number, objects
from iosonde.text.json_tree import as_json, key_name
from iosonde.units import MIB, SECTOR

_SUSPENDED = ("user", "no-data", "fencing", "quorum")
_RATES = {
    "want": "sync_speed_wanted", "db/dt [MiB/s]": "sync_bandwidth",
    "db0/dt0 [MiB/s]": "sync_bandwidth_0", "db1/dt1 [MiB/s]": "sync_bandwidth_1",
}  # fmt: skip
_SECTORS = {"rs-total": "sync_total", "rs-failed": "sync_failed", "ov-left": "verify_left"}
_SHARES = {"percent-in-sync": "in_sync_share", "percent-resync-done": "sync_share"}
_LEFT = "estimated-seconds-to-finish"
_NEVER = 987654321
_PLACES = frozenset({"volume", "minor", "node-id", "peer-node-id"})
_STATES = {
    "disk-state": "disk_state", "peer-disk-state": "peer_disk_state",
    "replication-state": "replication", "connection-state": "connection", "peer-role": "peer_role",
}  # fmt: skip


class DrbdStatusJson(JsonOutput):
    tool = "drbd"
    anchors = (
        '"node-id"', '"write-ordering"', '"disk-state"', '"peer_devices"', '"connection-state"',
    )  # fmt: skip
    commands = ("drbdsetup", "drbdadm")
    nothing = "no resource follows"
    head = re.compile(r'(?:\[\s*)?\{\s*"name"\s*:\s*"[^"]{1,128}"\s*,\s*"node-id"\s*:')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        for resource in [value] if isinstance(value, dict) else objects(value):
            for volume in objects(resource.get("devices")):
                yield from self._volume(resource, volume, prompt)

    def _volume(
        self, resource: Mapping[str, Any], volume: Mapping[str, Any], prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        """A volume with each of its peers; what it counted itself is said once."""
        name = f"drbd{volume.get('minor')}"
        own = {"resource": str(resource["name"]), **_states(resource), **_states(volume)}
        counts = _counts(volume)
        peers = objects(resource.get("connections"))
        if not peers:
            yield PrintedSubject("drbd", name, own, prompt.host)
            if counts:
                yield self.counted("drbd", name, counts, prompt)
        for peer in peers:
            devices = objects(peer.get("peer_devices"))
            far = next((row for row in devices if row.get("volume") == volume.get("volume")), {})
            states = own | _states(peer) | _states(far) | {"peer": str(peer.get("name"))}
            states.pop("name", None)
            yield PrintedSubject("drbd", name, states, prompt.host)
            counts |= _counts(peer) | _counts(far)
            yield self.counted("drbd", name, {"peer": str(peer.get("name")), **counts}, prompt)
            counts = {}


def _states(part: Mapping[str, Any]) -> dict[str, Scalar]:
    """States and places of a resource, a volume, a peer or a volume there."""
    values: dict[str, Scalar] = {}
    for key, value in part.items():
        if key in _SHARES and (share := number(value)) is not None:
            values[_SHARES[key]] = round(share / 100, 6)
        elif key.startswith(("suspended", "has-")) or key == "name":
            continue
        elif isinstance(value, str | bool) or key in _PLACES:
            values[_STATES.get(key, key_name(key))] = value if value != "" else None
        elif key == "out-of-sync" and isinstance(value, int):
            values["out_of_sync"] = amount(key, value)
    if "suspended" in part:
        reasons = [name for name in _SUSPENDED if part.get(f"suspended-{name}")]
        values["suspended"] = ",".join(reasons) or ("yes" if part["suspended"] else "no")
    return without_none(values)


def _counts(part: Mapping[str, Any]) -> dict[str, Json]:
    """Figures of a volume, a peer or a volume there: bytes, bytes a second, seconds."""
    values: dict[str, Json] = {}
    for key, value in part.items():
        figure = number(value)
        if key == "paths" and value:
            values[key] = as_json(value)
        elif figure is None or key in _PLACES or key in _SHARES:
            continue
        elif key in _SECTORS:
            values[_SECTORS[key]] = round(figure * SECTOR)
        elif key in _RATES:
            values[_RATES[key]] = round(figure * MIB)
        elif key == _LEFT:
            if figure != _NEVER:
                values["sync_time_left"] = figure
        else:
            values[key] = amount(key, figure) if isinstance(figure, int) else figure
    return values
