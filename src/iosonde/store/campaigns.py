"""Campaigns to and from rows: one a measurement in its order, and one for each end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic import TypeAdapter
from sqlalchemy import Row

from iosonde.records.campaign import Campaign, CandidateEnd, Intent, Measurement, Result
from iosonde.records.stack import Json
from iosonde.store import rows

PLAN_KEY = "tune"
"""Where the intent stands in the plan of a run."""
_KINDS: dict[str, Any] = {"measurement": Measurement, "result": Result}


def intent_document(intent: Intent) -> Json:
    """What the plan of a run holds of a campaign."""
    return cast("Json", TypeAdapter(Intent).dump_python(intent, mode="json"))


def row(run: str, position: int, record: Measurement | Result) -> dict[str, object]:
    """A row of `campaigns`."""
    kind = "result" if isinstance(record, Result) else "measurement"
    return {
        "run": run, "position": position, "kind": kind, "content": rows.pack(_KINDS[kind], record),
    }  # fmt: skip


def campaign_of(run: str, plan: Mapping[str, Json], stored: Iterable[Row[Any]]) -> Campaign | None:
    """The campaign of a run; None where its plan holds none."""
    if PLAN_KEY not in plan:
        return None
    intent: Intent = TypeAdapter(Intent).validate_python(plan[PLAN_KEY])
    measured: list[Measurement] = []
    result: Result | None = None
    for line in stored:
        what = rows.unpack(_KINDS[line.kind], line.content)
        if line.kind == "result":
            result = what
        else:
            measured.append(what)
            result = None  # it went on after an end
    ends = result.candidates if result else _so_far(measured)
    return Campaign(run, intent, tuple(measured), result, ends)


def _so_far(measured: Iterable[Measurement]) -> tuple[CandidateEnd, ...]:
    """The candidates of an open campaign, with what is known of them."""
    by_candidate: dict[tuple[Any, ...], list[Measurement]] = {}
    for measurement in measured:
        if measurement.part == "search":
            by_candidate.setdefault((measurement.stage, *measurement.settings.items()), []).append(
                measurement
            )
    return tuple(
        CandidateEnd(
            settings=some[0].settings,
            state="infeasible" if some[-1].reason else "alive",
            loops=sum(measurement.loop is not None for measurement in some),
            device_seconds=sum(measurement.device_seconds for measurement in some),
            reason=some[-1].reason,
            stage=some[0].stage,
        )
        for some in by_candidate.values()
    )
