"""Rules about the queues of block devices: scheduler, depths, read-ahead, interrupts.

Source:
    Linux Documentation/block/switching-sched.rst, queue-sysfs.rst, bfq-iosched.rst;
    Documentation/core-api/irq. The single-queue schedulers noop, deadline and cfq ended with 5.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from iosonde import units
from iosonde.layers import LAYERS
from iosonde.layers._raid.arrays import Array, CaseArrays, array_traits, near
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Scalar

_TODAY = {"noop": "none", "deadline": "mq-deadline", "cfq": "bfq", "anticipatory": "mq-deadline"}
_FAIR = frozenset({"bfq", "cfq", "anticipatory"})
_ARRAYS = re.compile(r"(?:nvme|vd|xvd|cciss|md|dm-|drbd|nbd|etherd|pmem)")
_VOLUMES = re.compile(
    r"PERC|MegaRAID|\bMR\d{4}|ServeRAID|LOGICAL VOLUME|\bRAID|Virtual.Disk|QEMU|iSCSI|LIO",
    re.IGNORECASE,
)  # models that controllers, targets and hypervisors give their volumes
_BUSY = re.compile(
    r"^(?:eth|eno|enp|ens|em\d|bond|mlx|ixgbe|i40e|ice|nvme|mpt|megasas|megaraid|ahci|cciss|hpsa|aacraid|"
    r"qla|lpfc|3w|virtio\d+-(?:req|input|output|request))"
)
_STORAGE = re.compile(r"(?:nvme|mpt|megasas|megaraid|ahci|cciss|hpsa|aacraid|qla|lpfc|3w|ata)")
_LINK = re.compile(r"^(?:eth|eno|enp|ens|em\d|bond|mlx|ixgbe|i40e|ice|be2net|bnx)")
_LISTED = 4  # disks, of those that have the same
_MANY = 1_000_000
_ONE_SIDED = 0.95
_BUSY_SHARE = 0.05  # of all interrupts, from which on a line is busy
_WAITING = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "posixaio"})
"""Engines of fio that keep one I/O a job in flight, or (posixaio) as many as they have threads."""


def _schedulers(case: EvidenceSet) -> Iterable[Finding]:
    volumes = {
        (state.source, state.host, state.name)
        for state in case.states
        if (traits := array_traits(state.kind)) and traits.by_controller
    }
    ended: dict[tuple[str, str, str], list[StateEvidence]] = {}
    for state in case.with_value("scheduler"):
        name = _active(str(state.values["scheduler"]))
        if name not in {*_FAIR, *_TODAY} or not _queues(state):
            continue
        if name in _FAIR and _spreads(state, volumes):
            yield Finding(
                rule="scheduler",
                severity="warning",
                subject=state.name,
                message=f"{state.name} is ordered by {name}, which holds requests back to be fair "
                "to processes on one rotating disk; an array or flash behind it stands idle "
                "meanwhile.",
                evidence=(Evidence("scheduler", name, "", state.where),),
                remedy=f"`echo {_best(state)} > {_file_of(state)}`; a udev rule keeps it over a "
                "reboot",
                confirm="random I/O at depth 32 with both",
            )
        elif name in _TODAY:
            ended.setdefault((state.source, state.host, name), []).append(state)
    yield from _ended_schedulers(case, ended)


def _ended_schedulers(
    case: EvidenceSet, ended: Mapping[tuple[str, str, str], Sequence[StateEvidence]]
) -> Iterable[Finding]:
    """Disks of a host under a scheduler that Linux 5.0 ended, but where its kernel is older."""
    kernels = [state for state in case.with_value("kernel") if _is_old(state)]
    old = {(state.source, host) for state in kernels for host in (state.host, "")}
    for (source, host, name), disks in ended.items():
        if (source, host) in old:
            continue
        names = list(dict.fromkeys(disk.name for disk in disks))
        listed = ", ".join(names[:_LISTED]) + (" …" if len(names) > _LISTED else "")
        yield Finding(
            rule="scheduler",
            severity="note",
            subject=listed,
            message=f"{name} on {listed} is a scheduler of kernels before 5.0; today's "
            f"name of what it did is {_TODAY[name]}.",
            evidence=tuple(Evidence("scheduler", name, "", disk.where) for disk in disks[:_LISTED]),
            remedy=f"on a current kernel `echo {_TODAY[name]} > {_file_of(disks[0])}`",
            confirm="the same file: the active one stands in brackets",
        )


def _file_of(state: StateEvidence) -> str:
    """The file of sysfs that holds a disk's scheduler."""
    return f"/sys/block/{_sysfs(state.name)}/queue/scheduler"


