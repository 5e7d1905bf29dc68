"""YABS in JSON. Oracle: in the sample, rates are requests times the size of blocks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mangle import trials

TEXT = (Path(__file__).parents[2] / "outputs" / "vps-scripts" / "yabs.json").read_text()


@pytest.mark.parametrize("text", [TEXT, json.dumps(json.loads(TEXT), indent=2)])
def test_rates_are_requests_times_their_size(text: str) -> None:
    every = trials(text)
    assert [trial.options["bs"] for trial in every] == [4096, 2**20]
    for trial in every:
        metrics = trial.loops[0].metrics
        for way in ("read", "write"):
            assert metrics[f"{way}.bandwidth"] == metrics[f"{way}.iops"] * 4096 * (
                256 if trial.options["bs"] == 2**20 else 1
            )
    assert every[0].version == "v2026-02-11"
    assert every[0].details["partition"] == "/dev/vda3"
    assert every[1].details["both ways"] == {"bandwidth": (900 + 950) * 2**20, "iops": 900 + 950}


def test_what_is_cut_off_has_the_rest() -> None:
    assert len(trials(TEXT[: TEXT.index(',{"bs":"1m"') + 60])) == 1


def test_rates_in_another_unit_are_not_guessed() -> None:
    assert trials(TEXT.replace('"KBps"', '"frobs"')) == []


def test_another_document_with_such_a_key_is_none() -> None:
    assert trials('{"version":"v1.2","fio":[{"bs":"4k","speed_units":"KBps"}]}\n') == []
