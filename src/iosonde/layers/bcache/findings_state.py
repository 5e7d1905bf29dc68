"""bcache whose slow device and cache no longer hold the same data.

Source:
    Linux Documentation/admin-guide/bcache.rst (`state`; "Attaching": forcing a device to run;
    "Howto/cookbook", A and B); drivers/md/bcache/super.c, bch_cached_dev_run() (a device of a set
    that runs without it becomes stale, "inconsistent" in sysfs, dirty or clean),
    bch_cached_dev_attach() (what the cache held of a stale device is invalidated; a dirty one needs
    its own cache); bcache-tools, bcache-super-show.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import (
    CounterEvidence,
    EvidenceSet,
    Rule,
    StateEvidence,
    called,
    subject_of,
)
from iosonde.records.finding import Evidence, Finding

_SHOWN = ("state", "running", "mode", "backing_device", "set_uuid")


def apart(case: EvidenceSet) -> Iterator[Finding]:
    """Devices that ran without the cache that held a part of their data, or wait for it."""
    for device in case.of_kind("bcache"):
        state = device.values.get("state")
        if state == "inconsistent":
            yield _stale(device)
        elif state == "dirty" and device.values.get("running") is False:
            yield _waiting(device, "its cache is not there", device.evidence(*_SHOWN))
    for logged in case.counted("kernel log"):
        if logged.kind == "bcache" and logged.number("unknown_to_sets"):
            why = "the cache set that was registered does not know it"
            yield _waiting(logged, why, logged.evidence("unknown_to_sets"))


def _stale(device: StateEvidence) -> Finding:
    through = device.values.get("mode") in {"writethrough", "writearound", "none"}
    lost = (
        "In write-back mode what the cache alone held is missing from it, and its file system is "
        "likely damaged; the kernel says the same of a device that was clean"
    )
    return Finding(
        rule="cache-lost",
        severity="warning" if through else "error",
        subject=subject_of(device),
        message=f"{called(device)} was started by force while its cache was away (inconsistent). "
        f"{lost}.",
        evidence=device.evidence(*_SHOWN),
        remedy="unmount it and write nothing more. Copy the slow device, then check the file "
        "system on the copy (it begins at dev.data.first_sector, 8 KiB unless told otherwise) and "
        "restore what is damaged from a backup. Attaching the old cache does not bring the data "
        "back: the kernel drops what it held of a device in this state, so keep it away until the "
        "copy is good, and look why it was away",
        confirm="the file system's check finds nothing, and `state` is clean or no cache",
    )


def _waiting(
    device: StateEvidence | CounterEvidence, why: str, evidence: tuple[Evidence, ...]
) -> Finding:
    return Finding(
        rule="cache-lost",
        severity="error",
        subject=subject_of(device),
        message=f"A part of the data of {called(device)} is only in its cache (dirty), and it does "
        f"not run because {why}.",
        evidence=evidence,
        remedy="bring back its own cache device and register it (`echo /dev/SSD > "
        "/sys/fs/bcache/register`; cset.uuid of `bcache-super-show` tells which it is). Do not "
        "start it by force (1 to `running`) nor mount the slow device itself as long as that cache "
        "may be had: that gives up what is dirty",
        confirm="/dev/bcacheN is there with `state` dirty or clean; then the file system's check",
    )


RULES: tuple[Rule, ...] = (
    Rule("cache-lost", "bcache", "A slow device that ran, or waits, without the cache that holds a "
         "part of its data.", "Linux Documentation/admin-guide/bcache.rst; "
         "drivers/md/bcache/super.c", apart),
)  # fmt: skip
