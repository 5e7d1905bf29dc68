"""Persistent memory: DIMMs that fail or lost their contents, namespaces with bad blocks.

Values as ndctl lists them; a DIMM is kind "nvdimm", a namespace kind "disk".

Source: ndctl 82, ndctl/json-smart.c, util_dimm_health_to_json() (health_state ok, non-critical,
critical, fatal; alarms), ndctl/json.c, util_dimm_to_json() (flag_failed_…: contents that were not
saved, restored or flushed) and util_namespace_to_json() (badblock_count, in sectors).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, called, subject_of
from iosonde.records.finding import Finding

_FAILED = {
    "flag_failed_save": "did not save its contents",
    "flag_failed_restore": "did not restore its contents",
    "flag_failed_flush": "did not flush its contents",
    "flag_failed_arm": "is not armed to keep its contents",
    "flag_failed_map": "could not be mapped",
}
_BAD = {"critical": "error", "fatal": "error", "non-critical": "warning"}


def nvdimms(case: EvidenceSet) -> Iterator[Finding]:
    """DIMMs that report a bad health, or that did not keep their contents."""
    for dimm in case.of_kind("nvdimm"):
        health = str(dimm.values.get("health_health_state") or "")
        reasons = [phrase for flag, phrase in _FAILED.items() if dimm.values.get(flag) is True]
        severity = "error" if reasons else _BAD.get(health, "")
        if health in _BAD:
            reasons.append(f"reports a health that is {health}")
        if not reasons:
            continue
        yield Finding(
            "drive-failing", severity, subject_of(dimm),
            f"The DIMM {dimm.name} {' and '.join(reasons)}: what is on its namespaces may be lost.",
            dimm.evidence("health_health_state", *_FAILED),
            "copy its data and replace the DIMM",
            "ndctl list -DH shows health_state ok and no failed flag",
        )  # fmt: skip


def bad_blocks(case: EvidenceSet) -> Iterator[Finding]:
    """Namespaces of persistent memory with blocks that cannot be read."""
    for state in case.of_kind("disk"):
        if not (count := state.number("badblock_count")):
            continue
        yield Finding(
            "media-errors", "error", subject_of(state),
            f"{called(state)} has {count} sectors of persistent memory that cannot be read: what "
            "reads them by DAX is killed by SIGBUS, others get EIO.",
            state.evidence("badblock_count"),
            "restore the files on them from a copy; writing the blocks, or ndctl clear-errors, "
            "clears them",
            "ndctl list -M shows no badblock_count",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("drive-failing", "disk", "A DIMM of persistent memory that fails or lost its contents.",
         "ndctl 82, ndctl/json-smart.c, ndctl/json.c", nvdimms, stage="drive"),
    Rule("media-errors", "disk", "Persistent memory with blocks that cannot be read.",
         "ndctl 82, ndctl/json.c, util_namespace_to_json()", bad_blocks, stage="device"),
)  # fmt: skip
