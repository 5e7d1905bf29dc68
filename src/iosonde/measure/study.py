"""A study: which loads are run at which probe points, how often, and what is done before.

The declaration is YAML or the options of `iosonde run`; both become a `Study`, and a `Study`
becomes the list of trials in the order they are run. docs/use/run.md describes the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from iosonde import units
from iosonde.config import MOST_LOOPS
from iosonde.errors import IosondeError, UsageError
from iosonde.inputs import read_declaration_file
from iosonde.measure.interleave import Interleave, spread
from iosonde.measure.requirements import declared
from iosonde.stack.declare import RUN_STUDY, read_declaration
from iosonde.store.naming import check_label


def _by(parse: Any) -> BeforeValidator:
    """A parser of units.py as pydantic wants it: its complaint without our error's class."""

    def check(value: object) -> object:
        try:
            return parse(value)
        except IosondeError as problem:
            raise ValueError(f"{problem.message} ({problem.hint})") from None

    return BeforeValidator(check)


def _precondition(value: object) -> object:
    """`2` or `2 passes`."""
    text = str(value).removesuffix("passes").removesuffix("pass").strip()
    if not text.isdigit():
        raise ValueError("expected a number of passes such as `2 passes`")
    return int(text)


Size = Annotated[int, _by(units.parse_bytes)]
Seconds = Annotated[float, _by(units.parse_seconds), Field(gt=0)]
Share = Annotated[float, _by(units.parse_fraction), Field(gt=0, lt=1)]
Passes = Annotated[int, BeforeValidator(_precondition), Field(ge=0, le=100)]


def _tag(value: object) -> str:
    try:
        return check_label(str(value), "tag")
    except UsageError as problem:  # in the words of pydantic, which shows the value
        raise ValueError(f"expected {problem.hint}") from None


Tag = Annotated[str, BeforeValidator(_tag)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Prepare(_Strict):
    """What is done to a target before its first loop."""

    precondition: Passes = 0
    bs: Size = 128 * units.KIB
    discard: bool = False
    wait_idle: bool = False
    drop_caches: bool = False


class Until(_Strict):
    """Loops go on until the headline metric's confidence interval is narrow enough."""

    halfwidth: Share | None = None
    steady: bool = False
    passes: Annotated[int, Field(ge=5, le=1000)] | None = None
    """All points of a matrix have loops until those that `track` names are steady together."""
    track: dict[str, str | int | float] = {}
    metric: str = ""
    written: Annotated[float, Field(gt=0, le=1000)] | None = None
    """So often as much as the target holds is written."""
    max_seconds: Seconds = 600.0

    @model_validator(mode="after")
    def _one_reason(self) -> Until:
        if self.written and (self.halfwidth is not None or self.steady):
            raise ValueError("`written` stands alone: without `halfwidth` and `steady`")
        if self.halfwidth is None and not self.steady and not self.written:
            raise ValueError("say `halfwidth: 2%`, `steady: true` or `written: 4`")
        if self.passes and (self.halfwidth is not None or not self.steady):
            raise ValueError("`passes` goes with `steady: true`, and without `halfwidth`")
        if (self.track or self.metric) and not self.passes:
            raise ValueError("`track` and `metric` say what is steady: give `passes` too")
        return self


class ProbePoint(_Strict):
    """Where a load is applied. `name` stands for it in tables and comparisons."""

    path: str
    host: str = "local"
    name: str = ""


def probe_point(text: str) -> ProbePoint:
    """`PATH`, or `HOST:/PATH` for another host."""
    if not text.startswith(("/", ".")) and ":/" in text:
        host, path = text.split(":/", 1)
        return ProbePoint(host=host, path="/" + path)
    return ProbePoint(path=text)


def _probe_points(value: object) -> object:
    entries = value if isinstance(value, list) else [value]
    return [probe_point(entry) if isinstance(entry, str) else entry for entry in entries]


def _understood(bounds: dict[str, str]) -> dict[str, str]:
    """Bounds on metrics, each of which can be required."""
    try:
        declared({"require": bounds})
    except UsageError as problem:
        raise ValueError(f"{problem.message} ({problem.hint})") from None
    return bounds


EVERY_LAYER = "every layer"


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Study(_Strict):
    """A plan of trials, as declared.

    Loads are applied at `targets`, or at the layers of a declared `stack` that `at` names: then the
    stack is built while it is measured.
    """

    study: str = "study"
    targets: Annotated[list[ProbePoint], BeforeValidator(_probe_points)] = []
    stack: str = ""
    at: Annotated[list[str], BeforeValidator(_several)] = []
    rehearse: bool = False
    set: dict[str, Any] = {}
    loads: Annotated[list[str | dict[str, Any]], Field(min_length=1)]
    loops: Annotated[int, Field(ge=1, le=MOST_LOOPS)] = 5
    until: Until | None = None
    require: Annotated[dict[str, str], AfterValidator(_understood)] = {}
    max_seconds: Seconds = 600.0
    seconds: Seconds | None = None
    size: Size | None = None
    simultaneous: bool = False
    together: bool = False
    interleave: Interleave | None = None
    memory: Annotated[int, _by(units.parse_bytes), Field(ge=16 * units.MIB)] | None = None
    observe: bool = True
    ledger: bool = False
    prepare: Prepare = Prepare()
    seed: Annotated[int, Field(ge=0, le=2**32)] = 1
    order: Literal["drawn", "declared"] = "drawn"
    tags: Annotated[list[Tag], BeforeValidator(_several)] = []

    @property
    def fixed_loops(self) -> int | None:
        """How many loops each trial has; None where that depends on what they find."""
        return None if self.until or self.require else self.loops

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, declared: Any) -> Any:
        return spread(declared) if isinstance(declared, Mapping) else declared

    @model_validator(mode="after")
    def _in_turns(self) -> Study:
        if not self.interleave:
            return self
        if self.simultaneous or self.together or self.stack:
            raise ValueError(
                "`interleave` measures one loop at a time, at targets: not `simultaneous`, "
                "`together` or a `stack`"
            )
        if not self.fixed_loops:
            raise ValueError(
                "`interleave` compares loops in pairs, so both arms have the same number of "
                "loops; `until` and `require` end each arm by its own figures: say `loops`, and "
                "measure what is required in a run of its own"
            )
        counts = {"targets": len(self.targets), "loads": len(self.loads)}
        if (count := counts.get(self.interleave.of, 2)) != 2:
            raise ValueError(f"`interleave` takes two {self.interleave.of}, not {count}")
        return self

    @model_validator(mode="after")
    def _one_place(self) -> Study:
        if bool(self.stack) and self.at == [] and not self.targets:
            raise ValueError("say `at: every layer`, or name layers of the stack")
        if not self.stack and not self.targets:
            raise ValueError("say where: `targets`, or `stack` and `at`")
        if self.set and not self.stack:
            raise ValueError("`set` changes layers of a `stack`")
        if self.at and not self.stack:
            raise ValueError("`at` names layers of a `stack`")
        if self.ledger and (self.simultaneous or self.together):
            raise ValueError("`ledger` counts what one load does: measure one target at a time")
        if self.stack and (self.simultaneous or self.together):
            raise ValueError("the layers of a stack are measured one after the other")
        if self.memory and self.together:
            raise ValueError("`memory` limits loads that iosonde starts itself: not `together`")
        return self


def read_study(file: Path) -> Study:
    """The study in a file; paths of local targets and job files are relative to it.

    Raises:
        UsageError: it cannot be read or understood.
    """
    text = read_declaration_file(file, "the study")
    return read_declaration(text, str(file), Study, RUN_STUDY)
