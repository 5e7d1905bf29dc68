"""LVM logical volumes: linear, striped, mirrored, RAID, thin, cached.

LVM calls "stripe size" what is `chunk_size` here: bytes on one physical volume before the next
one's turn. `data_offset` is where extents begin on the physical volumes (pe_start).

Source: lvs(8), pvs(8), lvmreport(7) (fields, --reportformat json, lv_attr); libdm: names of
device-mapper devices are VG-LV with every dash inside doubled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from iosonde.hosts.host import Host
from iosonde.layers.layer import LayerSetting, Mapped, Scene, mapped, queue_settings
from iosonde.records import Gap, Scalar, StackLayer

_REPORT = ("--reportformat", "json", "--units", "b", "--nosuffix")
_LV_FIELDS = "lv_name,vg_name,lv_attr,lv_size,segtype,stripes,stripe_size,data_percent,copy_percent"
LVS = ("lvs", "--all", *_REPORT, "-o", _LV_FIELDS)
PVS = ("pvs", *_REPORT, "-o", "pv_name,vg_name,pe_start,vg_extent_size")
# Ninth place of lv_attr, the volume's health (lvs(8)).
_HEALTH = {"p": "partial", "r": "refresh needed", "m": "mismatches", "F": "failed", "X": "unknown"}
_FULL = 90.0  # per cent of a thin pool from which on it is a hazard


def mapper_name(group: str, volume: str) -> str:
    """The device-mapper name of a logical volume."""
    plain = volume.strip("[]")
    return f"{group.replace('-', '--')}-{plain.replace('-', '--')}"


def rows(report: bytes, part: str) -> list[Mapping[str, Any]]:
    """The rows of a report in JSON, "lv" or "pv"; none where it is no such report."""
    try:
        document = json.loads(report or b"{}")
    except ValueError:
        return []
    parts = document.get("report", []) if isinstance(document, dict) else []
    return [row for one in parts if isinstance(one, dict) for row in one.get(part, [])]


def volume_facts(row: Mapping[str, Any]) -> dict[str, Scalar]:
    """What a row of `lvs` says of a volume."""
    facts: dict[str, Scalar] = {
        "volume_group": row.get("vg_name"),
        "segment_type": row.get("segtype"),
        "stripes": _figure(row.get("stripes")),
        "chunk_size": _figure(row.get("stripe_size")) or None,
        "full": _percent(row.get("data_percent")),
        "in_sync": _percent(row.get("copy_percent")),
    }
    return {name: value for name, value in facts.items() if value is not None}


def volume_hazards(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Words for what is wrong with a volume."""
    attributes = str(row.get("lv_attr", ""))
    words = [_HEALTH[attributes[8]]] if len(attributes) > 8 and attributes[8] in _HEALTH else []
    full = _percent(row.get("data_percent"))
    if full is not None and full * 100 >= _FULL and attributes[:1] == "t":
        words.append(f"{full:.0%} full")
    synced = _percent(row.get("copy_percent"))
    if synced is not None and synced < 1 and attributes[:1] in {"m", "r", "M", "R"}:
        words.append(f"resync {synced:.0%}")
    return tuple(words)


def _figure(value: object) -> int | None:
    text = str(value or "").split(".")[0]
    return int(text) if text.isdecimal() else None


def _percent(value: object) -> float | None:
    try:
        return float(str(value)) / 100
    except ValueError:
        return None


class Lvm:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "lvm"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings("read_ahead_kb", "max_sectors_kb")

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`. What lvs can't say stays unknown; the volumes are found anyway."""
        volumes = [one for one in await mapped(scene) if one.uuid.startswith("LVM-")]
        if not volumes:
            return ()
        reported = {
            mapper_name(str(row.get("vg_name")), str(row.get("lv_name"))): row
            for row in await self._report(scene, LVS, "lv")
        }
        starts = {
            str(row.get("pv_name")): _figure(row.get("pe_start"))
            for row in await self._report(scene, PVS, "pv")
        }
        return tuple(self._layer(scene, one, reported.get(one.name, {}), starts) for one in volumes)

    async def _report(
        self, scene: Scene, argv: tuple[str, ...], part: str
    ) -> list[Mapping[str, Any]]:
        host: Host = scene.host
        done = await host.run(argv, check=False)
        if done.status == 0:
            return rows(done.stdout, part)
        missing = done.status == 127
        scene.gaps.append(
            Gap(
                host.name,
                f"what {argv[0]} says of volumes",
                f"{argv[0]} is not installed" if missing else f"{argv[0]} failed",
                "install lvm2" if missing else "run as root",
            )
        )
        return []

    def _layer(
        self, scene: Scene, one: Mapped, row: Mapping[str, Any], starts: Mapping[str, int | None]
    ) -> StackLayer:
        facts = volume_facts(row)
        below = [scene.devices[name] for name in one.device.below if name in scene.devices]
        offsets = {starts.get(device.path) for device in below} - {None}
        if len(offsets) == 1:
            facts["data_offset"] = offsets.pop()
        return one.layer(scene, self.kind, facts, volume_hazards(row))
