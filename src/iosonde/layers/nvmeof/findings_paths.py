"""Subsystems of NVMe whose paths are lost: some of them, or all.

Source:
    Linux 6.12 drivers/nvme/host/sysfs.c, nvme_sysfs_show_state(); drivers/nvme/host/multipath.c,
    nvme_path_is_disabled() (a path that is not live takes no request) and
    nvme_available_path() ("requeuing I/O" while a controller is being connected anew, "failing
    I/O" without one); NVM Express Base 2.0, 8.1 (asymmetric namespace access: no I/O through a
    controller whose state is inaccessible or persistent loss).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_CLOSED = frozenset({"inaccessible", "persistent-loss"})
"""States of ANA in which a controller takes no I/O, though it answers."""
_WAITS = "requests to its namespaces wait while a controller is connected anew, or fail"
_SEEN = "`nvme list-subsys` shows every path as live"


def _paths(case: EvidenceSet) -> Iterator[Finding]:
    subsystems: dict[tuple[str, str, str, str], list[StateEvidence]] = {}
    for state in case.states:
        subsystem, of = state.values.get("subsystem"), state.values.get("state")
        if state.values.get("paths") == 0 and state.values.get("nqn"):
            yield _none(state)
        elif isinstance(subsystem, str) and isinstance(of, str) and state.values.get("nqn"):
            key = (state.source, state.host, state.where, subsystem)
            subsystems.setdefault(key, []).append(state)
    for paths in subsystems.values():
        closed = [path for path in paths if not _is_open(path)]
        if closed and (len(paths) > 1 or paths[0].values.get("transport") == "nvme"):
            yield _lost(paths, closed)


def _is_open(path: StateEvidence) -> bool:
    return path.values["state"] == "live" and path.values.get("ana_state") not in _CLOSED


def _none(subsystem: StateEvidence) -> Finding:
    return Finding(
        "failed-paths", "error", subject_of(subsystem),
        f"{subsystem.name} ({subsystem.values['nqn']}) has no path: no controller reaches it, and "
        "requests to its namespaces fail.",
        subsystem.evidence("nqn", "paths"),
        "the kernel's log says when and why its controllers were removed (ctrl_loss_tmo counts "
        "from the loss of the connection); look at the target, the network or the slot, then "
        "`nvme connect` or `nvme connect-all` again, and unmount what is in its namespaces if they "
        "stay away",
        _SEEN,
    )  # fmt: skip


def _lost(paths: Sequence[StateEvidence], closed: Sequence[StateEvidence]) -> Finding:
    first, count = closed[0], len(paths)
    subsystem = str(first.values["subsystem"])
    named = ", ".join(
        " ".join(str(path.values[key]) for key in ("state", "ana_state") if key in path.values)
        + f" {path.name}" for path in closed
    )  # fmt: skip
    verb = "is" if len(closed) == 1 else "are"
    is_all = len(closed) == count
    said = (
        f"{len(closed)} of {count} paths of {subsystem} {verb}" if count > 1 else f"{subsystem} is"
    )
    rest = _WAITS if is_all else "what is measured goes over the others alone"
    return Finding(
        "failed-paths", "error" if is_all else "warning",
        f"{first.host}: {subsystem}" if first.host else subsystem,
        f"{said} not usable ({named}): {rest}.",
        tuple(Evidence(f"state of {path.name}", path.values["state"], "", path.where)
              for path in closed),
        "look at the link, the switch and the port of the target that these paths go over, and at "
        "what the target says of their ANA group; the kernel's log says when they were lost"
        if first.values.get("transport") != "nvme"
        else "the kernel's log says what became of the controller; `nvme reset` it, or take the "
        "drive out and put it in again",
        _SEEN,
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("failed-paths", "nvmeof, disk", "A subsystem of NVMe without a path that takes I/O.",
         "Linux drivers/nvme/host/multipath.c, nvme_path_is_disabled()", _paths, stage="device"),
)  # fmt: skip
