"""Pools of ZFS that are suspended, and those of which the kernel's log says that they were.

Source: zpoolprops(7), failmode; zpool-clear(8); zpool-status(8); OpenZFS messages ZFS-8000-HC and
-JQ; OpenZFS 2.2, module/zfs/zio.c, zio_suspend(), and module/zfs/mmp.c, mmp_thread().
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.layers.zfs.facts import SUSPENDED
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_SAID = re.compile(
    r"One or more devices are faulted in response to IO failures|The pool is suspended"
)
"""Status of a suspended pool; older versions call its state ONLINE or UNAVAIL beside it."""
_STOPS = "nothing is written to it, and what uses it hangs or is given errors, until `zpool clear`."
_REMEDY = (
    "bring back what the kernel's log shows that it lost (power, cable, controller, session), then "
    "`zpool clear {name}`; where that does not return, only a restart of the host helps"
)
_OTHER_HOST = (
    "make sure that no other host has imported it (`zpool status` and `zpool import` there), and "
    "see why its devices took no writes for so long (zfs_multihost_fail_intervals); then `zpool "
    "clear {name}`, or restart the host and import it, as the version's own advice has it"
)
_CONFIRM = "the state is ONLINE, and stays so through `zpool scrub`"


def _suspended(case: EvidenceSet) -> Iterator[Finding]:
    last: dict[tuple[str, str], StateEvidence] = {}
    for pool in case.of_kind("zpool"):
        if _is_suspended(pool) or "state" in pool.values:
            last[pool.host, pool.name] = pool
    named = {(pool.host, pool.name) for pool in last.values() if _is_suspended(pool) and pool.name}
    for pool in last.values():
        if _is_suspended(pool) and (pool.name or not named):
            yield _of_state(pool)
    for counters in case.counted("kernel log"):
        if counters.kind == "zpool" and not any(name == counters.name for _, name in named):
            yield from _of_log(counters)


def _is_suspended(pool: StateEvidence) -> bool:
    status, errors = str(pool.values.get("status")), str(pool.values.get("errors"))
    return (
        pool.values.get("state") == "SUSPENDED"
        or _SAID.match(status) is not None
        or SUSPENDED in errors
    )


def _of_state(pool: StateEvidence) -> Finding:
    multihost = "multihost" in str(pool.values.get("status"))
    why = (
        "ZFS could not write for too long that this host has it, and another may take it"
        if multihost
        else "an I/O failed that no redundancy made up for"
    )
    remedy = _OTHER_HOST if multihost else _REMEDY
    return Finding(
        "pool-suspended", "error", subject_of(pool),
        f"The pool {pool.name}".rstrip() + f" is suspended, because {why}: {_STOPS}",
        pool.evidence("state", "root_state", "status", "errors", "refused"),
        remedy.format(name=pool.name or "POOL"), _CONFIRM,
    )  # fmt: skip


def _of_log(counters: CounterEvidence) -> Iterator[Finding]:
    failed, multihost = counters.number("suspensions"), counters.number("multihost_suspensions")
    if not failed and not multihost:
        return
    last = counters.values.get("last")
    when = f" (last at {last})" if last else ""
    yield Finding(
        "pool-suspended", "error", subject_of(counters),
        f"The kernel's log says that the pool {counters.name} was suspended{when}: from then on "
        f"{_STOPS}",
        counters.evidence("suspensions", "multihost_suspensions", "last"),
        (_REMEDY if failed else _OTHER_HOST).format(name=counters.name), _CONFIRM,
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("pool-suspended", "zfs", "A pool that is suspended: nothing is written to it.",
         "zpoolprops(7), failmode; OpenZFS messages ZFS-8000-HC and -JQ", _suspended,
         stage="stopped"),
)  # fmt: skip
