"""What the superblock says. Source: dumpe2fs(8)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.records.stack import Scalar
from iosonde.units import KIB, parse_bytes

_LINE = re.compile(r"^([A-Z][^:\n]*):[ \t]+(.*?)\s*$", re.MULTILINE)


def superblock_facts(text: str) -> dict[str, Scalar]:
    """Block size, stripe and journal from `dumpe2fs -h`. Sizes in bytes."""
    lines = dict(_LINE.findall(text))
    block = _figure(lines.get("Block size"))
    if not block:
        return {}
    sizes = [lines[key] for key in ("Total journal size", "Journal size") if key in lines]
    facts: dict[str, Scalar] = {
        "block_size": block,
        "stripe_unit": (_figure(lines.get("RAID stride")) or 0) * block or None,
        "stripe_width": (_figure(lines.get("RAID stripe width")) or 0) * block or None,
        "journal_size": parse_bytes(sizes[0]) if sizes else None,
        "superblock_state": lines.get("Filesystem state"),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _figure(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def stripe_remedy(values: Mapping[str, Scalar], chunk: int, stripe: int) -> str:
    """How an ext4 is told its stripe afterwards."""
    size = values.get("block_size")
    block = size if isinstance(size, int) and size > 0 else 4 * KIB
    return (
        f"`tune2fs -E stride={chunk // block},stripe_width={stripe // block} "
        f"{values.get('device') or 'DEVICE'}`; it counts for files written from then on"
    )


CONTENT = CarriedContent(new_uuid="`tune2fs -U random` of the copy")

VERSION = PackageVersion(
    {"e2fsprogs": rf"(?:mke2fs|tune2fs|e2fsck|dumpe2fs|resize2fs) {V} \([\w-]{{10,11}}\)"},
    anchors=("2fs 1.", "e2fsck 1."),
    commands=("mke2fs", "tune2fs", "e2fsck", "resize2fs"),
    heads=re.compile(r"(?!Using EXT2FS)"),
)
"""Source: e2fsprogs 1.47, mke2fs -V."""