def _active(text: str) -> str:
    """The scheduler at work, also of the whole line of sysfs: "none [mq-deadline] bfq"."""
    _, bracket, rest = text.partition("[")
    return rest.partition("]")[0] if bracket else text.strip()


def _queues(state: StateEvidence) -> bool:
    """Whether the scheduler that is shown for a device is its own; a partition has its disk's."""
    return state.kind not in LAYERS or LAYERS.load(state.kind).queues_requests


def _spreads(state: StateEvidence, volumes: Set[tuple[str, str, str]]) -> bool:
    """Whether an array or flash is behind a device, as far as that is known."""
    if _ARRAYS.match(state.name) or state.values.get("rotational") is False:
        return True
    if any(_VOLUMES.search(str(state.values.get(name) or "")) for name in ("model", "vendor")):
        return True
    return (state.source, state.host, state.name) in volumes


def _is_old(host: StateEvidence) -> bool:
    """Whether its kernel is one that had the old schedulers."""
    major = str(host.values["kernel"]).partition(".")[0]
    return major.isdecimal() and int(major) < 5


def _best(state: StateEvidence) -> str:
    return "none" if _ARRAYS.match(state.name) else "mq-deadline"


def _sysfs(name: str) -> str:
    return name.replace("/", "!")


def _number(value: Scalar) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() else None


def _depths(case: EvidenceSet) -> Iterable[Finding]:
    for state in case.of_kind("disk"):
        requests, depth = (_number(state.values.get(key)) for key in ("nr_requests", "queue_depth"))
        if requests is None or depth is None or requests >= depth:
            continue
        yield Finding(
            rule="queue-depth",
            severity="note",
            subject=f"{state.name} {state.host}".strip(),
            message=f"{state.name} takes {depth} requests at once, but the block layer keeps at "
            f"most {requests} of each direction: the device's queue is never full.",
            evidence=(
                Evidence("nr_requests", requests, "", state.where),
                Evidence("queue_depth", depth, "", state.where),
            ),
            remedy=_more_requests(state, depth),
            confirm="IOPS and p99 at an iodepth above nr_requests, with both",
        )


def _more_requests(state: StateEvidence, depth: int) -> str:
    """How to keep more requests, as the scheduler at work allows it.

    Without a scheduler requests are the hardware queue's own tags: more than it was made with are
    refused with EINVAL (Linux block/blk-mq.c, blk_mq_update_nr_requests()).
    """
    file = f"/sys/block/{_sysfs(state.name)}/queue/nr_requests"
    scheduler = state.values.get("scheduler")
    if isinstance(scheduler, str) and _active(scheduler) == "none":
        return (
            f"`echo {depth} > {file}`: without a scheduler (none) the kernel takes no more than "
            "the hardware queue has places for (“Invalid argument” beyond that). Where it refuses "
            f"{depth}, the adapter's own queue is the limit: a parameter of its driver, or several "
            "adapters"
        )
    return (
        f"`echo {2 * depth} > {file}`, which needs a scheduler at work (not none); more requests "
        "waiting means longer latency for each"
    )


def _more_in_flight(case: EvidenceSet) -> Iterable[Finding]:
    """Loads that keep more in flight than the disks under them take."""
    by_name: dict[tuple[str, str], list[StateEvidence]] = {}
    for state in case.of_kind("disk"):
        by_name.setdefault((state.source, state.name), []).append(state)
    case_arrays = CaseArrays(case)
    for trial in case.trials if by_name else ():
        load = case_arrays.load(trial)
        engine = str(trial.options.get("ioengine") or "")
        if not load.flying or not load.direct or engine in _WAITING:
            continue
        disks = _disks(trial, by_name)
        depths = [_number(disk.values.get("queue_depth")) for disk in disks]
        whole = sum(depth for depth in depths if depth)
        if not disks or not all(depths) or load.flying <= whole:
            continue
        names = ", ".join(disk.name for disk in disks)
        takes = "takes" if len(disks) == 1 else "take"
        yield Finding(
            rule="queue-depth",
            severity="note",
            subject=names,
            message=f"The load keeps {load.flying} I/Os in flight, but {names} {takes} {whole} at "
            f"once: {load.flying - whole} wait in the block layer, and their waiting is in the "
            "latency, not in the throughput.",
            evidence=(
                Evidence("I/Os in flight (iodepth × jobs)", load.flying, "", load.where),
                *(
                    Evidence(f"queue_depth of {disk.name}", depth, "", disk.where)
                    for disk, depth in zip(disks, depths, strict=True)
                ),
            ),
            remedy=f"measure latency with at most {whole} in flight; a deeper queue of the device "
            f"(/sys/block/{_sysfs(disks[0].name)}/device/queue_depth) only where it allows one",
            confirm="the same load at half the depth: equal IOPS at about half the latency",
        )


