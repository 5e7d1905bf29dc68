"""What does the JSON of a verb look like?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from iosonde.contract import VerbResult
from iosonde.contract_schema import Schema, schema_of
from iosonde.registry import Table

Described: TypeAlias = type[VerbResult] | Callable[[], Schema]

SCHEMAS: Table[Described] = Table(
    "schema",
    {
        "baseline": "iosonde.verbs.baseline:Baselines",
        "bench": "iosonde.records.bench:BenchFigures",
        "calibrate": "iosonde.verbs.calibrate:Calibration",
        "compare": "iosonde.verbs.compare:ComparedRuns",
        "completion": "iosonde.verbs.completion:Completion",
        "config": "iosonde.verbs.config:Configuration",
        "error": "iosonde.errors:ErrorReport",
        "explain": "iosonde.verbs.explain:Explanation",
        "log": "iosonde.verbs.log:FioLogs",
        "predict": "iosonde.verbs.predict:PredictedStack",
        "forecast": "iosonde.verbs.predict:ComparedForecasts",
        "fit": "iosonde.verbs.predict:FittedController",
        "prior": "iosonde.predict.search:Ranking",
        "import": "iosonde.verbs.imported_records:ImportedTexts",
        "lab": "iosonde.verbs.lab:RunningLabs",
        "loads": "iosonde.verbs.loads:BundledLoads",
        "persist": "iosonde.verbs.persist:KeptSettings",
        "rm": "iosonde.verbs.removal:RemovedRuns",
        "rollback": "iosonde.verbs.settings:RestoredSettings",
        "replay": "iosonde.verbs.replay:ReplayedTrace",
        "run": "iosonde.verbs.schema:run_schema",
        "set": "iosonde.verbs.settings:ChangedSettings",
        "settings": "iosonde.verbs.settings:HostSettings",
        "show": "iosonde.records.stack:Capture",
        "stack": "iosonde.stack.file:stack_schema",
        "tag": "iosonde.verbs.tag:LabelledRun",
        "trace": "iosonde.verbs.trace:TraceResult",
        "trend": "iosonde.records.trend:StudyTrend",
        "tune": "iosonde.verbs.tune:TunedSettings",
        "up": "iosonde.verbs.up:StackSteps",
    },
)
"""Name → the record that a verb returns, or a function that makes the schema."""


@dataclass(frozen=True, slots=True)
class SchemaList(VerbResult):
    """The names of all schemas."""

    SCHEMA = "iosonde.schemas/1"
    schemas: tuple[str, ...]


def schema(name: str) -> Schema:
    """A JSON schema, draft 2020-12.

    Args:
        name: of a verb, whose `--json` it describes, or `error`, `stack` or `bench`.

    Raises:
        UsageError: no such schema; the message lists those there are.
    """
    described = SCHEMAS.load(name)
    return schema_of(described) if isinstance(described, type) else described()


def run_schema() -> Schema:
    """Of what `run`, `list` and `export` print."""
    from iosonde.report.json import RunResult, RunResults

    return schema_of(RunResult, RunResults)


def list_schemas() -> SchemaList:
    """The names of all schemas, sorted."""
    return SchemaList(tuple(sorted(SCHEMAS)))
