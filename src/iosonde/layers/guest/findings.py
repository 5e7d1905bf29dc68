"""Images of virtual disks with errors in them, disks whose I/O fails, and volumes of Longhorn.

Source: QEMU, qemu-img.c (dump_human_image_check(): errors may corrupt data, leaks only waste
space), block/qcow2.c ("Image is corrupt; cannot be opened read/write"), qapi/block-core.json
(ImageCheck; ImageInfoSpecificQCow2: corrupt); libvirt, src/libvirt-domain.c, virDomainGetDiskErrors
(errors since the machine was last resumed) and docs/formatdomain.rst (error_policy, rerror_policy);
longhorn-manager 1.6, controller/volume_controller.go, ReconcileVolumeState() (a volume without a
healthy replica is faulted, one with fewer than asked for degraded; the robustness of one that is
detached is unknown).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Finding

_REMEDY = (
    "stop its machine and copy the image before anything else; `qemu-img check -r all` on the copy "
    "mends what can be mended, and the file system in it is to be checked then"
)


def _damaged(case: EvidenceSet) -> Iterator[Finding]:
    """Images whose check counted errors, or that QEMU marked as corrupt."""
    for image in case.counted("qemu-img check"):
        if not (errors := int(image.number("corruptions"))):
            continue
        yield Finding(
            rule="damaged-image",
            severity="error",
            subject=subject_of(image),
            message=f"qemu-img counted {errors} error{'s'[: errors - 1]} in the image "
            f"{image.name}: data in it may be corrupt, and further writes may corrupt more.",
            evidence=image.evidence("corruptions"),
            remedy=_REMEDY,
            confirm="`qemu-img check` finds no errors; leaked clusters do no harm",
        )
    for state in case.of_kind("guest"):
        if state.values.get("corrupt") is True:
            yield Finding(
                rule="damaged-image",
                severity="error",
                subject=subject_of(state),
                message=f"QEMU marked the image {state.name} as corrupt: it opens it only for "
                "reading until it is repaired.",
                evidence=state.evidence("corrupt"),
                remedy=_REMEDY,
                confirm="`qemu-img info` says corrupt: false",
            )


_ERRORS = {
    "no space": "QEMU found no space for what the machine wrote to it",
    "unspecified error": "the host answered I/O of the machine with an error",
}
_MENDED = {
    "no space": "free or add space where its image is, then resume the machine (`virsh resume`, "
    "`qm resume`)",
    "unspecified error": "read the host's kernel log and the machine's log (libvirt's are in "
    "/var/log/libvirt/qemu) for the error; mend what its image is on, then resume the machine "
    "(`virsh resume`, `qm resume`)",
}


def _in_error(case: EvidenceSet) -> Iterator[Finding]:
    """Disks of machines that `virsh domblkerror` or QEMU's monitor says are in error."""
    for disk in case.of_kind("guest"):
        error = str(disk.values.get("error", ""))
        if error in _ERRORS:
            yield Finding(
                rule="guest-disk-error",
                severity="error",
                subject=subject_of(disk),
                message=f"the disk {disk.name} of a virtual machine is in error: {_ERRORS[error]}. "
                'With the policy "stop", the machine is paused.',
                evidence=disk.evidence("error"),
                remedy=_MENDED[error],
                confirm="`virsh domblkerror` finds no errors; `info block` of QEMU's monitor has "
                "no I/O status",
            )


_ROBUSTNESS = {
    "degraded": "has fewer healthy replicas than it was asked to have: every further one that is "
    "lost leaves fewer copies of its data, and a rebuild takes bandwidth from what is measured",
    "faulted": "has no healthy replica left: it cannot be attached, and its data are out of reach",
}
_RESTORED = {
    "degraded": "see which replica is not running (`kubectl get replicas.longhorn.io -n "
    "longhorn-system`) and mend its node or disk; Longhorn rebuilds it by itself where a node has "
    "room for one",
    "faulted": "before anything is deleted, see which replicas failed and why (`kubectl get "
    "replicas.longhorn.io -n longhorn-system`, the events of the volume); bring their nodes and "
    "disks back and salvage the volume, or restore it from a backup",
}


def _longhorn(case: EvidenceSet) -> Iterator[Finding]:
    """Volumes of Longhorn without all their replicas."""
    for volume in case.of_kind("longhorn_volume"):
        state = str(volume.values.get("robustness", ""))
        if state in _ROBUSTNESS:
            yield Finding(
                rule="degraded",
                severity="error" if state == "faulted" else "warning",
                subject=subject_of(volume),
                message=f"the volume {volume.name} of Longhorn {_ROBUSTNESS[state]}.",
                evidence=volume.evidence("robustness", "state", "node"),
                remedy=_RESTORED[state],
                confirm="`kubectl get volumes.longhorn.io -n longhorn-system` shows it as healthy",
            )


RULES: tuple[Rule, ...] = (
    Rule("damaged-image", "guest", "Images of virtual disks with errors in them.",
         "QEMU qemu-img.c, dump_human_image_check(); qapi/block-core.json", _damaged),
    Rule("guest-disk-error", "guest", "Disks of virtual machines whose I/O failed.",
         "libvirt virDomainGetDiskErrors; docs/formatdomain.rst, error_policy", _in_error),
    Rule("degraded", "guest", "Volumes of Longhorn that lack replicas.",
         "longhorn-manager controller/volume_controller.go", _longhorn, stage="redundancy"),
)  # fmt: skip
