"""Rules that check a trial's figures against each other, within the digits that were printed.

Source:
    fio HOWTO, "Interpreting the output"; fio 3.x, stat.c (percentiles are of bins 1/64 wide).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from iosonde import units
from iosonde.loads._rules.in_flight import RULES as IN_FLIGHT
from iosonde.loads._rules.in_flight import directions_of, jobs_of, waits
from iosonde.loads._rules.page_cache import run_times, sample_mean
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Json

_BIN = 1 / 64
_SLACK = 0.01  # fio divides by times of its own that it does not print
_BURST = 1.1
_BUSY = 0.95
_SEVERAL = 1.5  # cores of a job: it has threads of its own, and how many is not known
_SAMPLE = 0.5  # seconds, fio's bwavgtime
_FEW = 5
"""I/Os of a job in a sample, of which by chance hardly any has none (Poisson: 0.7 %)."""
_PERCENTILE = re.compile(r"\.latency\.p(\d+)(?:_(\d+))?$")


def _directions(trial: TrialEvidence) -> Iterator[str]:
    for direction in ("read", "write", "trim"):
        if trial.mean(f"{direction}.iops") or trial.mean(f"{direction}.bandwidth"):
            yield direction


def _differ(figure: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two figures, each with half of its last digit, cannot be the same.

    A whole digit is allowed, as tools cut digits off as well as rounding them: 46.9 is printed 46.
    """
    (a, of_a), (b, of_b) = figure, other
    return abs(a - b) > 2 * (of_a + of_b) + _SLACK * max(abs(a), abs(b))


def _contradictions(case: EvidenceSet) -> Iterable[Finding]:
    for trial in case.trials:
        for direction in directions_of(trial):
            checks = (_rates, _amounts, _quotients, _latencies)
            for said, evidence in (
                contradiction for check in checks for contradiction in check(trial, direction)
            ):
                yield Finding(
                    rule="contradiction", severity="warning", subject=_named(trial),
                    message=f"{said}: at least one of the figures is not what it says.",
                    evidence=tuple(evidence),
                    remedy="Do not use these figures before the cause is known; look for a copying "
                    "error, or a tool that counted something else.",
                    confirm="measure again and compare the tool's own JSON output",
                )  # fmt: skip


def _named(trial: TrialEvidence) -> str:
    """What a trial is called: rows of one table share its heading."""
    is_row = trial.tool == "table" and trial.job and trial.job not in trial.label
    return f"{trial.label}: {trial.job}" if is_row else trial.label


def _rates(trial: TrialEvidence, direction: str) -> Iterator[tuple[str, list[Evidence]]]:
    """IOPS × block size against bandwidth; I/Os ÷ time against IOPS; both of the first loop."""
    iops, bandwidth = (_first(trial, f"{direction}.{name}") for name in ("iops", "bandwidth"))
    size, issued = trial.options.get("bs"), trial.issued.get(direction)
    seconds = next(iter(run_times(trial)), None)
    if iops and bandwidth and isinstance(size, int) and "bsrange" not in trial.options:
        product = (iops[0] * size, iops[1] * size)
        carried = _carried(trial) / seconds if seconds else 0.0
        if _differ(product, (bandwidth[0], bandwidth[1] + carried / 2)):
            yield (
                f"{direction}: IOPS × block size is not the bandwidth",
                [
                    Evidence(f"{direction}.iops × bs", product[0], "B/s", "computed"),
                    Evidence(f"{direction}.bandwidth", bandwidth[0], "B/s", trial.where),
                ],
            )
    if iops and issued and seconds and len(list(directions_of(trial))) == 1:
        rate = issued / seconds
        if _differ((rate, 0.0), iops):
            yield (
                f"{direction}: I/Os issued ÷ time is not the IOPS",
                [
                    Evidence(f"{direction}s issued ÷ {seconds:g} s", rate, "1/s", "computed"),
                    Evidence(f"{direction}.iops", iops[0], "1/s", trial.where),
                ],
            )


def _carried(trial: TrialEvidence) -> float:
    """Bytes that were in flight when a ramp ended: fio counts them, but not their I/Os.

    Source: fio 3.x, libfio.c, reset_all_stats(), which clears counts while I/Os are under way.
    """
    size, depth, jobs = trial.options.get("bs"), trial.options.get("iodepth"), jobs_of(trial)
    if trial.command and "ramp_time" not in trial.command:
        return 0.0
    return (
        float(size * depth * (jobs or 1))
        if isinstance(size, int) and isinstance(depth, int)
        else 0.0
    )