def _disks(
    trial: TrialEvidence, by_name: Mapping[tuple[str, str], Sequence[StateEvidence]]
) -> list[StateEvidence]:
    """The disks under a trial, where all of them are known."""
    names = [device.removeprefix("/dev/") for kind, device in trial.stands_on if kind == "disk"]
    if not trial.stands_on:
        names = [trial.target.removeprefix("/dev/")]
    under = [
        next((state for state in by_name.get((trial.source, name), ()) if near(state, trial)), None)
        for name in dict.fromkeys(names)
    ]
    disks = [disk for disk in under if disk is not None]
    return disks if len(disks) == len(under) else []


def _read_ahead_judged(case: EvidenceSet) -> Iterable[Finding]:
    """Read-ahead that was varied while nothing was read."""
    groups: dict[tuple[str, str], list[TrialEvidence]] = {}
    for trial in case.trials:
        groups.setdefault((trial.source, trial.heading), []).append(trial)
    for (_, heading), trials in groups.items():
        seen: dict[str, set[str]] = {}
        for trial in trials:
            for name, value in trial.settings.items():
                if name.rpartition(".")[2] in {"read_ahead", "read_ahead_kb"}:
                    seen.setdefault(name, set()).add(str(value))
        varied = any(len(values) > 1 for values in seen.values())  # of one device
        reads = any(
            "read" in name or name.startswith("copy.")  # of dd, which reads and writes then
            for trial in trials
            for name in trial.metrics
        )
        if varied and not reads:
            yield Finding(
                rule="read-ahead",
                severity="warning",
                subject=heading or trials[0].label,
                message="Read-ahead was varied under a load that only writes; it acts on reads, so "
                "whatever differs between these results is not its effect.",
                evidence=tuple(
                    Evidence(trial.label, trial.mean(trial.headline), _unit(trial), trial.where)
                    for trial in trials
                ),
                remedy="judge read-ahead by sequential reads of several streams, and by random "
                "reads, which it may slow down",
                confirm="the same options under a read load",
            )


def _unit(trial: TrialEvidence) -> str:
    return trial.metrics[trial.headline].unit if trial.headline else ""


def _short_read_ahead(case: EvidenceSet) -> Iterable[Finding]:
    """Read-ahead that keeps only some members of an array busy."""
    case_arrays = CaseArrays(case)
    striped = [array for array in case_arrays.arrays if array.stripe]
    aheads = _aheads(case)
    for array in striped:
        ahead = _number(array.values.get("read_ahead_kb"))
        traits = array_traits(array.kind)
        if array.kind in LAYERS and traits and not traits.in_group and ahead is not None:
            yield from _too_short(array.name, ahead, array.where, array)
    for trial in case.trials if striped else ():
        load = case_arrays.load(trial)
        if not load.reads or load.random is not False or load.direct:
            continue
        top = _ahead_of(trial, aheads)
        for array in (
            [array for array in case_arrays.under(trial) if array.stripe][-1:] if top else ()
        ):
            if top and top.name != array.name:
                ahead = _number(top.values["read_ahead_kb"]) or 0
                yield from _too_short(top.name, ahead, top.where, array)


def _aheads(case: EvidenceSet) -> dict[tuple[str, str], StateEvidence]:
    """(source, name) → the last state that tells the read-ahead of a device."""
    return {
        (state.source, state.name): state
        for state in case.with_value("read_ahead_kb")
        if _number(state.values["read_ahead_kb"]) is not None
    }


def _ahead_of(
    trial: TrialEvidence, aheads: Mapping[tuple[str, str], StateEvidence]
) -> StateEvidence | None:
    """What tells the read-ahead that counts for a trial: the topmost device's."""
    for name in [device for _, device in trial.stands_on] or [trial.target]:
        state = aheads.get((trial.source, name.removeprefix("/dev/")))
        if state is not None and near(state, trial):
            return state
    return None


