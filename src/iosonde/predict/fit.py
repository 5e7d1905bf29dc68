"""A controller's overhead and rate from what was measured of it.

Where a controller is what an array waits for, a request takes so many seconds of its time for each
I/O to a drive, and so many for each byte: two unknowns, which two measurements with other strips
tell; of more of them, least squares. The tolerance holds 95 % of what is left over.

Source: C. Lawson and R. Hanson, "Solving Least Squares Problems" (1974), chapter 23: non-negative
least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.predict.model import model_of, top_of
from iosonde.predict.requests import FLUSH
from iosonde.predict.time import NoTime, services_of, steady_requests
from iosonde.predict.what_if import variants
from iosonde.predict.work import network_of

if TYPE_CHECKING:
    from iosonde.predict.devices import DeviceModels
    from iosonde.predict.service.controller import Controller
    from iosonde.predict.what_if import SettingValues
    from iosonde.predict.work import Network
    from iosonde.records.load import Load
    from iosonde.stack.file import DeclaredStack

_Z95 = 1.96


def asked_of(network: Network, name: str) -> tuple[float, float]:
    """I/Os and bytes that a request asks of a device on average."""
    place = network.names.index(name)
    accesses = [
        access
        for work in network.works
        for phase in work
        for number, access in phase
        if number == place
    ]
    count = sum(access.count for access in accesses) / len(network.works)
    return count, sum(access.size for access in accesses) / len(network.works)


def network_and_size(
    declared: DeclaredStack,
    at: str,
    load: Load,
    changes: Sequence[SettingValues],
    devices: DeviceModels,
    count: int,
) -> list[tuple[Network, float]]:
    """What the load asks of the devices with each combination of values, and a request's bytes.

    Raises:
        UsageError: a device has no model, or its I/Os cannot be told.
    """
    networks = []
    for variant in variants(declared, top_of(declared, at), changes):
        model = model_of(variant.top, declared.mtu, variant.extra)
        requests = steady_requests(model, load, count, devices)
        chosen = services_of(model, requests, devices)
        if isinstance(chosen, NoTime):
            raise UsageError(chosen.reason)
        network = network_of(model, requests, chosen)
        networks.append((network, float(requests.lengths[requests.ops != FLUSH].mean())))
    return networks


def fitted(
    networks: Sequence[Network], rates: Sequence[float], name: str, like: Controller
) -> Controller:
    """The controller that would have been as fast as measured.

    Args:
        networks: what the load asks, of each measurement.
        rates: requests a second of each.
        name: of the controller's layer.
        like: its cache and latency.

    Raises:
        UsageError: fewer than two measurements, or none that a controller explains.
    """
    import numpy as np
    from scipy.optimize import nnls

    if len(networks) != len(rates) or len(rates) < 2:
        raise UsageError(
            f"{len(rates)} measurements for {len(networks)} combinations of --set",
            where="--fit", hint="give one for each, two at the least",
        )  # fmt: skip
    asked = np.array([asked_of(network, name) for network in networks])
    times = 1 / np.array(rates, dtype=float)
    coefficients, _ = nnls(asked / times[:, None], np.ones(len(rates)))
    if not coefficients[1] > 0:
        raise UsageError(
            f"what was measured is not explained by a rate of {name}",
            where="--fit", hint="measure settings that differ more",
        )  # fmt: skip
    left = asked @ coefficients / times - 1
    free = len(rates) - int(np.count_nonzero(coefficients))
    tolerance = _Z95 * sqrt(float(left @ left) / free) if free else 0.0
    return replace(
        like,
        overhead=float(coefficients[0]),
        rate=float(1 / coefficients[1]),
        tolerance=min(tolerance, 0.99),
    )
