"""How fast is each layer?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from iosonde import kerneltext
from iosonde.change.guard import parse_destroy
from iosonde.config import config_value
from iosonde.contract import ADDED, HIDDEN, VerbResult
from iosonde.errors import FileMissing, IosondeError, StoreFailed, UsageError
from iosonde.extras import require_extra
from iosonde.hosts import open_host
from iosonde.loads import LOADS
from iosonde.loads.matrix import loop_seconds
from iosonde.loads.named import limits_of
from iosonde.measure.interleave import spread
from iosonde.measure.named import bundled_values, is_bundled
from iosonde.measure.plan import Plan, PlannedTrial, make_plan, plan_again
from iosonde.measure.progress import Progress, unwatched
from iosonde.measure.ready import has_tools, planned_command, require_read
from iosonde.measure.run import run_plan
from iosonde.measure.sheet import sheet
from iosonde.measure.study import Study, probe_point, read_study
from iosonde.measure.turns import blocks, order
from iosonde.records.run import Run
from iosonde.report.json import RunResult
from iosonde.stack.declare import check_declaration
from iosonde.store import open_store
from iosonde.store.naming import check_label
from iosonde.store.owner import this_process
from iosonde.store.store import Store
from iosonde.verbs.compare import ComparedRuns, compare_arms
from iosonde.verbs.ending import become_again, to_resume
from iosonde.verbs.ledgers import ledgers
from iosonde.verbs.signals import Interrupted, run_async

_MOST_PASSES = 100  # that a plan shows
# Keys of a study whose options of the command line are called otherwise.
_OPTIONS = {
    "targets": "target", "tags": "tag", "loads": "fio, --load", "prepare": "drop-caches",
    "until": "until, --max-seconds",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrialCommand:
    """A trial as it would be run."""

    id: str
    host: str
    command: str


@dataclass(frozen=True, slots=True)
class RunCommands(VerbResult):
    """What `run --dry-run` shows: each trial's command."""

    SCHEMA = "iosonde.plan/1"
    trials: tuple[TrialCommand, ...]
    passes: tuple[tuple[str, ...], ...] = field(metadata=ADDED)
    """Of what is taken in turns (points of a load matrix, arms of `interleave`) the ids of the
    trials in the order of each pass, one loop each."""
    seconds: float = field(metadata=ADDED)
    """That the loops take, without laying out files; those of unknown length count as 10 s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun(RunResult):
    """A run with its statistics, and what went wrong in it."""

    failures: tuple[IosondeError, ...] = field(metadata=HIDDEN)
    """Why trials are missing; empty where all were measured."""
    compared: ComparedRuns | None = field(metadata=HIDDEN)
    """Of an interleaved run its second arm against the first; None: of others, or not enough."""
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""


def ignore(sentence: str) -> None:
    """Tell nobody."""
    del sentence


def run(
    file: str | None = None,
    /,
    *,
    resume: bool = False,
    name: str = "",
    destroy: Sequence[str] = (),
    in_container: bool = False,
    store: str | None = None,
    progress: Progress = unwatched,
    tell: Callable[[str], None] = ignore,
    **options: Any,
) -> MeasuredRun:
    """Measure a study, or one load at one target; loops are stored as they are finished.

    Args:
        file: of a study; None: the options say all. With `resume` a run; None: the last.
        resume: go on with an interrupted run.
        name: of the run, by which it can be asked for like by its id.
        destroy: devices whose content may be destroyed, "/dev/sdx" or "/dev/sdx=ext4".
        in_container: write to devices in a container too.
        store: a file or a PostgreSQL URL; None: the usual one.
        progress: hears of each event (iosonde.measure.progress); `print` shows them.
        tell: hears at once, as a sentence, what was read otherwise than written.
        options: keys of a study (targets, loads, loops, seconds, size …), in place of the file's.
            Paths of targets are relative to the working directory.

    Raises:
        UsageError: the study is wrong, another run has the name, or there is nothing to resume.
        Refused, HostFailed, LoadFailed: why nothing could be measured.
        Interrupted: a signal ended it; finished loops are kept.
    """
    permissions = parse_destroy(destroy, in_container=in_container)
    kept = open_store(store, tell=tell)
    try:
        plan, old = _plan(kept, file, options, resume=resume, name=name)
        if plan.study.ledger:
            require_extra("predict")
        if old is None:
            for note in _notes(plan):
                tell(note)
        doing = run_plan(plan, kept, permissions=permissions, progress=progress, resume=old)
        try:
            with become_again(old):
                measured = run_async(doing)
        except Interrupted as end:
            end.run = old.id if old else ""
            raise
    finally:
        kept.close()
    whole = sheet(measured.run)
    return MeasuredRun.of(
        whole, ledgers(whole), failures=measured.failures, compared=compare_arms(whole),
        rescued=kept.rescued,
    )  # fmt: skip


def commands(
    file: str | None = None,
    /,
    *,
    resume: bool = False,
    name: str = "",
    store: str | None = None,
    tell: Callable[[str], None] = ignore,
    **options: Any,
) -> RunCommands:
    """What `run` would run with the same arguments."""
    kept = open_store(store, tell=tell)
    try:
        plan, old = _plan(kept, file, options, resume=resume, name=name)
    finally:
        kept.close()
    _require_local_targets(plan)
    run_async(_require_read_here(plan))
    if old is None:
        for note in _notes(plan):
            tell(note)
    if kept.rescued is not None:
        raise kept.rescued
    trials = [trial for part in plan.rounds for trial in part]
    return RunCommands(
        tuple(
            TrialCommand(trial.id, trial.probe.host, planned_command(trial, plan.study))
            for trial in trials
        ),
        tuple(_passes(plan)),
        sum(_seconds(part[0], plan.study) for part in plan.rounds),
    )


def _require_local_targets(plan: Plan) -> None:
    """Refuse a target in a directory that this host does not have; of other hosts nothing is read.

    A stack that is built first may make it.
    """
    if plan.study.stack:
        return
    for trial in (trial for part in plan.rounds for trial in part):
        directory = Path(trial.probe.path).parent
        if trial.probe.host == "local" and not directory.is_dir():
            raise FileMissing(f"there is no directory {directory}", where="local")


async def _require_read_here(plan: Plan) -> None:
    """Have tools that are installed here read the loads of this host; others are not asked.

    A load of which each line was read in another is left out: a matrix has few lines of its own.
    """
    if plan.study.stack:
        return
    trials = [trial for part in plan.rounds for trial in part if trial.probe.host == "local"]
    demands = dict.fromkeys(LOADS.load(trial.load.engine)().demand(trial.load) for trial in trials)
    checked = [(demand, demand.check) for demand in demands if demand.check]
    if not checked:
        return
    host = await open_host("local")
    seen = set[tuple[tuple[str, ...], bytes]]()
    try:
        for demand, (argv, declared) in checked:
            lines = {(argv, line) for line in kerneltext.lines(declared)}
            if not lines <= seen and await has_tools(host, demand):
                await require_read(host, demand)
                seen |= lines
    finally:
        await host.close()


def _passes(plan: Plan) -> Iterator[tuple[str, ...]]:
    """The order of each pass over the points of each matrix; as many as any trial has loops."""
    for block in blocks(plan.rounds):
        if len(block) > 1:
            for number in range(min(plan.study.loops, _MOST_PASSES)):
                drawn = plan.study.order == "drawn"
                taken = order(block, plan.study.seed, number) if drawn else block
                yield tuple(trial.id for part in taken for trial in part)


def _seconds(trial: PlannedTrial, study: Study) -> float:
    declared = LOADS.load(trial.load.engine)().demand(trial.load).seconds
    return loop_seconds(study.seconds or declared, study.loops)


def target_of(text: str) -> dict[str, str]:
    """A target as it is typed: a local path is relative to here, not to a study's file."""
    probe = probe_point(text)
    path = str(Path(probe.path).expanduser().absolute()) if probe.host == "local" else probe.path
    return {"host": probe.host, "path": path}


