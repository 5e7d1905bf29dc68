"""The pages of runs in turns and of a replayed trace: what their first screens say."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.sheet import RunSheet
from iosonde.report.blocks import Badge, Cells
from iosonde.report.html import page_of
from iosonde.report.page import Page
from iosonde.store import open_store
from iosonde.verbs.report import _explained, as_shown
from tests.fakes.sample_runs import interleaved_run, replayed_run

LOOP = Path(__file__).parents[3] / "examples" / "stacks" / "loop.yaml"


def explained(store: str, kind: str) -> RunSheet:
    kept = open_store(store)
    try:
        run = (
            interleaved_run(kept) if kind == "interleaved"
            else replayed_run(kept, LOOP, "disk", "disk=7k2-sata")
        )  # fmt: skip
        return _explained(kept.load(run), kept)
    finally:
        kept.close()


def page(tmp_path: Path, kind: str) -> Page:
    return page_of(*as_shown([explained(str(tmp_path / "store.sqlite"), kind)]))


def test_arms_show_every_proven_change_and_name_themselves_once(tmp_path: Path) -> None:
    first = page(tmp_path, "interleaved")
    assert first.answer.startswith(
        "sda.scheduler=bfq against sda.scheduler=mq-deadline (in turns, 8 pairs): "
        "no difference in read IOPS beyond 2 % ("
    )
    assert "; p99 read latency better, −2" in first.answer
    assert " at /srv/data" not in first.answer
    assert [number.label for number in first.numbers] == [
        "latency, p99 read latency, sda.scheduler=bfq", "latency, read IOPS, sda.scheduler=bfq",
    ]  # fmt: skip
    (verdicts,) = (block for block in first.blocks if isinstance(block, Cells))
    arguments = [cell.text for row in verdicts.rows for cell in row if isinstance(cell, Badge)]
    assert arguments == ["baseline", "no difference", "baseline", "better"]
    changes, bars = first.figures
    assert "equivalent" not in f"{changes.chart.to_dict()}{bars.chart.to_dict()}"
    assert "no difference" in str(bars.chart.to_dict())


def test_a_replay_says_whether_the_rate_was_kept_and_what_was_predicted(tmp_path: Path) -> None:
    first = page(tmp_path, "replay")
    assert first.answer.startswith("app.blktrace: the trace's rate was kept (requests at most ")
    assert "Mean latency 15.9 ms, predicted 16.4 ms: within the model's band (" in first.answer
    assert [badge.text for badge in first.badges[:2]] == [
        "rate kept", "1 of 1 within the model's band",
    ]  # fmt: skip
    beside = first.figures[0].chart.to_dict()["layer"][0]
    assert beside["encoding"]["color"]["scale"]["domain"] == ["measured", "predicted"]
    rows = {row["what"]: row["value"] for row in beside["data"]["values"]}
    assert rows["mean, measured"] == pytest.approx(15.9, abs=0.05)
    assert rows["mean, predicted"] == pytest.approx(16.4, abs=0.05)
    assert all("IOPS" not in figure.title for figure in first.figures)
