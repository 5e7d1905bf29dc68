"""What `tune` prints of a campaign: its answer first, and no winner that is not proven."""

from __future__ import annotations

import pytest

from iosonde.cli.tune_result import show_campaign
from iosonde.records.run import Run, RunState
from iosonde.verbs.tune import tuned
from tests.campaigns import SCHEDULER, simulated


def printed(capsys: pytest.CaptureFixture[str], **campaign: object) -> list[str]:
    run = Run(id="r1", study="loop", state=RunState.FINISHED, created=1.7e9, plan={}, trials=())
    show_campaign(tuned(run, simulated(vary=(SCHEDULER,), **campaign)), as_json=False)  # type: ignore[arg-type]
    return capsys.readouterr().out.splitlines()


def test_a_proven_winner_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys)
    assert lines[0].startswith("winner: disk.scheduler=none: read IOPS")
    assert sum("winner" in line for line in lines[1:]) == 1
    assert lines[-1] == "next: iosonde report r1"


def test_what_the_budget_did_not_prove_is_no_winner(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, cv=0.6, budget=30.0)
    assert lines[0].startswith("no proven gain; ")
    assert "winner" not in "\n".join(lines)
    assert sum("best so far, not proven" in line for line in lines) == 1
    assert lines[-1] == "next: iosonde report r1"
