"""What `iosonde predict` says of times: for each combination, in tables and in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.predict.time import NoTime, Time

if TYPE_CHECKING:
    from rich.console import Console

    from iosonde.predict.devices import DeviceModels
    from iosonde.predict.model import StackModel
    from iosonde.predict.what_if import Variant
    from iosonde.records.stack import Json
    from iosonde.stack.file import DeclaredStack

_BAR = 24


def devices_of(declared: DeclaredStack, texts: Sequence[str], store: str | None) -> DeviceModels:
    """The models of a stack's layers: those of the command line before those of the file.

    Raises:
        UsageError: a text describes no model, or is for no layer.
    """
    from iosonde.predict.devices import DeviceModels, parse_devices

    found = DeviceModels({**declared.devices, **parse_devices(texts)}, store)
    names = [site.name for site in declared.sites]
    drives = [
        f"{site.name}-{drive}"
        for site in declared.sites
        for drive in getattr(site.declared, "drives", ())
    ]
    found.check([*names, *drives], [*{site.kind for site in declared.sites}, "disk"])
    return found


def time_json(time: Time | NoTime) -> Json:
    """The object of the contract; None where there is none. `band` is of `iops`."""
    if isinstance(time, NoTime):
        return None
    return {
        "iops": time.iops, "bandwidth": time.bandwidth, "latency_mean": time.latency,
        "band": list(time.band),
    }  # fmt: skip


def basis_json(time: Time | NoTime, model: StackModel, devices: DeviceModels) -> Json:
    """What a time rests on."""
    if isinstance(time, NoTime):
        return {"reason": time.reason}
    texts = {site.name: devices.text(site) for site in model.declared}
    return {
        "devices": {name: text for name, text in texts.items() if text},
        "depth": time.depth,
        "bottleneck": time.bottleneck or None,
        "busy": dict(time.busy),
        "covers": list(time.covers),
        "notes": list(time.notes),
    }


def print_time(console: Console, time: Time | NoTime) -> None:
    """One combination."""
    if isinstance(time, NoTime):
        console.print(f"no times: {time.reason}", style="dim")
        return
    band = units.show_range(*time.band, "1/s")
    text = (
        f"{units.show_iops(time.iops)} (band {band}), {units.show_bandwidth(time.bandwidth)}, "
        f"{units.show_seconds(time.latency)} each, {time.depth} under way"
    )
    console.print(text, style="bold")
    if time.bottleneck:
        share = units.show_fraction(time.busy[time.bottleneck])
        console.print(f"  the busiest is {time.bottleneck}: {share} of the time")
    console.print(f"  the band covers {', '.join(time.covers)}", style="dim")
    for note in time.notes:
        console.print(f"  {note}", style="dim")


def print_times(console: Console, rows: Sequence[tuple[Variant, Time | NoTime]]) -> None:
    """All combinations, drawn: the band as a bar, its middle marked."""
    from rich.table import Table

    known = [time for _, time in rows if isinstance(time, Time)]
    if not known:
        reason = next((time.reason for _, time in rows if isinstance(time, NoTime)), "")
        console.print(f"no times: {reason}", style="dim")
        return
    most = max(one.band[1] for one in known)
    table = Table(box=None)
    for name in rows[0][0].settings:
        table.add_column(name)
    for heading in ("I/Os", "band", "bandwidth", "latency", "busiest"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("0 … " + units.show_iops(most), no_wrap=True)
    for variant, time in rows:
        table.add_row(*variant.settings.values(), *_cells(time, most))
    console.print(table)


def _cells(time: Time | NoTime, most: float) -> Sequence[str]:
    if isinstance(time, NoTime):
        return ("–", "–", "–", "–", "–", time.reason)
    return (
        units.show_iops(time.iops),
        units.show_range(*time.band, "1/s"),
        units.show_bandwidth(time.bandwidth), units.show_seconds(time.latency),
        time.bottleneck or "–", bar(time, most),
    )  # fmt: skip


def bar(time: Time, most: float) -> str:
    """Certain up to the band's begin, then the band, the prediction marked in it."""
    low, at, high = (
        min(round(value / most * _BAR), _BAR) for value in (time.band[0], time.iops, time.band[1])
    )
    cells = ["█" if place < low else "░" if place < high else " " for place in range(_BAR)]
    cells[min(max(at - 1, 0), _BAR - 1)] = "▌"
    return "".join(cells)
