"""A study made ready: its loads understood, its trials in the order they are run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from pathlib import Path
from typing import Any, cast

from iosonde.errors import UsageError
from iosonde.hosts.become import become_everywhere
from iosonde.inputs import read_declaration_file
from iosonde.loads import FLEETS, LOADS
from iosonde.loads.named import declare_loads
from iosonde.measure.interleave import Interleave
from iosonde.measure.layer_points import probe_points, stack_of
from iosonde.measure.study import ProbePoint, Study
from iosonde.records.load import Load
from iosonde.records.stack import Json
from iosonde.stack.declare import read_tree

BECOME = "become"
"""Where in the plan of a run stands what makes root on its hosts."""


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial to come. `id` is stable, so that a resumed run finds it again.

    Of a study whose arms are taken in turns, `arm` names one of them, and `pair` is what it has in
    common with the trial of the other: load and place, empty where that is what differs.
    """

    id: str
    probe: ProbePoint
    load: Load
    arm: str = ""
    pair: tuple[str, str] = ("", "")
    values: Mapping[str, str] = field(default_factory=dict)
    """Settings of the arm, by the names that the study has for them."""

    @property
    def place(self) -> str:
        """What trials share that are prepared once: their probe point's name without its arm."""
        return self.pair[1] or self.probe.name

    def touches(self) -> tuple[bool, int]:
        """Whether the trial writes, and how many bytes of its target it touches."""
        demand = LOADS.load(self.load.engine)().demand(self.load)
        return demand.writes, demand.size or 0

    def is_below(self, sector: int) -> bool:
        """Whether its smallest I/O past the page cache is smaller than a sector, in bytes."""
        demand = LOADS.load(self.load.engine)().demand(self.load)
        return demand.direct and demand.block is not None and demand.block < sector


@dataclass(frozen=True, slots=True)
class Plan:
    """A study made ready: loads understood, trials in order.

    `rounds` are the trials that run together: one each, or all targets of a load where the study
    says simultaneous or together. `name` is the run's.
    """

    study: Study
    rounds: tuple[tuple[PlannedTrial, ...], ...]
    name: str = ""

    def document(self) -> dict[str, Json]:
        """The plan as JSON, from which `resume` makes the same plan whatever files changed.

        `become` is what makes root on every host over ssh (`--become`), where anything does.
        """
        way = become_everywhere()
        loads = {trial.load.name: trial.load for part in self.rounds for trial in part}
        return {
            "study": cast("Json", self.study.model_dump(mode="json")),
            "loads": [
                {"engine": load.engine, "name": load.name, "spec": dict(load.spec),
                 "about": load.about, **(
                     {"matrix": dict(load.matrix), "varied_from": load.varied_from}
                     if load.matrix else {}
                 )}
                for load in loads.values()
            ],
            **({BECOME: way} if way else {}),
        }  # fmt: skip


def make_plan(study: Study, *, where: str) -> Plan:
    """The trials of a study, in the order they are run.

    Args:
        study: as declared.
        where: its file, or "command line".

    Raises:
        UsageError: a load cannot be understood, or two trials would be the same.
    """
    directory = Path(where).parent if Path(where).is_file() else Path()
    loads = [
        load
        for number in range(len(study.loads))
        for load in _declared_loads(study, number, where, directory)
    ]
    loads = [_resized(load, study.size, where) for load in loads]
    _refuse_twins([load.name for load in loads], "load", where)
    _check_required(study, loads, where)
    return _arranged(_located(study, directory), loads)


def _check_required(study: Study, loads: Sequence[Load], where: str) -> None:
    """Some load must give each metric that is required, as far as that is seen beforehand.

    Raises:
        UsageError: no load has figures of such a direction.
    """
    demands = [LOADS.load(load.engine)().demand(load) for load in loads]
    if not all(demand.directions for demand in demands):
        return
    given = list(dict.fromkeys(way for demand in demands for way in demand.directions))
    for metric in study.require:
        if metric.partition(".")[0] not in given:
            raise UsageError(
                f"no load gives {metric}: their figures are of {', '.join(given)}",
                where=f"{where}, require", hint=f"require a metric such as {given[0]}.iops",
            )  # fmt: skip


def _declared_loads(study: Study, number: int, where: str, directory: Path) -> list[Load]:
    """An entry of `loads`: one load, or all points of a matrix."""
    entry = study.loads[number]
    place = f"{where}, loads[{number}]"
    try:
        return declare_loads(
            entry, where=place, directory=directory, loops=study.loops, seconds=study.seconds
        )
    except UsageError as problem:
        key = problem.where.rpartition(", ")[2]
        if isinstance(entry, Mapping) and problem.where.startswith(place) and _has_lists(entry):
            line = _line_of(where, number, entry, key)
            problem.where = problem.where.replace(where, f"{where}{line}", 1)
        raise


def _has_lists(entry: Mapping[str, Any]) -> bool:
    return any(
        isinstance(value, list) or (isinstance(value, Mapping) and _has_lists(value))
        for value in entry.values()
    )


def _line_of(file: str, number: int, entry: Mapping[str, Any], key: str) -> str:
    """`:7`, the line of a load's key in a study's file; nothing where it does not stand there."""
    if not Path(file).is_file():
        return ""
    tree = read_tree(read_declaration_file(Path(file), "the study"), file)
    if tree.values.get("loads", [])[number : number + 1] != [entry]:
        return ""  # the load is of the command line
    inner = next((name for name, value in entry.items() if isinstance(value, Mapping)), "")
    path: list[str | int] = ["loads", number, *([inner] if inner else []), key]
    return tree.wrong(path, "").where.removeprefix(file)


