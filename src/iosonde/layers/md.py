"""md arrays: Linux software RAID.

`chunk_size` is what lies on one member before the next one's turn; `data_members` the members that
hold data in each stripe, so that `stripe_width` is chunk × data members. `data_offset` is where
data begin on the members.

Source: Linux Documentation/admin-guide/md.rst (attributes of md/ and md/dev-NAME in sysfs);
drivers/md/md.c, raid5.c, raid10.c (layout of RAID 10: near copies, far copies << 8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from iosonde.layers.layer import BlockDevice, LayerSetting, Scene, queue_settings
from iosonde.records import Scalar, StackLayer
from iosonde.units import SECTOR

_ATTRIBUTES = (
    "level", "raid_disks", "degraded", "chunk_size", "layout", "array_state", "sync_action",
    "sync_completed", "metadata_version", "consistency_policy", "mismatch_cnt",
)  # fmt: skip
_PARITY = {"raid4": 1, "raid5": 1, "raid6": 2}
_STRIPED = {"raid0", "raid4", "raid5", "raid6", "raid10"}
_BUSY = {"resync", "recover", "reshape", "check", "repair"}


def data_members(level: str, disks: int, layout: int) -> int | None:
    """Members that hold data in each stripe; None where the level has no stripes.

    Args:
        level: "raid5" and so on, as md spells it.
        disks: `raid_disks`.
        layout: md's number; of RAID 10 its low bytes are the copies.
    """
    if level in _PARITY:
        return disks - _PARITY[level]
    if level == "raid0":
        return disks
    if level == "raid10":
        copies = (layout & 0xFF) * ((layout >> 8) & 0xFF)
        return disks // copies if copies else None
    return None


def array_facts(attributes: Mapping[str, str]) -> dict[str, Scalar]:
    """What an array is, from its attributes in sysfs.

    Args:
        attributes: name → text, those that the kernel has.
    """
    level = attributes.get("level", "")
    disks = _figure(attributes.get("raid_disks"))
    chunk = _figure(attributes.get("chunk_size")) if level in _STRIPED else None
    layout = _figure(attributes.get("layout"))
    data = data_members(level, disks, layout or 0) if disks else None
    facts: dict[str, Scalar] = {
        "level": level or None,
        "raid_disks": disks,
        "degraded": _figure(attributes.get("degraded")),
        "chunk_size": chunk or None,
        "data_members": data,
        "stripe_width": chunk * data if chunk and data else None,
        "layout": layout,
        "array_state": attributes.get("array_state"),
        "metadata_version": attributes.get("metadata_version"),
        "consistency_policy": attributes.get("consistency_policy"),
        "mismatch_cnt": _figure(attributes.get("mismatch_cnt")),
        "sync_action": attributes.get("sync_action"),
        "sync_share": _share(attributes.get("sync_completed", "")),
    }
    return {name: value for name, value in facts.items() if value is not None}


def array_hazards(facts: Mapping[str, Scalar], members: Mapping[str, str]) -> tuple[str, ...]:
    """Words for what is wrong with an array.

    Args:
        facts: as `array_facts` gives them.
        members: device → its state, such as "in_sync" or "faulty".
    """
    words = []
    if facts.get("degraded"):
        words.append("degraded")
    action = str(facts.get("sync_action", "idle"))
    if action in _BUSY:
        share = facts.get("sync_share")
        words.append(f"{action} {share:.0%}" if isinstance(share, float) else action)
    words += [f"{name} {state}" for name, state in members.items() if "faulty" in state]
    return tuple(words)


def _figure(text: str | None) -> int | None:
    """A number, of which RAID levels print a comment behind some: "1000 (system)"."""
    first = (text or "").split(" ")[0]
    return int(first) if first.isdecimal() else None


def _share(text: str) -> float | None:
    """`sync_completed`: "1234 / 5678" in sectors, or "none" or "delayed"."""
    done, slash, whole = text.partition("/")
    if not slash or not whole.strip().isdecimal() or not int(whole):
        return None
    return int(done) / int(whole)


class Md:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "md"
    settings: ClassVar[tuple[LayerSetting, ...]] = (
        *(
            LayerSetting(name, "sysfs", f"/sys/block/{{name}}/md/{name}", unit)
            for name, unit in (
                ("stripe_cache_size", ""),
                ("group_thread_cnt", ""),
                ("rmw_level", ""),
                ("preread_bypass_threshold", ""),
                ("skip_copy", ""),
                ("sync_speed_min", "KiB/s"),
                ("sync_speed_max", "KiB/s"),
            )
        ),
        *queue_settings("read_ahead_kb", "max_sectors_kb", "nomerges"),
    )

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`. An array is what has a directory `md` in sysfs."""
        candidates = [one for one in scene.devices.values() if one.name.startswith("md")]
        levels = {one.name: f"/sys/block/{one.name}/md/level" for one in candidates}
        found = await scene.host.read_many(list(levels.values()))
        arrays = [one for one in candidates if isinstance(found.get(levels[one.name]), bytes)]
        return tuple([await self._layer(scene, one) for one in arrays])

    async def _layer(self, scene: Scene, device: BlockDevice) -> StackLayer:
        place = f"/sys/block/{device.name}/md"
        paths = [f"{place}/{name}" for name in _ATTRIBUTES]
        for member in device.below:
            paths += [f"{place}/dev-{member}/state", f"{place}/dev-{member}/offset"]
        files = await scene.host.read_many(paths)
        texts = {
            path.removeprefix(f"{place}/"): content.decode(errors="replace").strip()
            for path, content in files.items()
            if isinstance(content, bytes)
        }
        facts = array_facts(texts)
        offsets = {texts.get(f"dev-{member}/offset") for member in device.below} - {None}
        if len(offsets) == 1 and (sectors := _figure(offsets.pop())) is not None:
            facts["data_offset"] = sectors * SECTOR
        states = {member: texts.get(f"dev-{member}/state", "") for member in device.below}
        return StackLayer(
            id=scene.identity(self.kind, device.name),
            kind=self.kind,
            host=scene.host.name,
            device=device.path,
            size=device.size,
            below=tuple(scene.on_device(name) for name in device.below),
            facts=facts,
            hazards=array_hazards(facts, states),
        )