def _quotients(trial: TrialEvidence, direction: str) -> Iterator[tuple[str, list[Evidence]]]:
    """The rate that stands beside bytes and seconds, where it is not what these come to."""
    said, value = _number(trial.details, "printed_bandwidth"), trial.mean(f"{direction}.bandwidth")
    if said and value:
        yield (
            f"{direction}: bytes ÷ seconds are {units.show_bandwidth(value)}, and "
            f"{units.show_bandwidth(said)} stands beside them",
            [
                Evidence("bytes ÷ seconds", value, "B/s", "computed"),
                Evidence(f"{direction}.bandwidth as printed", said, "B/s", trial.where),
            ],
        )


def _amounts(trial: TrialEvidence, direction: str) -> Iterator[tuple[str, list[Evidence]]]:
    """What was moved in all against I/Os × block size, and against bandwidth × time."""
    moved = _detail(trial, "moved", direction)
    amount, grain = _number(moved, "bytes"), _number(moved, "step") or 0.0
    if not amount:
        return
    size, issued = trial.options.get("bs"), trial.issued.get(direction)
    whole = issued * size if issued and isinstance(size, int) else 0
    if (
        whole
        and "bsrange" not in trial.options
        and _differ((whole, 0.0), (amount, grain + _carried(trial) / 2))
    ):
        yield (
            f"{direction}: I/Os issued × block size is not what was moved",
            [
                Evidence(f"{direction}s issued × bs", whole, "B", "computed"),
                Evidence(f"{direction}: moved in all", amount, "B", trial.where),
            ],
        )
    bandwidth, seconds = _first(trial, f"{direction}.bandwidth"), _number(moved, "seconds")
    if bandwidth and seconds:
        product = (bandwidth[0] * seconds, bandwidth[1] * seconds)
        if _differ(product, (amount, grain)):
            yield (
                f"{direction}: bandwidth × time is not what was moved",
                [
                    Evidence(f"{direction}.bandwidth × {seconds:g} s", product[0], "B", "computed"),
                    Evidence(f"{direction}: moved in all", amount, "B", trial.where),
                ],
            )


def _detail(trial: TrialEvidence, name: str, direction: str) -> Mapping[str, Json]:
    every = trial.details.get(name)
    figures = every.get(direction) if isinstance(every, dict) else None
    return figures if isinstance(figures, dict) else {}


def _number(values: Mapping[str, Json], name: str) -> float | None:
    value = values.get(name)
    return float(value) if isinstance(value, int | float) else None


def _first(trial: TrialEvidence, metric: str) -> tuple[float, float] | None:
    """The first loop's figure and half of its last digit."""
    figures = trial.metrics.get(metric)
    return (figures.loops[0], trial.steps.get(metric, 0.0)) if figures else None


def _latencies(trial: TrialEvidence, direction: str) -> Iterator[tuple[str, list[Evidence]]]:
    """Percentiles rise, and lie between the least and the greatest latency."""
    percentiles = []
    for name in trial.metrics:
        match = _PERCENTILE.search(name)
        figure = _first(trial, name) if match and name.startswith(f"{direction}.") else None
        if match and figure:
            percentiles.append((float(f"{match[1]}.{match[2] or 0}"), name, *figure))
    percentiles.sort()
    for (_, low, a, of_a), (_, high, b, of_b) in pairwise(percentiles):
        if a > b + of_a + of_b + _BIN * b:
            yield f"{direction}: {low} is above {high}", [
                Evidence(low, a, "s", trial.where), Evidence(high, b, "s", trial.where),
            ]  # fmt: skip
    clat = _detail(trial, "latency", direction).get("clat")
    least = _number(clat, "min") if isinstance(clat, dict) else None
    if (
        least
        and percentiles
        and percentiles[0][2] < least * (1 - _BIN) - percentiles[0][3] - _grain(least)
    ):
        yield (
            f"{direction}: {percentiles[0][1]} is below the least latency",
            [
                Evidence(percentiles[0][1], percentiles[0][2], "s", trial.where),
                Evidence(f"{direction}: least completion latency", least, "s", trial.where),
            ],
        )
    top = _first(trial, f"{direction}.latency.max")
    if top and percentiles:
        _, name, value, step = percentiles[-1]
        if value > top[0] + top[1] + step + _BIN * value:
            yield (
                f"{direction}: {name} is above the greatest latency",
                [
                    Evidence(name, value, "s", trial.where),
                    Evidence(f"{direction}.latency.max", top[0], "s", trial.where),
                ],
            )
    mean = _first(trial, f"{direction}.latency.mean")
    if top and mean and mean[0] > top[0] + top[1] + mean[1]:
        yield (
            f"{direction}: the mean latency is above the greatest",
            [
                Evidence(f"{direction}.latency.mean", mean[0], "s", trial.where),
                Evidence(f"{direction}.latency.max", top[0], "s", trial.where),
            ],
        )


