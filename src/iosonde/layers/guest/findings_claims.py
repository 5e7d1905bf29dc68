"""Volumes and claims of Kubernetes that failed, are lost or wait, and volumes that no pod gets.

Source: Kubernetes documentation, concepts/storage/persistent-volumes (phases; Failed: the volume
was not reclaimed; Released: its claim is deleted), storage-classes (WaitForFirstConsumer: a claim
waits for its pod); staging/src/k8s.io/api/core/v1/types.go (ClaimLost: the volume does not exist
any longer); pkg/volume/util/operationexecutor ("Multi-Attach error for volume").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_AGE = re.compile(r"(\d{1,6})([ydhms])")
_SECONDS = {"y": 31_536_000, "d": 86_400, "h": 3600, "m": 60, "s": 1}
_LONG = 120
"""Seconds after which a claim without a volume is not merely being given one."""


def _unbound(case: EvidenceSet) -> Iterator[Finding]:
    for volume in case.latest("persistent_volume", "status"):
        if volume.values.get("status") == "Failed":
            yield Finding(
                "failed-volume", "error", subject_of(volume),
                f"{volume.name} failed: its claim is gone, and it was not reclaimed"
                + _of(volume, "reclaim_policy", " ({})") + ". Its data may still be there.",
                volume.evidence("status", "reclaim_policy", "claim", "storageclass"),
                "`kubectl describe pv` says why, as does the log of its driver; save the data if "
                "they matter, then delete the volume at the storage and the object",
                "`kubectl get pv`",
            )  # fmt: skip
    for claim in case.latest("persistent_volume_claim", "status"):
        status = claim.values.get("status")
        if status == "Lost":
            yield Finding(
                "failed-volume", "error", subject_of(claim),
                f"The claim {claim.name} is lost: the volume that it was bound to"
                + _of(claim, "volume", " ({})") + " does not exist any longer.",
                claim.evidence("status", "volume", "storageclass"),
                "look at the storage whether the volume is there; if so, make a PersistentVolume "
                "of that name for it again, else restore a copy into a new claim",
                "`kubectl get pvc`: Bound",
            )  # fmt: skip
        elif status == "Pending" and _waits(case, claim):
            yield Finding(
                "failed-volume", "warning", subject_of(claim),
                f"The claim {claim.name} has no volume after {claim.values.get('age')}"
                + _of(claim, "storageclass", " (class {})") + ": pods that use it do not start.",
                claim.evidence("status", "storageclass", "age"),
                "`kubectl describe pvc` says why: no class, no driver for it, no room, or a class "
                "that waits for the first pod (WaitForFirstConsumer), where nothing is wrong until "
                "there is one",
                "`kubectl get pvc`: Bound",
            )  # fmt: skip


def _of(thing: StateEvidence, name: str, form: str) -> str:
    value = thing.values.get(name)
    return form.format(value) if value else ""


def _waits(case: EvidenceSet, claim: StateEvidence) -> bool:
    """Whether it waits for long, and not for a pod, as far as its class is shown."""
    age = sum(int(count) * _SECONDS[unit] for count, unit in _AGE.findall(
        str(claim.values.get("age") or "")))  # fmt: skip
    name = claim.values.get("storageclass")
    return age >= _LONG and not any(
        state.source == claim.source and state.name.rpartition("/")[2] == name
        and "WaitForFirstConsumer" in map(str, state.values.values())
        for state in case.states
    )  # fmt: skip


def _events(case: EvidenceSet) -> Iterator[Finding]:
    said = set[tuple[str, object, object]]()
    for event in case.counted("kubectl events"):
        reason, volume = event.values.get("reason"), event.values.get("volume")
        key = event.source, reason, volume or event.name
        if key in said:
            continue
        said.add(key)
        times = int(event.number("times"))
        over = event.values.get("over")
        yield Finding(
            "volume-not-attached", "warning", subject_of(event) if event.name else str(
                volume or reason),
            f"Kubernetes reports {reason}"
            + (f" {times:,} times" if times > 1 else "") + (f" over {over}" if over else "")
            + f": {event.values.get('message')}",
            (Evidence("times", times, "", event.where),),
            _remedy(event), "`kubectl describe pod`: no such event, and the pod is Running",
        )  # fmt: skip


def _remedy(event: CounterEvidence) -> str:
    message = str(event.values.get("message"))
    if "Multi-Attach" in message:
        return (
            "the volume is attached to another node: see `kubectl get volumeattachment`, and "
            "whether a pod there still uses it or the node is down; delete the old pod, and only "
            "where the node is surely off its VolumeAttachment (two nodes that write one file "
            "system destroy it)"
        )
    if event.values.get("reason") == "ProvisioningFailed":
        return (
            "the log of the driver's controller (csi-provisioner) says what the storage answered: "
            "its address, its credentials, room and parameters of the class"
        )
    return (
        "see `kubectl get volumeattachment` and the logs of the kubelet and of the driver on that "
        "node; then the way from the node to the storage, and `dmesg` there for the mount's error"
    )


_DOCS = "Kubernetes documentation, concepts/storage/persistent-volumes"
RULES: tuple[Rule, ...] = (
    Rule("failed-volume", "guest", "Volumes and claims of Kubernetes that failed or wait.", _DOCS,
         _unbound, stage="stopped"),
    Rule("volume-not-attached", "guest", "Volumes that Kubernetes does not attach, mount or make.",
         "Kubernetes pkg/kubelet/events, pkg/controller/volume/events", _events),
)  # fmt: skip
