"""RAID controllers: drives that failed, will fail or are gone, sets of drives, and enclosures.

Values as in `iosonde.layers.hwraid.findings`; a set of drives is kind "drive_group". A drive is
passed over where a volume of its controller is degraded: that finding names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.layers._raid.arrays import near
from iosonde.layers.hwraid.facts import DRIVE
from iosonde.records.evidence import EvidenceSet, Rule, called, subject_of
from iosonde.records.finding import Evidence, Finding

_DEGRADED = frozenset({
    "degraded", "partially degraded", "offline", "failed", "missing", "inoperable", "incomplete",
    "incompleted",
})  # fmt: skip
_FAILED = {
    "failed": "has failed",
    "failed requested": "was put out of service as failed",
    "missing": "is missing",
    "offline": "is offline",
    "offline requested": "was taken offline",
    "other offline": "is offline",
    "not compatible": "is not compatible with its volume",
    "degraded": "is marked as degraded",
    "device-error": "has an error",
    "drive-removed": "was removed",
    "ecc-error": "has sectors that cannot be read",
    "unconfigured bad": "is marked bad",
    "unconfigured(bad)": "is marked bad",
}
_PLACE = re.compile(
    r"(?:[\w ]{1,40}/)?(?:(?:e\d{0,5}/)?s\d{1,4}|phy\d{1,3}|p\d{1,3}|ch\d{1,3}(?::\d{1,3})?"
    r"|pd\d{1,3}|\w\w:\d{1,3}(?::\d{1,3})?|physical disk [\d:]{3,11}|Disk\.[\w.:-]{4,100})$"
)
"""How drives behind controllers are called, as none is that the kernel sees."""
_ALARMS = re.compile(r"(?<!no )fail|problem|alert|alarm-activated|critical|non-recoverable")


def _failed_drives(case: EvidenceSet) -> Iterator[Finding]:
    """Drives that failed where no volume of theirs is said to be degraded."""
    degraded = [
        state
        for state in case.of_kind("hwraid")
        if str(state.values.get("state")) in _DEGRADED and state.values.get("controller")
    ]
    for disk in case.of_kind(DRIVE):
        said = _FAILED.get(str(disk.values.get("state") or ""))
        if said is None or not _PLACE.fullmatch(disk.name):
            continue
        if any(
            near(volume, disk) and disk.name.startswith(f"{volume.values['controller']}/")
            for volume in degraded
        ):
            continue
        model = disk.values.get("model")
        named = f"{disk.name} ({model})" if model else disk.name
        yield Finding(
            "drive-failed", "error", subject_of(disk),
            f"{named} {said}: what it was a member or a spare of has less redundancy than it "
            "was built with.",
            (Evidence("state", str(disk.values["state"]), "", disk.where),),
            "look at the state of the arrays of its controller, and replace it; figures measured "
            "during the rebuild are not the array's",
            "the states of its arrays after the exchange",
        )  # fmt: skip


def _predicted(case: EvidenceSet) -> Iterator[Finding]:
    """Drives that still work but announce that they will not for long."""
    for disk in case.of_kind(DRIVE):
        counts = max(disk.number("predicted_failures"), disk.number("smart_warnings"))
        alert = disk.values.get("smart_alert") is True
        warned = disk.values.get("state") == "predictive failure"
        if not (counts or alert or warned):
            continue
        errors = disk.number("media_errors")
        unreadable = f" and has {errors:,} unreadable sectors" if errors else ""
        names = ("predicted_failures", "smart_warnings", "smart_alert", "media_errors")
        yield Finding(
            "drive-failing", "warning", subject_of(disk),
            f"{called(disk)} predicts its own failure{unreadable}: its retries slow the whole "
            "array down before it fails.",
            disk.evidence(*(["state"] if warned else []),
                          *(name for name in names if disk.values.get(name))),
            "replace it while the array is whole; the rebuild takes time of its other drives",
            "the latencies of its array before and after the exchange",
        )  # fmt: skip


def _groups(case: EvidenceSet) -> Iterator[Finding]:
    """Sets of drives that lack some, unless a volume on them is said to."""
    for group in case.of_kind("drive_group"):
        state = str(group.values.get("state") or "")
        on_it = (
            volume
            for volume in case.of_kind("hwraid")
            if near(volume, group) and volume.values.get("drive_group") == group.name
        )
        if state not in _DEGRADED or any(str(v.values.get("state")) in _DEGRADED for v in on_it):
            continue
        yield Finding(
            "degraded", "error", subject_of(group),
            f"The set of drives {group.name} is {state}: its volumes have less redundancy than "
            "they were built with, or none, and figures measured now are not theirs.",
            (Evidence("state", state, "", group.where),),
            "replace the drive that is missing and let the controller rebuild; measure after it",
            "the same trial on the whole set",
        )  # fmt: skip


def _enclosures(case: EvidenceSet) -> Iterator[Finding]:
    """Enclosures with an alarm, and their fans and power supplies that failed."""
    for enclosure in case.of_kind("enclosure"):
        said = {
            name: text
            for name, value in enclosure.values.items()
            if (name == "state" or name.endswith("_status"))
            and _ALARMS.search(text := str(value).lower())
        }
        if not said:
            continue
        listed = ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in said.items())
        yield Finding(
            "enclosure-alarm", "warning", subject_of(enclosure),
            f"The enclosure {enclosure.name} reports trouble ({listed}): drives that get too hot "
            "or lose their power drop out of their arrays together.",
            tuple(Evidence(name.replace("_", " "), text, "", enclosure.where)
                  for name, text in list(said.items())[:6]),
            "look at its fans, temperatures and power supplies, and mend what failed",
            "the state that the enclosure reports afterwards",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule(
        "drive-failed", "disk",
        "A drive behind a RAID controller failed or is missing.",
        "Broadcom StorCLI reference manual, states of drives; mpt-status 1.2.0, mpt-status.c",
        _failed_drives,
        stage="drive",
    ),
    Rule(
        "drive-failing", "disk",
        "A physical drive under a controller predicts its failure.",
        "Broadcom MegaRAID: predictive failure count (SMART); HPE: predictive failure; Adaptec: "
        "S.M.A.R.T. warnings",
        _predicted,
        stage="drive",
    ),
    Rule(
        "degraded", "hwraid",
        "A set of drives of a RAID controller lacks some.",
        "Areca CLI manual, rsf: Info Field",
        _groups,
        stage="redundancy",
    ),
    Rule(
        "enclosure-alarm", "hwraid, disk",
        "An enclosure reports a fan, a temperature or a power supply that is not well.",
        "cciss_vol_status 1.10, print_bus_status(); tw_cli(8), /cx/ex show all",
        _enclosures,
    ),
)  # fmt: skip
