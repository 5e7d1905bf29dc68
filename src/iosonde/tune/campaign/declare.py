"""A study of `iosonde tune`, as declared: what is varied, what is wanted, what it may cost.

It has the keys of a study of `run` (measure/study.py) for the load and its place, and its own.
docs/use/tune.md describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from iosonde.errors import IosondeError, UsageError
from iosonde.inputs import read_declaration_file
from iosonde.measure.study import EVERY_LAYER, Seconds, Share, Study
from iosonde.records.stack import Scalar
from iosonde.stack.declare import TUNE_STUDY, Tree, check_part, read_tree, require_kind
from iosonde.tune.campaign.limits import SAFE, check_metric, parse_limit
from iosonde.tune.search import STRATEGIES
from iosonde.tune.search.space import spread

RACE_UP_TO = 36
"""Candidates up to which a race is the default; a larger space is left to the model."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _listed(value: object) -> object:
    """A list stands for `values:`."""
    return {"values": value} if isinstance(value, list) else value


def _texts(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _complained(check: Any) -> Any:
    """A check of ours as pydantic wants it: its complaint without our error's class."""

    def checked(value: str) -> str:
        try:
            check(value)
        except IosondeError as problem:
            hint = f" ({problem.hint})" if problem.hint else ""
            raise ValueError(f"{problem.message}{hint}") from None
        return value

    return BeforeValidator(checked)


MetricName: TypeAlias = Annotated[str, _complained(check_metric)]
LimitText: TypeAlias = Annotated[
    str, _complained(lambda text: None if text == SAFE else parse_limit(text))
]


def _strategy(value: object) -> object:
    if value and value not in STRATEGIES:
        raise ValueError(f"there is no such strategy; known: {', '.join(STRATEGIES)}")
    return value


StrategyName: TypeAlias = Annotated[str, BeforeValidator(_strategy)]


class VariedValues(_Strict):
    """The values of one setting: a list, or whole numbers `from` … `to`, `count` of them.

    With `ratio` they grow by a constant factor. `also` names settings that are set to the same
    value at the same time, such as the MTU of the other end of a link.
    """

    values: list[Scalar] = []
    first: int | None = Field(default=None, alias="from")
    last: int | None = Field(default=None, alias="to")
    count: int | None = Field(default=None, ge=2, le=1000)
    ratio: bool = False
    also: Annotated[list[str], BeforeValidator(_texts)] = []

    @model_validator(mode="after")
    def _one_way(self) -> VariedValues:
        given = (self.first, self.last, self.count)
        if bool(self.values) == any(number is not None for number in given):
            raise ValueError("expected a list of values, or `from`, `to` and `count`")
        if not self.values:
            if None in given:
                raise ValueError("a range needs `from`, `to` and `count`")
            self.listed()
        if len({str(value) for value in self.values}) != len(self.values):
            raise ValueError("a value is listed twice")
        return self

    def listed(self) -> list[Scalar]:
        """The values, in order."""
        if self.values:
            return self.values
        try:
            return [*spread(self.first or 0, self.last or 0, self.count or 0, ratio=self.ratio)]
        except IosondeError as problem:
            raise ValueError(f"{problem.message} ({problem.hint})") from None


class DeclaredGoal(_Strict):
    """The goal: one metric, to maximise or to minimise.

    Differences below `margin` are not worth having; `level` is the probability granted to a gain
    that is none, `pick_level` that granted to a race's pick that is behind the best by more than
    the margin.
    """

    maximise: MetricName | None = None
    minimise: MetricName | None = None
    margin: Share = 0.01
    level: Share = 0.05
    pick_level: Share = 0.1

    @model_validator(mode="after")
    def _check_goal(self) -> DeclaredGoal:
        if (self.maximise is None) == (self.minimise is None):
            raise ValueError("say `maximise: METRIC` or `minimise: METRIC`")
        return self

    @property
    def metric(self) -> str:
        """Which one."""
        return self.maximise or self.minimise or ""


class TuneStudy(Study):
    """What `iosonde tune` reads: one load, its place (a stage's each), and the settings to try."""

    vary: Annotated[
        dict[str, Annotated[VariedValues, BeforeValidator(_listed)]],
        Field(min_length=1, max_length=100),
    ]
    goal: DeclaredGoal
    limits: Annotated[list[LimitText], BeforeValidator(_texts)] = Field(
        default=[], alias="subject to"
    )
    allow: Annotated[list[str], BeforeValidator(_texts)] = Field(default=[])
    exclude: list[dict[str, Scalar]] = Field(default=[])
    hosts: Annotated[list[str], BeforeValidator(_texts)] = Field(default=[])
    budget: Seconds = 1800.0
    strategy: StrategyName = ""
    prior: str = ""
    loop: Seconds = 5.0
    settle: Seconds = 1.0
    seed: int = 0

    @model_validator(mode="before")
    @classmethod
    def _one_load(cls, values: object) -> object:
        """`load:` is the one that `loads:` would list."""
        if isinstance(values, dict) and "load" in values and "loads" not in values:
            return {**{key: value for key, value in values.items() if key != "load"},
                    "loads": [values["load"]]}  # fmt: skip
        return values

    @model_validator(mode="after")
    def _one_place_and_load(self) -> TuneStudy:
        if len(self.loads) != 1:
            raise ValueError("a search needs one `load`, whose metric is the goal")
        places = self.at if self.stack else self.targets
        several = bool(self.stack) and self.strategy == "staged" and len(places) > 0
        if not several and (len(places) != 1 or places == [EVERY_LAYER]):
            raise ValueError(
                "a search needs one target, or one layer of the stack in `at`; several layers are "
                "for `strategy: staged`, which measures each stage at its own"
            )
        if self.until or self.simultaneous or self.together:
            raise ValueError("`until`, `simultaneous` and `together` are for `iosonde run`")
        if self.seconds is not None:
            raise ValueError("the length of a loop is `loop` here, not `seconds`")
        for rule in self.exclude:
            if unknown := set(rule) - set(self.vary):
                raise ValueError(f"{', '.join(sorted(unknown))} is not varied, so not excluded")
        return self

    def plain(self) -> Study:
        """The load and its place, as `iosonde run` knows them."""
        kept = self.model_dump(include=set(Study.model_fields))
        return Study.model_validate({**kept, "seconds": self.loop})

    def strategy_for(self, candidates: int) -> str:
        """The one that is named; else a race, or a model where the field is too large for one."""
        return self.strategy or ("race" if candidates <= RACE_UP_TO else "model")


@dataclass(frozen=True, slots=True)
class TuneFile:
    """A study as read, with the lines of its keys for later complaints."""

    file: str
    tree: Tree
    study: TuneStudy

    def wrong(self, path: list[str | int], problem: IosondeError) -> UsageError:
        """A complaint about a key, with the file's line."""
        return self.tree.wrong(path, problem.message, problem.hint)


def read_tune(file: Path, changes: Mapping[str, Any] | None = None) -> TuneFile:
    """The study in a file, changed by options of the command line.

    Raises:
        UsageError: it cannot be read or understood; where is "FILE:LINE".
    """
    text = read_declaration_file(file, "the study")
    return understand(text, str(file), changes)


def understand(text: str, file: str, changes: Mapping[str, Any] | None = None) -> TuneFile:
    """As `read_tune`, of a text."""
    tree = read_tree(text, file)
    require_kind(tree, TUNE_STUDY)
    study = check_part(tree, [], {**tree.values, **(changes or {})}, TuneStudy)
    return TuneFile(file, tree, study)
