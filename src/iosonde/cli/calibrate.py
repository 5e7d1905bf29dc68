"""`iosonde calibrate`: measure how fast a device is, for `iosonde predict`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.options import InContainer, StorePlace, permitted
from iosonde.cli.output import err, out, print_json, write_message

if TYPE_CHECKING:
    from iosonde.verbs.calibrate import Calibration


def calibrate(
    target: Annotated[
        str, typer.Argument(help="A device, or a directory for a scratch file; HOST:/PATH.")
    ],
    name: Annotated[str, typer.Option(help="Name, for --device LAYER=calibration:NAME.")] = "",
    writes: Annotated[
        bool,
        typer.Option("--writes", help="Measure writes too; they destroy what is on the device."),
    ] = False,
    destroy: Annotated[
        list[str] | None, typer.Option(help="The device whose content may be destroyed.")
    ] = None,
    in_container: InContainer = False,
    seconds: Annotated[
        str | None, typer.Option(help="Length of one loop (all loops together: two minutes).")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Size of a scratch file (256 MiB).")] = None,
    store: StorePlace = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the loads; run nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> int:
    """Measure how long a device takes: random and sequential, sizes, depths; reads unless asked."""
    from iosonde.cli.measuring import watched
    from iosonde.measure.progress import unwatched
    from iosonde.verbs import calibrate as verb

    permitted(destroy, in_container=in_container)
    length = units.parse_seconds(seconds) if seconds else None
    with nullcontext(unwatched) if dry_run else watched() as progress:
        calibrated = verb.calibrate(
            target, name=name, writes=writes, destroy=destroy or (), in_container=in_container,
            seconds=length, size=size or "256 MiB", store=store, dry_run=dry_run,
            progress=progress, tell=write_message,
        )  # fmt: skip
    if as_json:
        print_json(calibrated.to_json())
    elif calibrated.loads is None:
        _print(calibrated)
    for load in () if as_json else calibrated.loads or ():
        out().print(load)
    if calibrated.rescued is not None:
        raise calibrated.rescued
    return 0


def _print(calibrated: Calibration) -> None:
    from rich.table import Table

    table = Table(box=None)
    for heading in ("", "size", "depth", "I/Os", "bandwidth", "of the mean ±"):
        table.add_column(heading, justify="right" if heading else "left")
    for point in calibrated.points or ():
        table.add_row(
            f"{point.pattern} {point.direction}", units.show_bytes(point.size), str(point.depth),
            units.show_iops(point.iops),
            units.show_bandwidth(point.bandwidth), units.show_fraction(point.spread),
        )  # fmt: skip
    out().print(table)
    name = calibrated.name
    err().print(
        f"kept as {name!r}: iosonde predict … --device LAYER=calibration:{name}\n"
        f"interpolation and loops: off by {units.show_fraction(calibrated.off or 0)} "
        "(standard deviation)",
    )