def _too_short(name: str, ahead: int, where: str, array: Array) -> Iterable[Finding]:
    stripe = array.stripe or 0
    if ahead * units.KIB >= stripe:
        return
    below = "its stripe" if name == array.name else f"the stripe of {array.name}"
    yield Finding(
        rule="read-ahead",
        severity="note",
        subject=name,
        message=f"{name} reads {units.show_bytes(ahead * units.KIB)} ahead, less than {below} of "
        f"{units.show_bytes(stripe)}: one sequential reader keeps only some members busy.",
        evidence=(
            Evidence("read_ahead_kb", ahead * units.KIB, "B", where),
            Evidence("stripe", stripe, "B", array.where),
        ),
        remedy=f"`echo {2 * stripe // units.KIB} > /sys/block/{_sysfs(name)}/queue/read_ahead_kb`; "
        "small random reads through the page cache get dearer",
        confirm="one buffered sequential reader with both",
    )


def _interrupts(case: EvidenceSet) -> Iterable[Finding]:
    """Lines that a NIC and a controller share, and CPUs that serve all of them."""
    tables: dict[tuple[str, str], list[tuple[list[int], str]]] = {}
    for counters in case.counted("interrupts"):
        devices = [str(device) for device in _listed(counters.values.get("devices"))]
        counts = [int(str(count)) for count in _listed(counters.values.get("counts"))]
        links = [device for device in devices if _LINK.match(device)]
        stores = [device for device in devices if _STORAGE.match(device)]
        if links and stores:
            yield Finding(
                rule="shared-interrupts",
                severity="warning",
                subject=f"interrupt {counters.name}",
                message=f"{links[0]} and {stores[0]} share interrupt {counters.name}: every packet "
                "asks the controller's driver too, and the other way round.",
                evidence=(Evidence("devices", ", ".join(devices), "", counters.where),
                          Evidence("interrupts", sum(counts), "", counters.where)),
                remedy="move one card to another slot, or let its driver use MSI-X.",
                confirm="/proc/interrupts under load: each has a line of its own",
            )  # fmt: skip
        if any(_BUSY.match(device) for device in devices):
            tables.setdefault((counters.host, counters.where), []).append((counts, counters.source))
    for (host, where), lines in tables.items():
        served = _one_cpu([counts for counts, _ in lines], where, host or lines[0][1])
        if served is not None:
            yield served


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _one_cpu(lines: Sequence[Sequence[int]], where: str, subject: str) -> Finding | None:
    """One CPU that serves several busy lines, which others could serve."""
    total = sum(map(sum, lines))
    busy = [counts for counts in lines if sum(counts) >= _BUSY_SHARE * total]
    sums = [sum(counts) for counts in zip(*busy, strict=False)]
    if total < _MANY or len(busy) < 2 or len(sums) < 2 or max(sums) <= _ONE_SIDED * total:
        return None
    busiest = sums.index(max(sums))
    return Finding(
        rule="shared-interrupts",
        severity="warning",
        subject=subject,
        message=f"CPU {busiest} served {units.show_fraction(max(sums) / total)} of all interrupts "
        f"of disks and network cards, which come by {len(busy)} busy lines; the other CPUs stand "
        "by.",
        evidence=(
            Evidence(f"interrupts at CPU {busiest}", max(sums), "", where),
            Evidence("interrupts at all CPUs", total, "", where),
        ),
        remedy="start irqbalance, or set /proc/irq/N/smp_affinity by hand; a line that moves finds "
        "cold caches at first",
        confirm="the same table after a minute under load",
    )


_QUEUE = "Linux Documentation/block/switching-sched.rst, queue-sysfs.rst; block/blk-mq.c"
RULES = (
    Rule("scheduler", "disk", "Fair queueing before arrays and flash, and names of old kernels.",
         _QUEUE, _schedulers),
    Rule("queue-depth", "disk", "Fewer requests kept than the device can take.", _QUEUE, _depths),
    Rule("queue-depth", "disk, fio", "More I/Os in flight than the disks take at once.", _QUEUE,
         _more_in_flight),
    Rule("read-ahead", "all loads", "Read-ahead judged by a load that only writes.", _QUEUE,
         _read_ahead_judged),
    Rule("read-ahead", "md, hwraid", "Read-ahead shorter than a stripe.", _QUEUE,
         _short_read_ahead),
    Rule("shared-interrupts", "disk, link", "Interrupts that are shared, or all served by one CPU.",
         "proc(5), /proc/interrupts; Linux core-api/irq/irq-affinity.rst", _interrupts),
)  # fmt: skip