def _grain(seconds: float) -> float:
    """The unit in which fio prints a least latency: whole milli-, micro- or nanoseconds."""
    for unit in (1e-3, 1e-6):
        if abs(seconds / unit - round(seconds / unit)) < 1e-6:
            return unit
    return 1e-9


def _bursts(case: EvidenceSet) -> Iterable[Finding]:
    for trial in case.trials:
        for direction in directions_of(trial):
            samples = sample_mean(trial.details, "bw_samples", direction)
            mean = trial.mean(f"{direction}.bandwidth")
            if not samples or not mean or samples < _BURST * mean:
                continue
            jobs = jobs_of(trial) or 1
            if _is_sampled_too_often(trial, direction, jobs):
                continue
            idle = units.show_fraction(1 - mean / samples)
            yield Finding(
                rule="contradiction",
                severity="warning",
                subject=trial.label,
                message=(
                    f"fio's samples of the {direction} bandwidth average "
                    f"{units.show_bandwidth(samples)}, {samples / mean:.2f} times the "
                    f"{units.show_bandwidth(mean)} over the whole time: "
                    + (
                        f"for {idle} of it next to nothing was done, in stalls or in the final "
                        "flush."
                        if jobs == 1
                        else f"its {jobs} jobs did next to nothing for {idle} of it, in stalls, in "
                        "the final flush, or as some ended before the others."
                    )
                ),
                evidence=(
                    Evidence("mean of the samples", samples, "B/s", trial.where),
                    Evidence("bandwidth over the whole time", mean, "B/s", trial.where),
                ),
                remedy="Quote neither as a steady speed; measure with direct I/O, or long enough "
                "for a steady state, and look at the seconds.",
                confirm="--write_bw_log with --log_avg_msec=1000 shows the seconds without I/O",
            )


def _is_sampled_too_often(trial: TrialEvidence, direction: str, jobs: int) -> bool:
    """Whether a job completes so little in a sample that some are empty by chance.

    fio leaves empty ones out (stat.c, __add_samples(): "No entries for interval").
    """
    iops = trial.mean(f"{direction}.iops")
    return iops is not None and iops / jobs * _SAMPLE < _FEW


def _generator(case: EvidenceSet) -> Iterable[Finding]:
    for trial in case.trials:
        jobs = jobs_of(trial)
        user, system = trial.mean("cpu.user"), trial.mean("cpu.system")
        if user is None or system is None or jobs is None or trial.headline == "elapsed":
            continue  # of a program that is timed as a whole nothing says how its I/O is made
        # fio gives the share of one core that a job took on average, combine.py their sum.
        used = (user + system) / max(jobs, 1)
        if not _BUSY <= used < _SEVERAL or (system > user and waits(trial, jobs)):
            continue
        yield Finding(
            rule="load-generator-limit",
            severity="warning",
            subject=trial.label,
            message=(
                f"Each job of the load used {units.show_fraction(used)} of a core, so the tool was "
                "the limit, not the storage: a faster device would not be faster here."
            ),
            evidence=(
                Evidence("cpu.user + cpu.system of a job", used, "cores", trial.where),
                Evidence("jobs", jobs, "", trial.where),
            ),
            remedy="Use more jobs (--numjobs), a cheaper engine (io_uring) or larger blocks.",
            confirm="the rate rises with the number of jobs",
        )


_FIO = "fio HOWTO, Interpreting the output; fio 3.x, stat.c"
RULES = (
    Rule("contradiction", "fio", "Figures of one trial that cannot all be true: IOPS × size and "
         "bandwidth, I/Os and time, what was moved, percentiles, mean and extremes.", _FIO,
         _contradictions),
    Rule("contradiction", "fio", "Samples far above the mean over the whole time: stalls, or a "
         "final flush.", _FIO, _bursts),
    *IN_FLIGHT,
    Rule("load-generator-limit", "fio", "A load whose jobs use up their cores.",
         "fio HOWTO, cpu: usr, sys", _generator),
)  # fmt: skip
