"""How fast a load will be, from its declaration or its trace on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.predict.model import model_of, top_of
from iosonde.predict.requests import FLUSH, is_trace, of_load, of_trace
from iosonde.predict.shape import Shape, shape_of
from iosonde.predict.time import NoTime, enough, services_of, time_of
from iosonde.predict.what_if import variants
from iosonde.predict.work import network_of

if TYPE_CHECKING:
    from iosonde.predict.devices import DeviceModels
    from iosonde.predict.model import StackModel
    from iosonde.predict.requests import Requests
    from iosonde.predict.time import Time
    from iosonde.predict.what_if import SettingValues
    from iosonde.predict.work import Network
    from iosonde.records.load import Load
    from iosonde.stack.file import DeclaredStack


def timed(model: StackModel, load: str, count: int, devices: DeviceModels) -> Time | NoTime:
    """How fast a load will be: a name, a file or a command line of fio, or a trace.

    A trace says nothing of how many requests were under way: they come one after the other.

    Args:
        model: the stack.
        load: as on the command line.
        count: requests at the least, where the load does not say.
        devices: the models of the layers.
    """
    from iosonde.loads.named import declare_load

    if is_trace(Path(load)):
        return time_of(model, of_trace(Path(load)), Shape(), devices)
    return timed_load(model, declare_load(load, where="--load", directory=Path()), count, devices)


def timed_load(model: StackModel, load: Load, count: int, devices: DeviceModels) -> Time | NoTime:
    """As `timed`, of a load that is understood already."""
    return time_of(model, _requests(model, load, count, devices), shape_of(load), devices)


def _requests(model: StackModel, load: Load, count: int, devices: DeviceModels) -> Requests:
    """As many as the steady state needs, whatever the load does until it ends."""
    few = of_load(load, 1, model.size, exactly=True)
    size = int(few.lengths.max()) if len(few) else 1
    return of_load(load, enough(model, devices, size, count), model.size, exactly=True)


def network_and_size(
    declared: DeclaredStack,
    at: str,
    load: str,
    changes: Sequence[SettingValues],
    devices: DeviceModels,
    count: int,
) -> list[tuple[Network, float]]:
    """What the load asks of the devices with each combination of values, and a request's bytes.

    Raises:
        UsageError: a device has no model, or its I/Os cannot be told.
    """
    from iosonde.loads.named import declare_load

    understood = declare_load(load, where="--load", directory=Path())
    found = []
    for variant in variants(declared, top_of(declared, at), changes):
        model = model_of(variant.top, declared.mtu, variant.extra)
        requests = _requests(model, understood, count, devices)
        chosen = services_of(model, requests, devices)
        if isinstance(chosen, NoTime):
            raise UsageError(chosen.reason)
        network = network_of(model, requests, chosen)
        found.append((network, float(requests.lengths[requests.ops != FLUSH].mean())))
    return found
