"""How a stack would have served a replayed trace: its requests at their times through the model.

Measured and predicted are the same requests: those that the loop issued, up to as many as the model
looks at one by one. Flushes take no time in the model, and are left out of both.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, cast

import numpy as np

from iosonde.errors import UsageError
from iosonde.loads.replay import Replayed, arrivals, replayed_of
from iosonde.predict.queueing import ServedRequests, arrive
from iosonde.predict.requests import FLUSH, Requests
from iosonde.predict.time import NoTime, services_of
from iosonde.predict.work import MOST, network_of
from iosonde.records.prediction import Forecast

if TYPE_CHECKING:
    from iosonde.predict.devices import DeviceModels
    from iosonde.predict.model import StackModel
    from iosonde.predict.service.service import ServiceModel
    from iosonde.predict.work import Network
    from iosonde.records.run import Trial

_BATCHES, _T95 = 16, 2.131  # Student's t, 15 degrees of freedom, two-sided 95 %


def replay_forecast(
    trial: Trial, layer: str, stack: str, model: StackModel, devices: DeviceModels
) -> Forecast | NoTime:
    """What the model says of a replayed trace, beside what was measured of the same requests.

    Args:
        trial: of a replay.
        layer: that it was measured at.
        stack: name of the stack.
        model: of the stack.
        devices: the models of its layers.
    """
    loops = [replayed_of(loop.raw) for loop in trial.counted]
    if not loops:
        return NoTime("no loop of it was finished")
    first = loops[0]
    at = np.flatnonzero(first.ops != FLUSH)[:MOST]
    requests = Requests(
        first.ops[at].astype(np.uint8), first.offsets[at].astype(np.uint64),
        first.lengths[at].astype(np.uint64),
    )  # fmt: skip
    network = _network(trial, model, requests, devices)
    if isinstance(network, NoTime):
        return network
    in_flight = 1 if network.one_by_one else cast("int", trial.load.spec["in_flight"])
    times = (first.times[at] / 1e9).tolist()
    came = [
        _through(network, services, times, in_flight)
        for services in (
            [service.slow() for service in network.services], network.services,
            [service.fast() for service in network.services],
        )
    ]  # fmt: skip
    timed = bool(first.times.any())
    figures = [_figures(each, times, requests, timed=timed) for each in came]
    reach = [_error(each.latencies) for each in came]
    means = [each["latency_mean"] for each in figures]
    band = (
        max(min(mean - error for mean, error in zip(means, reach, strict=True)), 0.0),
        max(mean + error for mean, error in zip(means, reach, strict=True)),
    )
    rates = [each["iops"] for each in figures]
    seen = [_measured(loop, at, timed=timed) for loop in loops]
    return Forecast(
        trial.id, layer, stack, time.time(), figures[1], _mean(seen), (min(rates), max(rates)),
        devices.texts(model), band,
    )  # fmt: skip


def _network(
    trial: Trial, model: StackModel, requests: Requests, devices: DeviceModels
) -> Network | NoTime:
    """What the requests ask of the devices, or why that is not known."""
    if not trial.load.spec["direct"]:
        return NoTime("it went through the page cache, whose speed is not predicted")
    if not len(requests):
        return NoTime("it has no reads or writes")
    chosen = services_of(model, requests, devices)
    if isinstance(chosen, NoTime):
        return chosen
    try:
        network = network_of(model, requests, chosen)
    except UsageError as problem:
        return NoTime(str(problem))
    if network.cached or len(network.works) != len(requests):
        return NoTime("a write-back cache lies below, whose writes have no times of their own")
    return network


def _through(
    network: Network, services: Sequence[ServiceModel], times: Sequence[float], in_flight: int
) -> ServedRequests:
    return arrive(network.works, services, times, in_flight=in_flight, mirrors=network.mirrors)


def _figures(
    came: ServedRequests, times: Sequence[float], requests: Requests, *, timed: bool
) -> dict[str, float]:
    """Rates, latencies and lateness of simulated requests."""
    issued = np.array(times) + np.array(came.late)
    latencies = np.array(came.latencies)
    return _summed(issued, latencies, np.array(came.late), requests.lengths, timed=timed)


def _measured(loop: Replayed, at: np.ndarray, *, timed: bool) -> dict[str, float]:
    """The same of requests as a loop issued them; those that failed are left out."""
    good = at[loop.errors[at] == 0]
    late = loop.late[good] / 1e9
    issued = loop.times[good] / 1e9 + late
    return _summed(issued, loop.took[good] / 1e9, late, loop.lengths[good], timed=timed)


def _summed(
    issued: np.ndarray, latencies: np.ndarray, late: np.ndarray, lengths: np.ndarray, *, timed: bool
) -> dict[str, float]:
    if not len(issued):
        return {}
    elapsed = float((issued + latencies).max() - issued.min()) or 1e-9
    figures = {
        "iops": len(issued) / elapsed,
        "bandwidth": float(lengths.sum(dtype=np.float64)) / elapsed,
        "latency_mean": float(latencies.mean()),
        "latency_p99": float(np.percentile(latencies, 99)),
    }
    if timed:
        arrival = arrivals((late * 1e9).astype(np.int64))
        figures["arrival_error_p99"] = arrival["arrival.error.p99"]
        figures["lag"] = arrival["arrival.lag"]
    return figures


def _mean(loops: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Means over loops of what all of them have."""
    names = [name for name in loops[0] if all(name in loop for loop in loops)]
    return {name: sum(loop[name] for loop in loops) / len(loops) for name in names}


def _error(latencies: Sequence[float]) -> float:
    """Half of the 95 % interval of the mean, by batch means; 0 of few."""
    size = len(latencies) // _BATCHES
    if size < 2:
        return 0.0
    means = [sum(latencies[at * size : (at + 1) * size]) / size for at in range(_BATCHES)]
    mean = sum(means) / _BATCHES
    variance = sum((each - mean) ** 2 for each in means) / (_BATCHES - 1)
    return _T95 * sqrt(variance / _BATCHES)
