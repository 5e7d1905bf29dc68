"""A replayed trace beside what the model says of the same requests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from iosonde.loads.load import REPLAYED
from iosonde.loads.replay import RESULT
from iosonde.predict.devices import devices_of
from iosonde.predict.model import model_of, top_of
from iosonde.predict.replayed import replay_forecast
from iosonde.predict.time import NoTime
from iosonde.records.load import Load, RawOutput, Target, TargetKind
from iosonde.records.prediction import Forecast
from iosonde.records.run import Trial
from iosonde.report.forecasts import cells, lateness_words
from iosonde.stack.file import read_stack
from tests.unit.measure.build import loop

STACK = Path(__file__).parents[3] / "examples" / "stacks" / "loop.yaml"
COUNT = 64


def raw(took: float, late: float = 0.0) -> RawOutput:
    """Reads 10 ms apart; every fourth is a flush, which takes a second."""
    times = np.arange(COUNT, dtype="<u8") * 10_000_000
    ops = np.where(np.arange(COUNT) % 4 == 3, 2, 0).astype("u1")
    columns = (times, times, np.where(ops == 2, 0, 4096).astype("<u4"), ops)
    went = (
        np.full(COUNT, int(late * 1e9), "<i8"),
        np.where(ops == 2, 1_000_000_000, int(took * 1e9)).astype("<i8"),
        np.zeros(COUNT, "<u2"),
    )
    asked, done = (b"".join(map(np.ndarray.tobytes, each)) for each in (columns, went))
    return RawOutput(0, b"", b"", {
        REPLAYED: b"iosonde requests 1 %d 0 0\n" % COUNT + asked,
        RESULT: b"iosonde replayed 1 %d\n" % COUNT + done,
    })  # fmt: skip


def trial(*loops: RawOutput, direct: bool = True) -> Trial:
    spec = {"direct": direct, "in_flight": 128, "length": 0.63}
    kept = tuple(
        replace(loop(at, {"read.iops": 1.0}), raw=output) for at, output in enumerate(loops)
    )
    target = Target("here", "/dev/loop0", TargetKind.DEVICE)
    return Trial("t@disk", "here", "disk", target, Load("replay", "t", spec), "", kept)


def forecast(measured: Trial, device: str = "disk=limits:iops=1000") -> Forecast | NoTime:
    stack = read_stack(STACK)
    models = devices_of(stack, [device] if device else [], None)
    model = model_of(top_of(stack, ""), stack.mtu)
    return replay_forecast(measured, "disk", stack.name, model, models)


def test_latency_and_lateness_stand_beside_the_measured() -> None:
    outlook = forecast(trial(raw(0.001, 0.0005), raw(0.001, 0.0015)))
    assert isinstance(outlook, Forecast)
    assert outlook.predicted["latency_mean"] == pytest.approx(0.001)
    assert outlook.measured["latency_mean"] == pytest.approx(0.001)
    assert outlook.measured["lag"] == pytest.approx(0.001)  # mean of the two loops
    assert outlook.predicted["lag"] == 0
    assert outlook.predicted["iops"] == pytest.approx(outlook.measured["iops"], rel=0.01)
    assert "lag at the end 0 s predicted, 1 ms measured" in lateness_words(outlook)
    assert cells(outlook)[1] == "1.00 ms"


def test_the_band_is_that_of_the_latency() -> None:
    slower = forecast(trial(raw(0.005)))
    assert isinstance(slower, Forecast)
    assert not slower.inside  # though the rate is that of the trace
    assert slower.band[0] * 0.99 < slower.measured["iops"] < slower.band[1] * 1.01
    assert slower.off("latency_mean") == pytest.approx(-0.8)


@pytest.mark.parametrize(
    ("measured", "device", "why"),
    [
        (trial(), "disk=limits:iops=1000", "no loop of it was finished"),
        (trial(raw(0.001), direct=False), "disk=limits:iops=1000", "through the page cache"),
        (trial(raw(0.001)), "", "no speed model for disk"),
    ],
)
def test_why_nothing_is_predicted(measured: Trial, device: str, why: str) -> None:
    predicted = forecast(measured, device)
    assert isinstance(predicted, NoTime)
    assert why in predicted.reason