def _plan(
    kept: Store, file: str | None, options: Mapping[str, Any], *, resume: bool, name: str
) -> tuple[Plan, Run | None]:
    """What is to be measured; and the run that goes on, now ours."""
    if not resume:
        if name:
            kept.require_free_name(check_label(name, "name"))
        study, where = _study(file, options)
        return replace(make_plan(_with_limits(study, where), where=where), name=name), None
    given = [*(["name"] if name else []), *(_OPTIONS.get(key, key) for key in options)]
    which = to_resume(kept, file, given, campaign=False)
    if kept.campaign(which) is not None:
        raise UsageError(
            f"run {which} is a campaign", hint=f"`iosonde tune --resume {which}` goes on with it"
        )
    old = kept.resume(which, owner=this_process())
    return plan_again(old.plan), old


def _with_limits(study: Study, where: str) -> Study:
    """The study with what its only load requires, unless it says itself when it is over."""
    (load, *others) = study.loads
    if study.require or study.until or study.interleave or others or not isinstance(load, str):
        return study
    limits = limits_of(load, directory=Path(where).parent if Path(where).is_file() else Path())
    if not limits:
        return study
    return check_declaration({**study.model_dump(mode="json"), "require": limits}, where, Study)


def _study(file: str | None, options: Mapping[str, Any]) -> tuple[Study, str]:
    """The study in the file, changed by the options; or of the options alone."""
    try:
        given = spread(options)
    except ValueError as problem:
        raise UsageError(str(problem), where="--interleave") from None
    if "targets" in given:
        given["targets"] = [
            target_of(target) if isinstance(target, str) else target for target in given["targets"]
        ]
    if file is None:
        if "targets" not in given or "loads" not in given:
            raise UsageError(
                "say what to measure: a study's file, or --target with --load or --fio",
                hint="for example: iosonde run --load latency --target .",
            )
        return check_declaration(_with_loops(given), "command line", Study), "command line"
    if is_bundled(file):
        return check_declaration(_merged(bundled_values(file), given), f"study {file}", Study), file
    study = read_study(Path(file))
    if "tags" in given:
        given["tags"] = [*study.tags, *given["tags"]]
    if "loops" in study.model_fields_set:
        given.setdefault("loops", study.loops)
    given = _with_loops(given)
    return check_declaration({**study.model_dump(mode="json"), **given}, file, Study), file


def _merged(values: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A bundled study with options in place of its keys; of `prepare` key by key."""
    prepare = {**values.get("prepare", {}), **given.get("prepare", {})}
    return {**values, **given, "prepare": prepare}


def _with_loops(options: dict[str, Any]) -> dict[str, Any]:
    """Options with the configured number of loops, where nothing else says it."""
    return options if "loops" in options else {**options, "loops": config_value("loops").value}


def _notes(plan: Plan) -> Iterator[str]:
    """What was left out of the loads or read otherwise than written."""
    loads = {trial.load.name: trial.load for part in plan.rounds for trial in part}
    notes = {
        f"{load.varied_from or name}: {note}": None
        for name, load in loads.items() for note in cast("list[str]", load.spec.get("notes", []))
    }  # fmt: skip
    yield from notes
