"""What vSAN says of its disks, its objects and its own checks.

Source: Broadcom KB 326929 (vSAN object health: inaccessible objects have lost more copies than they
may, and their virtual machines have no access; reduced availability with no rebuild has another
failure between it and that; data-move and active rebuild go on by themselves); VMware vSAN
Monitoring and Troubleshooting, "Using Esxcli Commands with vSAN".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde.layers.multipath.facts import ESXI_DEVICE
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_LOST = "inaccessible"
_NO_REBUILD = "reduced-availability-with-no-rebuild"
_DELAYED = f"{_NO_REBUILD}-delay-timer"
_SAID = {
    _LOST: ("more of {it} is lost than {its} policy allows for, and nothing of {it} can be read or "
            "written"),
    _NO_REBUILD: "a copy of {it} is lost and not being rebuilt: another failure may take the rest",
    _DELAYED: "a copy of {it} is lost, and vSAN waits (an hour, unless set) before it rebuilds it",
}  # fmt: skip
_BAD = ("red", "yellow")
_PARTS = ("metadata_health", "operational_health", "congestion_state", "space_state")
_REMEDY = (
    "`esxcli vsan debug object list` and `esxcli vsan debug disk list` name hosts and disks that "
    "are missing: bring them back or replace them, and see that there is room to rebuild"
)


def _health(case: EvidenceSet) -> Iterator[Finding]:
    for counters in case.counted("esxcli"):
        if counters.kind == "vsan":
            yield from _of_counts(counters)
    for thing in case.latest("vsan_object", "health"):
        health = str(thing.values.get("health"))
        if health in _SAID:
            yield Finding(
                "vsan-health", _severity(health), subject_of(thing),
                f"The object {thing.name} of vSAN is {health}: "
                f"{_SAID[health].format(it='it', its='its')}.",
                thing.evidence("health", "path", "components", "degraded_components",
                               "absent_components"),
                _REMEDY, "its health is healthy",
            )  # fmt: skip
    failed: dict[tuple[str, str], list[StateEvidence]] = {}
    for check in case.latest("vsan_check", "status"):
        if check.values.get("status") in _BAD and check.values.get("part_of"):
            failed.setdefault((check.source, check.host), []).append(check)
    yield from map(_of_checks, failed.values())
    for device in case.latest(ESXI_DEVICE, "overall_health"):
        if device.values.get("overall_health") in _BAD:
            yield _of_device(device)


def _severity(health: str) -> str:
    return "error" if health in {_LOST, "red"} else "warning"


def _of_counts(counters: CounterEvidence) -> Iterator[Finding]:
    for state, said in _SAID.items():
        name = f"{state.replace('-', '_')}_objects"
        if count := counters.number(name):
            yield Finding(
                "vsan-health", _severity(state), counters.host or "vSAN",
                f"vSAN counts {count:,} object{'s' if count != 1 else ''} as {state}: "
                f"{said.format(it='each', its='its')}.",
                counters.evidence(name), _REMEDY, "all objects are healthy",
            )  # fmt: skip


def _of_device(device: StateEvidence) -> Finding:
    health = str(device.values.get("overall_health"))
    parts = [name for name in _PARTS if device.values.get(name) in _BAD]
    named = ", ".join(name.rpartition("_")[0] for name in parts)
    return Finding(
        "vsan-health", _severity(health), subject_of(device),
        f"vSAN calls the health of {device.name} {health}" + (f" ({named})." if named else "."),
        device.evidence("overall_health", *parts, "congestion_value"), _REMEDY,
        "`esxcli vsan debug disk list` calls it green",
    )  # fmt: skip


def _of_checks(failed: Sequence[StateEvidence]) -> Finding:
    statuses = [str(check.values.get("status")) for check in failed]
    named = ", ".join(
        f"{check.name} ({status})" for check, status in zip(failed[:8], statuses, strict=False)
    )
    more = f" and {len(failed) - 8} more" if len(failed) > 8 else ""
    return Finding(
        "vsan-health", "error" if "red" in statuses else "warning", failed[0].host or "vSAN",
        f"vSAN's own checks are not all green: {named}{more}.",
        tuple(
            Evidence(check.name, status, "", check.where)
            for check, status in zip(failed[:8], statuses, strict=False)
        ),
        "each check has its article at Broadcom by this name; `esxcli vsan health cluster get -t "
        "NAME` says more of it",
        "`esxcli vsan health cluster list` is green",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("vsan-health", "vsan", "Disks, objects and checks of vSAN that are not well.",
         "Broadcom KB 326929; VMware vSAN Monitoring and Troubleshooting", _health),
)  # fmt: skip
