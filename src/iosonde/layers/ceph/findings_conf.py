"""Settings in ceph.conf that risk data or the room that recovery needs.

Source:
    Ceph documentation, rados/configuration/bluestore-config-ref (bluestore_csum_type: crc32c unless
    set) and mon-config-ref (mon_osd_full_ratio: 0.95, taken when a cluster is created; since 12
    `ceph osd set-full-ratio`); osd_failsafe_full_ratio (0.97), at which an OSD itself refuses.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Finding

_FULL = 0.95
_OF_MONITORS = frozenset({"global", "mon"})
"""Sections that monitors read."""


def _no_checksums(case: EvidenceSet) -> Iterator[Finding]:
    for section in case.of_kind("ceph_config"):
        if section.values.get("bluestore_csum_type") == "none":
            yield Finding(
                "no-checksums", "warning", _called(section),
                "BlueStore keeps no checksums of what it writes (bluestore_csum_type = none): data "
                "that a drive returns wrong goes to clients without a word, and a deep scrub can "
                "say at most that copies differ, not which one is right.",
                section.evidence("bluestore_csum_type"),
                "leave it out (crc32c); what is there gets checksums when it is written anew",
                "`ceph config show osd.N bluestore_csum_type`: crc32c",
            )  # fmt: skip


def _full_ratio(case: EvidenceSet) -> Iterator[Finding]:
    for section in case.of_kind("ceph_config"):
        ratio = section.number("mon_osd_full_ratio")
        if _FULL < ratio <= 1 and section.name.partition(".")[0] in _OF_MONITORS:
            yield Finding(
                "out-of-space", "warning", _called(section),
                f"Writes of clients are only stopped where an OSD is {units.show_fraction(ratio)} "
                "full (mon_osd_full_ratio, which a cluster takes when it is created): an OSD that "
                "fills up altogether does not start again, and little is left for recovery.",
                section.evidence("mon_osd_full_ratio", "mon_osd_nearfull_ratio"),
                "`ceph osd set-full-ratio 0.95` and `ceph osd set-nearfull-ratio 0.85`, the "
                "defaults; add OSDs before they are reached",
                "`ceph osd dump` shows full_ratio 0.95",
            )  # fmt: skip


def _called(section: StateEvidence) -> str:
    where = f"ceph.conf [{section.name}]"
    return f"{section.host}: {where}" if section.host else where


RULES: tuple[Rule, ...] = (
    Rule("no-checksums", "ceph", "BlueStore without checksums, by ceph.conf.",
         "Ceph documentation, rados/configuration/bluestore-config-ref", _no_checksums),
    Rule("out-of-space", "ceph", "Full ratios in ceph.conf that leave OSDs no room.",
         "Ceph documentation, rados/configuration/mon-config-ref, mon_osd_full_ratio",
         _full_ratio, stage="waiting"),
)  # fmt: skip
