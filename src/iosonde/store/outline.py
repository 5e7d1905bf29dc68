"""Computes what `list` shows of a run from its rows, when it ends or is first listed.

By plain SQL, as lines.py reads: the first list of an old store waits for no library either.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from iosonde.exact import from_json, restored, storable
from iosonde.records.run import Metric, RunState
from iosonde.records.stack import Capture, Gap, HostFacts, Scalar, StackLayer
from iosonde.statistics.direction import headline_among, higher_is_better
from iosonde.statistics.estimates import summarise
from iosonde.store.deflated import inflated
from iosonde.store.lines import Query, RunOutline, packed_settings, select_in

_LOOKED_AT = 20  # trials, for one that has figures
_NAMED = 20  # targets and loads that are kept


def outline_of(query: Query, run: str) -> RunOutline:
    """What a run is about, without a look at more loops than those of one load."""
    trials = query(
        "SELECT id, host, probe, load FROM trials WHERE run = :run ORDER BY position", {"run": run}
    )
    # Of version 0 are those that no parser could read.
    counted = "SELECT count(*) FROM loops WHERE run = :run AND parser_version > 0"
    named = [
        (str(trial), (host, probe), json.loads(restored(load))["name"])
        for trial, host, probe, load in trials
    ]
    return RunOutline(
        trials=len(trials),
        loops=query(counted, {"run": run})[0][0],
        hosts=tuple(sorted({restored(host) for _, host, _, _ in trials})),
        targets=_first(restored(probe) for _, _, probe, _ in trials),
        loads=_first(load for _, _, load in named),
        headline=_headline_of(query, run, named),
    )


def computed(query: Query, runs: Sequence[str]) -> dict[str, RunOutline]:
    """The outlines of those runs that are there."""
    there = select_in(query, "SELECT id FROM runs WHERE id IN ({})", runs)
    return {run: outline_of(query, run) for (run,) in there}


def first_capture(query: Query, run: str) -> tuple[Capture, str, str] | None:
    """The capture of a run's first trial, with host and path of its target; None: it has none.

    Raises:
        ValueError, TypeError, KeyError: it is not what `rows.trial_row` wrote.
    """
    rows = query(
        "SELECT target, capture FROM trials WHERE run = :run ORDER BY position LIMIT 1",
        {"run": run},
    )
    if not rows or rows[0][1] is None:
        return None
    target, content = from_json(restored(rows[0][0])), from_json(inflated(rows[0][1]))
    capture = Capture(
        taken=content["taken"],
        hosts=tuple(HostFacts(**host) for host in content["hosts"]),
        layers=tuple(_layer(**layer) for layer in content["layers"]),
        host_wide=content.get("host_wide", {}),
        gaps=tuple(Gap(**gap) for gap in content.get("gaps", ())),
    )
    return capture, target["host"], target["path"]


def keep(query: Query, run: str) -> None:
    """Compute the outline of a run that has ended, and keep it."""
    forget(query, run)
    _insert(query, run, outline_of(query, run))


def keep_all(
    query: Query,
    outlines: Mapping[str, RunOutline],
    state: Callable[[str, str, str], RunState],
) -> None:
    """Keep the outlines of those runs that have ended meanwhile and have none.

    Args:
        query: that writes.
        outlines: by the id of the run.
        state: how a run stands, by its id, its stored state and its owner.
    """
    ids = list(outlines)
    kept = {run for (run,) in select_in(query, "SELECT run FROM outlines WHERE run IN ({})", ids)}
    sql = "SELECT id, state, owner FROM runs WHERE id IN ({})"
    for run, stored, owner in list(select_in(query, sql, ids)):
        if run not in kept and state(run, stored, restored(owner)) is not RunState.RUNNING:
            _insert(query, run, outlines[run])


def keep_settings(query: Query, settings: Mapping[str, Mapping[str, Scalar]]) -> None:
    """Keep beside the outlines what was set when the runs were measured."""
    for run, values in settings.items():
        query(
            "UPDATE outlines SET settings = :settings WHERE run = :run",
            {"run": run, "settings": packed_settings(values)},
        )


def forget(query: Query, run: str) -> None:
    """A run goes on: its outline will be another."""
    query("DELETE FROM outlines WHERE run = :run", {"run": run})


def _insert(query: Query, run: str, outline: RunOutline) -> None:
    query(
        "INSERT INTO outlines (run, content) VALUES (:run, :content)",
        {"run": run, "content": storable(outline.to_text())},
    )


def _layer(*, below: Sequence[str], hazards: Sequence[str], **rest: Any) -> StackLayer:
    return StackLayer(below=tuple(below), hazards=tuple(hazards), **rest)


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:_NAMED]


def _headline_of(
    query: Query, run: str, trials: Sequence[tuple[str, tuple[str, str], str]]
) -> Metric | None:
    """What the first line of a run says of its first load that has figures.

    Of several targets at the same time that is what all did together, else the slowest. Of arms,
    candidates and imported results the first stands for all.

    Args:
        query: of the store.
        run: its id.
        trials: id, place and name of the load of each, in their order.
    """
    by_load: dict[str, dict[str, tuple[str, str]]] = {}
    for trial, place, load in trials:
        by_load.setdefault(load, {})[trial] = place
    study = _study(query, run) if len(by_load) < len(trials) else None
    for places in list(by_load.values())[:_LOOKED_AT]:
        ids = list(places)
        is_of_targets = study is not None and len(set(places.values())) == len(ids)
        each = (results for trial in ids if (results := _results(query, run, trial)))
        if study is not None and is_of_targets and not study.get("interleave"):
            headline = _of_targets(list(each), len(ids), joint=_is_joint(study))
        else:
            headline = next(filter(None, map(_headline, map(_listed, each))), None)
        if headline:
            return headline
    return None


def _study(query: Query, run: str) -> Mapping[str, Any] | None:
    """As it was measured; None: the run is none of a study."""
    ((plan,),) = query("SELECT plan FROM runs WHERE id = :run", {"run": run})
    study = from_json(restored(plan)).get("study")
    return study if isinstance(study, dict) else None


def _is_joint(study: Mapping[str, Any]) -> bool:
    """As `iosonde.measure.combine.joint_sheets` has it."""
    return bool(study.get("simultaneous") or study.get("together"))


_Results = Mapping[int, dict[str, Any]]


def _of_targets(each: Sequence[_Results], targets: int, *, joint: bool) -> Metric | None:
    """Of one load at its targets: the sum where they ran together, else the slowest."""
    if joint and len(each) == targets > 1:
        shared = sorted(set.intersection(*(set(results) for results in each)))
        together = _headline([_summed([results[at] for results in each]) for at in shared])
        if together:
            return together
    figures = [headline for results in each if (headline := _headline(_listed(results)))]
    same = [headline for headline in figures if headline.name == figures[0].name]
    if not same:
        return None
    worst = min if higher_is_better(same[0].name) else max
    return worst(same, key=lambda headline: headline.mean)


def _listed(results: _Results) -> list[dict[str, Any]]:
    return list(results.values())


def _summed(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The rates of one loop of all targets, added up."""
    names = [name for name in results[0]["metrics"] if name.endswith((".iops", ".bandwidth"))]
    values = {name: [result["metrics"].get(name) for result in results] for name in names}
    rates = {name: sum(some) for name, some in values.items() if None not in some}
    return {"metrics": rates, "units": results[0]["units"]}


def _results(query: Query, run: str, trial: str) -> dict[int, dict[str, Any]]:
    """What the loops of a trial gave that count, by their index."""
    rows = query(
        'SELECT "index", result FROM loops WHERE run = :run AND trial = :trial ORDER BY "index"',
        {"run": run, "trial": trial},
    )
    results = {index: json.loads(inflated(result)) for index, result in rows}
    return {
        index: result for index, result in results.items()
        if not result.get("unread") and not result.get("left_out")
    }  # fmt: skip


def _headline(results: Sequence[dict[str, Any]]) -> Metric | None:
    """The metric that stands for a trial, over its loops; None where it has no figures."""
    values: dict[str, list[float]] = {}
    for result in results:
        for name, value in result["metrics"].items():
            if value is not None:
                values.setdefault(name, []).append(value)
    headline = headline_among({name: sum(some) / len(some) for name, some in values.items()})
    if not headline:
        return None
    units = {name: unit for result in results for name, unit in result["units"].items()}
    return summarise(headline, units.get(headline, ""), values[headline])
