"""`iosonde calibrate`: measure how fast a device is, for `iosonde predict`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde import units
from iosonde.cli.options import InContainer, StorePlace, permitted
from iosonde.cli.output import err, out, print_json
from iosonde.cli.stored import store_to_write
from iosonde.errors import LoadFailed, UsageError

if TYPE_CHECKING:
    from iosonde.measure.study import Plan
    from iosonde.predict.calibrate import CalibrationPoint
    from iosonde.predict.service.measured import CalibratedDevice
    from iosonde.records.run import Run
    from iosonde.records.stack import Json

_TOTAL = 110.0  # seconds of load; with the start of each fio about two minutes


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
    from iosonde.cli.run import watched
    from iosonde.predict.calibrate import seconds_of
    from iosonde.verbs.run import measure

    permissions = permitted(destroy, in_container=in_container)
    length = units.parse_seconds(seconds) if seconds else seconds_of(writes=writes, total=_TOTAL)
    called = name or target
    plan = _plan(called, target, size or "256 MiB", writes=writes, seconds=length)
    if dry_run:
        return _show(plan, as_json=as_json)
    with store_to_write(store) as kept:
        with watched() as progress:
            measured = measure(plan, kept, None, permissions, progress)
        for problem in measured.failures:
            raise problem
        return _shown(called, target, measured.run, as_json=as_json)


def _shown(called: str, target: str, run: Run, *, as_json: bool) -> int:
    """Print what a calibration gave; 0.

    Raises:
        LoadFailed: a part of it failed.
    """
    from iosonde.predict.calibrate import points
    from iosonde.predict.service.measured import of_points

    faults = [text for trial in run.trials for text in trial.faults if not trial.loops]
    if faults:
        raise LoadFailed(f"the calibration is incomplete: {faults[0]}", where=target)
    found = points(run)
    device = of_points(called, found)
    if as_json:
        print_json(document(called, run, found, device))
        return 0
    _print(called, found, device)
    return 0


def _plan(name: str, target: str, size: str, *, writes: bool, seconds: float) -> Plan:
    from iosonde.measure.study import Study, make_plan
    from iosonde.predict.calibrate import LOOPS, loads, study_of
    from iosonde.stack.declare import check_declaration
    from iosonde.verbs.run import target_of

    declared: dict[str, Any] = {
        "study": study_of(name),
        "targets": [target_of(target)],
        "loads": [{"fio": line} for line in loads(writes=writes, seconds=seconds)],
        "loops": LOOPS,
    }
    if not _is_device(target):
        declared["size"] = size
        declared["loads"] = [{"fio": f"{one['fio']} --size={size.replace(' ', '')}"}
                             for one in declared["loads"]]  # fmt: skip
    if any(sign in name for sign in "\n,="):
        raise UsageError(
            f"{name!r} is not a valid name", where="--name", hint="without commas and ="
        )
    return make_plan(check_declaration(declared, "command line", Study), where="command line")


def _is_device(target: str) -> bool:
    """Whether the load is to go over all of it: on other hosts by its name."""
    from iosonde.measure.study import probe_point

    probe = probe_point(target)
    return Path(probe.path).is_block_device() if probe.host == "local" else (
        probe.path.startswith("/dev/")
    )  # fmt: skip


def _show(plan: Plan, *, as_json: bool) -> int:
    loads = [trial.load for part in plan.rounds for trial in part]
    if as_json:
        names: list[Json] = [one.name for one in loads]
        print_json({"schema": "iosonde.calibrate/1", "name": plan.study.study, "loads": names})
        return 0
    for one in loads:
        out().print(one.name)
    return 0


def document(
    name: str, run: Run, found: list[CalibrationPoint], device: CalibratedDevice
) -> dict[str, Json]:
    """The object of `iosonde.calibrate/1`."""
    rows: list[Json] = [
        {
            "direction": "write" if one.write else "read",
            "pattern": "random" if one.random else "sequential",
            "size": one.size, "depth": one.depth, "iops": one.iops,
            "bandwidth": one.iops * one.size, "latency_mean": one.depth / one.iops,
            "spread": one.spread,
        }
        for one in found
    ]  # fmt: skip
    return {
        "schema": "iosonde.calibrate/1", "name": name, "run": run.id, "points": rows,
        "off": device.off,
    }  # fmt: skip


def _print(name: str, found: list[CalibrationPoint], device: CalibratedDevice) -> None:
    from rich.table import Table

    table = Table(box=None)
    for heading in ("", "size", "depth", "I/Os", "bandwidth", "of the mean ±"):
        table.add_column(heading, justify="right" if heading else "left")
    for one in found:
        what = f"{'random' if one.random else 'sequential'} {'write' if one.write else 'read'}"
        table.add_row(
            what, units.show_bytes(one.size), str(one.depth), units.show_iops(one.iops),
            units.show_bandwidth(one.iops * one.size), units.show_fraction(one.spread),
        )  # fmt: skip
    out().print(table)
    err().print(
        f"kept as {name!r}: iosonde predict … --device LAYER=calibration:{name}\n"
        f"interpolation and loops: off by {units.show_fraction(device.off)} (standard deviation)",
    )
