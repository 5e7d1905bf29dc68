"""Resources of storage that Pacemaker could not start, stop or promote.

A resource that runs now has only failed before, and one that somebody disabled is meant to be
stopped: both are none.

Source: Pacemaker Explained 2.1, "Resource Operations" (failures, migration-threshold);
crm_resource(8) (--cleanup); resource-agents 4.12, heartbeat/Filesystem and LVM-activate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_STORAGE: Mapping[str, str] = {
    "Filesystem": "file system", "LVM": "volume group", "LVM-activate": "volume group",
    "clvm": "lock of LVM", "drbd": "DRBD resource", "exportfs": "export of NFS",
    "nfsserver": "NFS server", "iSCSITarget": "iSCSI target", "iSCSILogicalUnit": "LUN of iSCSI",
    "mdraid": "array of md", "Raid1": "array of md",
    "ZFS": "pool of ZFS", "o2cb": "cluster of OCFS2", "lvmlockd": "lock of LVM",
}  # fmt: skip
"""Types of agents, and what each of them manages."""
_INSTANCE = re.compile(r":\d{1,4}$")


def _failed_resources(case: EvidenceSet) -> Iterator[Finding]:
    failures = tuple(case.of_kind("pacemaker_failure"))
    yielded: set[tuple[str, str]] = set()
    for state in case.of_kind("pacemaker_resource"):
        what = _STORAGE.get(str(state.values.get("agent") or "").rpartition(":")[2])
        own = [failure for failure in failures if _is_of(failure, state)]
        flags = str(state.values.get("flags") or "")
        stands = state.values.get("role") == "Stopped" and own and "disabled" not in flags
        name = _INSTANCE.sub("", state.name)
        if what is None or not (state.values.get("failed") or stands):
            continue
        if (state.source, name) in yielded:
            continue  # another instance of the same clone
        yielded.add((state.source, name))
        yield Finding(
            "failed-resource", "error", subject_of(state),
            f"Pacemaker has the {what} {name} as "
            f"{'FAILED' if state.values.get('failed') else 'stopped after a failure'}"
            f"{_why(own)}: what needs it does not run, or runs on another node.",
            (*state.evidence("agent", "role", "node", "flags"),
             *(part for failure in own for part in failure.evidence("result", "reason"))),
            "read what its agent wrote (`journalctl -u pacemaker` of that node, and the kernel's "
            "log) and mend the cause; then `pcs resource cleanup "
            f"{name}`, or `crm_resource --cleanup -r {name}`: until then Pacemaker may not try "
            "that node again",
            "`crm_mon -1` shows it as started, and no failed action of it",
        )  # fmt: skip


def _is_of(failure: StateEvidence, state: StateEvidence) -> bool:
    """Whether an action is of a resource, or of an instance of the same clone."""
    resource = _INSTANCE.sub("", str(failure.values.get("resource") or ""))
    return failure.source == state.source and resource == _INSTANCE.sub("", state.name)


def _why(failures: Sequence[StateEvidence]) -> str:
    """What the last of its actions came to, in the words of Pacemaker and of the agent."""
    if not failures:
        return ""
    values = failures[-1].values
    why = f": {values['reason']}" if values.get("reason") else ""
    return f" ({values.get('action')} on {values.get('node')}: {values.get('result')}{why})"


RULES: tuple[Rule, ...] = (
    Rule("failed-resource", "pacemaker_resource", "Resources of storage that have failed.",
         "Pacemaker lib/pengine/native.c, pe_output.c; crm_resource(8)", _failed_resources),
)  # fmt: skip