def _resized(load: Load, size: int | None, where: str) -> Load:
    """A load that says how much of the target it touches, held to the study's size."""
    engine = LOADS.load(load.engine)()
    if size is None or engine.demand(load).size is None:
        return load
    return engine.adjust(load, {"size": str(size)}, where=where)


def plan_again(document: Mapping[str, Json]) -> Plan:
    """The plan that `Plan.document` kept, with the probe points that it was measured at.

    Those were placed when the plan was made. What they are now is not for the path to say: that of
    a layer is empty until the layer stands (see `Stages.ready`).
    """
    study = Study.model_validate(document["study"])
    loads = [Load(**cast("dict[str, Any]", load)) for load in cast("list[Json]", document["loads"])]
    return _arranged(study, loads)


def _located(study: Study, directory: Path) -> Study:
    """The study as declared, with its probe points placed: by its targets, or at its layers."""
    if study.stack and study.targets:
        raise UsageError(
            "`targets` and the layers of a `stack` cannot be measured in one study",
            where="targets",
            hint="leave out `targets` (--target), or `stack` and `at`",
        )
    if study.stack:
        probes = probe_points(study, stack_of(study, directory))
        file = str((directory / study.stack).absolute())
        return study.model_copy(update={"targets": probes, "stack": file})
    probes = [_placed(probe, directory) for probe in study.targets]
    return study.model_copy(update={"targets": probes})


def _arranged(placed: Study, loads: list[Load]) -> Plan:
    """The trials of a study whose probe points are placed, in the order they are run."""
    probes = placed.targets
    _refuse_twins([probe.name for probe in probes], "target", "targets")
    trials = [
        [PlannedTrial(f"{load.name}@{probe.name}", probe, load) for probe in probes]
        for load in loads
    ]
    matrices = [
        list(trials) for _, trials in
        groupby(trials, lambda part: part[0].load.varied_from or part[0].load.name)
    ]  # fmt: skip
    if placed.stack:  # all loads at a layer before the next one is built on it
        return Plan(
            placed, tuple((part[number],) for number in range(len(probes)) for part in trials)
        )
    if placed.together:
        for load in loads:
            FLEETS.load(load.engine)().check(load, where=f"load {load.name}")
    if placed.simultaneous or placed.together:
        return Plan(placed, tuple(tuple(part) for part in trials))
    if placed.interleave:
        return Plan(placed, tuple((arm,) for arm in _arms(placed, placed.interleave, loads)))
    return Plan(
        placed,
        tuple(
            (part[number],)
            for points in matrices for number in range(len(probes)) for part in points
        ),
    )  # fmt: skip


def _arms(placed: Study, arms: Interleave, loads: list[Load]) -> Iterator[PlannedTrial]:
    """The trials of a study that is measured in turns; those of a pair follow each other."""
    probes = placed.targets
    if arms.of == "settings":
        groups = groupby(loads, lambda load: load.varied_from or load.name)
        for points in [list(group) for _, group in groups]:
            for probe, load in product(probes, points):
                yield from _arms_of(arms, probe, load)
    elif arms.of == "targets":
        for load, probe in product(loads, probes):
            yield PlannedTrial(
                f"{load.name}@{probe.name}", probe, load, probe.name, (load.name, "")
            )
    else:
        _require_alike(loads)
        for probe, load in product(probes, loads):
            yield PlannedTrial(
                f"{load.name}@{probe.name}", probe, load, load.name, ("", probe.name)
            )


def _arms_of(arms: Interleave, probe: ProbePoint, load: Load) -> Iterator[PlannedTrial]:
    """A load at a place, once with the settings of each arm."""
    for name, values in zip(arms.names, arms.values, strict=True):
        place = probe.model_copy(update={"name": f"{probe.name} {name}"})
        pair = (load.name, probe.name)
        yield PlannedTrial(f"{load.name}@{place.name}", place, load, name, pair, values)


def _require_alike(loads: list[Load]) -> None:
    """See that two loads are taken in turns, of one engine.

    Raises:
        UsageError: one is a matrix, or they are of two engines.
    """
    if len(loads) != 2:
        raise UsageError(
            f"`interleave` takes two loads, and lists make {len(loads)} of them",
            where="interleave", hint="give each option one value",
        )  # fmt: skip
    if loads[0].engine != loads[1].engine:
        raise UsageError(
            f"`interleave` takes two loads of one engine, not of {loads[0].engine} and "
            f"{loads[1].engine}",
            where="interleave",
        )


def _placed(probe: ProbePoint, directory: Path) -> ProbePoint:
    """With an absolute path and a name: the path, after the host where it isn't this one."""
    path = probe.path
    if probe.host == "local":
        path = str((directory / Path(path).expanduser()).absolute())
    elif not path.startswith("/"):
        raise UsageError(
            f"the target {path!r} on {probe.host} needs an absolute path", where="targets"
        )
    default = path if probe.host == "local" else f"{probe.host}:{path}"
    return ProbePoint(host=probe.host, path=path, name=probe.name or default)


def _refuse_twins(names: list[str], what: str, where: str) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise UsageError(
            f"the {what} {twins[0]!r} is defined twice",
            where=where,
            hint="give each a name of its own",
        )
