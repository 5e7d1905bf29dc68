"""A campaign as the machine-readable contract has it: `iosonde.tune/1`."""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.records.campaign import Campaign, CandidateEnd
from iosonde.records.run import Metric, Run
from iosonde.records.stack import Json, Scalar
from iosonde.report.json import metric_document


def tune_document(run: Run, campaign: Campaign) -> dict[str, Json]:
    """One campaign, finished or not."""
    intent, result = campaign.intent, campaign.result
    goal = intent.goal
    return {
        "schema": "iosonde.tune/1",
        "id": run.id,
        "study": run.study,
        "state": run.state.value,
        "strategy": intent.strategy,
        "goal": {
            "metric": goal.metric, "unit": goal.unit, "higher": goal.higher,
            "margin": goal.margin, "budget": goal.budget, "limits": list(goal.limits),
        },
        "candidates": [_candidate(one, campaign) for one in campaign.candidates],
        "baseline": _settings(
            result.baseline if result else {one.name: one.default for one in intent.vary}
        ),
        "winner": _winner(campaign),
        "ending": result.ending if result else None,
        "sentence": result.sentence if result else None,
        "device_seconds": campaign.device_seconds,
        "measurements": len(campaign.measurements),
        "left_out": [
            {"setting": one.setting, "value": one.value, "reason": one.reason}
            for one in intent.left_out
        ],
        "prior": intent.prior or None,
        "first": [_settings(one) for one in intent.hopeful],
        "commands": list(result.commands) if result else [],
        "native": [
            {"host": one.host, "setting": one.setting, "file": one.file or None,
             "line": one.line or None, "note": one.note or None}
            for one in (result.native if result else ())
        ],
        "applied": result.applied if result else False,
        "rolled_back": result.rolled_back if result else True,
    }  # fmt: skip


def _settings(settings: Mapping[str, Scalar]) -> dict[str, Json]:
    return dict(settings)


def _candidate(one: CandidateEnd, campaign: Campaign) -> dict[str, Json]:
    return {
        "settings": _settings(one.settings),
        "loops": one.loops,
        "device_seconds": one.device_seconds,
        "metric": _metric(one.metric, campaign.intent.goal.metric),
        "state": one.state,
        "reason": one.reason or None,
        "stage": one.stage or None,
        "at": campaign.at(one) or None,
    }


def _metric(metric: Metric | None, name: str) -> Json:
    """The goal's metric over the loops of the search; null where there are none."""
    return None if metric is None else {"name": name, **metric_document(metric)}


def _winner(campaign: Campaign) -> Json:
    """What is to be in force; null while nothing is decided."""
    result = campaign.result
    if result is None:
        return None
    gain = result.gain
    return {
        "settings": _settings(result.winner),
        "gain": gain.change if gain else None,
        "interval": list(gain.interval) if gain and gain.interval else None,
        "confirmed": result.confirmed,
        "verdict": gain.outcome.value if gain else None,
        "pick": _settings(result.pick),
    }
