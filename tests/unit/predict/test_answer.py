"""The first line of a prediction: what is best, what is worst, and what makes no difference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from iosonde.predict.answer import predict_answer
from iosonde.predict.time import Time
from iosonde.predict.what_if import PredictedCombination
from iosonde.verbs.predict import predict

STACK = Path(__file__).parents[3] / "examples" / "stacks" / "aoe-san.yaml"
LOAD = "fio --name w --ioengine libaio --direct 1 --rw randwrite --bs 4k --size 1m"


def combinations(*settings: str) -> list[PredictedCombination]:
    return list(predict(STACK, LOAD, settings=settings, requests=100).combinations)


def test_one_prediction_is_a_sentence() -> None:
    assert (
        predict_answer(combinations()) == "1.01 disk I/Os (4.27 KiB) a request, over 256 requests"
    )


def test_the_best_and_the_worst_are_named_and_what_does_not_matter_is_not() -> None:
    made = combinations("aoe.mtu=1500,4132,9000", "target.mtu=1500,9000")
    assert predict_answer(made).startswith(
        "best: aoe.mtu 4132 or 9000: 1.01 disk I/Os (4.27 KiB) a request; worst: aoe.mtu 1500: 4"
    )


def test_settings_that_cost_the_same_are_said_to() -> None:
    assert predict_answer(combinations("aoe.mtu=4132,9000")).startswith(
        "no difference between 2 combinations: 1.01 disk I/Os"
    )


def timed(made: list[PredictedCombination], *speeds: tuple[float, float, float]) -> str:
    """The answer where each is as fast as said: low, middle, high."""
    times = [
        Time(
            iops=middle, bandwidth=middle * 4096, latency=1e-3, band=(low, high), depth=1,
            busy={}, bottleneck="", covers=(), notes=(),
        )
        for low, middle, high in speeds
    ]  # fmt: skip
    return predict_answer(
        [replace(combination, time=time) for combination, time in zip(made, times, strict=True)]
    )


def test_bands_that_touch_are_not_told_apart() -> None:
    made = combinations("aoe.mtu=1500,4132,9000")
    said = timed(made, (90, 100, 110), (900, 1000, 1100), (1050, 1200, 1300))
    assert said == (
        "fastest: aoe.mtu 9000: 1,200 IOPS (band 1,050 … 1,300 IOPS); not told apart from "
        "aoe.mtu 4132; slowest: aoe.mtu 1500: 100 IOPS"
    )
    apart = timed(made, (90, 100, 110), (900, 1000, 1040), (1050, 1200, 1300))
    assert "not told apart" not in apart  # the near miss
    same = timed(made, (90, 100, 110), (95, 105, 115), (90, 101, 112))
    assert same.startswith("no difference that the model can tell; fastest: aoe.mtu 4132")
