"""Images of virtual disks with errors in them.

Source: QEMU, qemu-img.c (dump_human_image_check(): errors may corrupt data, leaks only waste
space), block/qcow2.c ("Image is corrupt; cannot be opened read/write"), qapi/block-core.json
(ImageCheck; ImageInfoSpecificQCow2: corrupt).
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


RULES: tuple[Rule, ...] = (
    Rule("damaged-image", "guest", "Images of virtual disks with errors in them.",
         "QEMU qemu-img.c, dump_human_image_check(); qapi/block-core.json", _damaged),
)  # fmt: skip
