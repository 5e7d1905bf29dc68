"""The geometry of an XFS. Source: xfs_info(8)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde import kerneltext
from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.records.stack import Scalar
from iosonde.units import SECTOR

_SECTIONS = frozenset({"", "meta-data", "data", "naming", "log", "realtime"})
_PAIR = re.compile(r"([\w-]{1,64})=([\w./-]+)")


def parse_sections(text: str) -> dict[str, dict[str, str]]:
    """Section → key → text, from what xfs_info prints.

    A section goes on over lines that begin with "="; its first word, if any, is its `place`:
    "log =internal log  bsize=4096 …".
    """
    sections: dict[str, dict[str, str]] = {}
    section = ""
    for line in kerneltext.lines(text):
        head, equals, rest = line.partition("=")
        if not equals:
            continue
        if head.strip() not in _SECTIONS:  # a mail broke the line
            sections.setdefault(section, {}).update(_PAIR.findall(line))
            continue
        section = head.strip() or section
        pairs = sections.setdefault(section, {})
        if rest[:1].strip():
            pairs["place"] = rest.split()[0]
        pairs.update(_PAIR.findall(rest))
    return sections


def geometry_facts(text: str) -> dict[str, Scalar]:
    """Block size, stripe, allocation groups and log from `xfs_info`. Sizes in bytes."""
    sections = parse_sections(text)
    data, log = sections.get("data", {}), sections.get("log", {})
    meta = sections.get("meta-data", {})
    block = _figure(data.get("bsize"))
    if not block:
        return {}
    facts: dict[str, Scalar] = {
        "block_size": block,
        "sector_size": _figure(meta.get("sectsz")),
        "stripe_unit": (_figure(data.get("sunit")) or 0) * block or None,
        "stripe_width": (_figure(data.get("swidth")) or 0) * block or None,
        "allocation_groups": _figure(meta.get("agcount")),
        "log": log.get("place"),
        "log_size": (_figure(log.get("blocks")) or 0) * (_figure(log.get("bsize")) or 0) or None,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _figure(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def stripe_of_options(values: Mapping[str, Scalar]) -> tuple[int, int] | None:
    """Stripe unit and width in bytes by the options of a mount, which count in sectors."""
    options = [str(values.get(name) or "") for name in ("sunit", "swidth")]
    if not all(text.isdecimal() and int(text) for text in options):
        return None
    return int(options[0]) * SECTOR, int(options[1]) * SECTOR


def stripe_remedy(_: Mapping[str, Scalar], chunk: int, stripe: int) -> str:
    """How an XFS is told its stripe afterwards."""
    return (
        f"mount with sunit={chunk // SECTOR},swidth={stripe // SECTOR}; it counts for files "
        "written from then on"
    )


CONTENT = CarriedContent(new_uuid="`xfs_admin -U generate` of the copy, with its log clean")

VERSION = PackageVersion(
    {"xfsprogs": rf"(?:mkfs\.xfs|xfs_repair|xfs_info|xfs_growfs|xfs_db) version {V}"},
    anchors=(" version ",),
    commands=("mkfs.xfs", "xfs_repair", "xfs_info"),
)
"""Source: xfsprogs 6.1, mkfs.xfs -V."""
