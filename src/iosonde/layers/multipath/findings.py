"""A rule about maps of multipath that lack paths.

Source: multipath-tools 0.9, libmultipath/print.c (states of paths); Linux drivers/md/dm-mpath.c,
queue_if_no_path.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Finding


def _failed_paths(case: EvidenceSet) -> Iterator[Finding]:
    for state in case.latest("multipath", "failed_paths"):
        failed, paths = int(state.number("failed_paths")), int(state.number("paths"))
        if not failed or failed > paths:
            continue
        named = str(state.values.get("failed") or "")
        rest = (
            "what is measured goes over the others alone"
            if failed < paths
            else "no request reaches the LUN"
        )
        yield Finding(
            "failed-paths", "warning" if failed < paths else "error", subject_of(state),
            f"{failed} of {paths} paths of {state.name} {'has' if failed == 1 else 'have'} failed"
            + (f" ({named.replace(' ', ', ')})" if named else "") + f": {rest}.",
            state.evidence("failed_paths", "paths"),
            "look at the link, the switch and the port of the array that this path goes over; the "
            "kernel's log says when it failed",
            "`esxcli storage core path list` shows no path as dead"
            if "vmhba" in str(state.values.get("path_states"))
            else "`multipath -ll` shows every path as active ready running",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("failed-paths", "multipath", "A map some of whose paths have failed.",
         "multipath-tools 0.9, libmultipath/print.c", _failed_paths, stage="device"),
)  # fmt: skip
