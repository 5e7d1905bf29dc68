"""What a lost disk leaves of the layers below a target, seen between two loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.explain.gather import of_run
from iosonde.explain.rules.faults import RULES
from iosonde.hosts import open_host
from iosonde.measure.sheet import sheet, trial_sheet
from iosonde.measure.trouble import Watched, troubles_of
from iosonde.records.load import Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, Run, RunState, Trial
from iosonde.records.stack import StackLayer
from iosonde.stack.discover import discover
from tests.recordings.sata_md_lvm import sata_md_lvm

RECORDINGS = Path(__file__).parents[2] / "recordings"


def array(*hazards: str, kind: str = "md") -> StackLayer:
    return StackLayer(f"h/{kind}:md0", kind, "h", "/dev/md0", 1, hazards=hazards)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((), ("degraded", "sdb faulty"), "/dev/md0 (md) is degraded, sdb faulty"),
        (("degraded",), (), "/dev/md0 (md) is whole again, and was degraded before"),
        (("peer lost",), ("stand-alone",), "is stand-alone, and was peer lost before"),
        ((), ("resync 12%",), ""),
        (("recover 3%", "degraded"), ("degraded", "recover 44%"), ""),
        (("mounted",), ("held by vg0-srv", "in use"), ""),
        ((), ("97% full", "metadata 91% full"), ""),
        ((), ("unsafe cache",), ""),
        (("misaligned",), ("misaligned",), ""),
    ],
)
def test_only_what_broke_or_was_mended_is_a_change(
    before: tuple[str, ...], after: tuple[str, ...], expected: str
) -> None:
    watched = Watched({}, (array(*before),)).compared(troubles_of([array(*after)]), "then")
    assert expected in watched
    assert bool(watched) == bool(expected)


async def test_a_recorded_array_that_lost_a_member() -> None:
    host = await open_host(f"recording:{RECORDINGS / 'uml-md-trouble'}")
    capture = await discover([host])
    target = Target(host.name, "/dev/md1", TargetKind.DEVICE)
    watched = Watched.under(capture, target, [host])
    assert watched is not None
    assert await watched.change(0.0) == ""
    sound = replace(watched, layers=tuple(replace(layer, hazards=()) for layer in watched.layers))
    message = await sound.change(0.0)
    assert "/dev/md1 (md) is degraded, ubdg faulty" in message
    lost = replace(watched, layers=(*watched.layers, array()))
    assert await lost.change(0.0) == ""  # another host's, which is not asked


async def test_a_layer_that_is_gone() -> None:
    host = await open_host(f"recording:{RECORDINGS / 'uml-md-trouble'}")
    stopped = replace(array(), id=f"{host.name}/md:md77", host=host.name)
    assert "is gone" in await Watched({host.name: host}, (stopped,)).change(0.0)
    assert not await Watched({host.name: host}, (stopped,), renamed=True).change(0.0)


async def test_a_plain_disk_is_not_looked_at() -> None:
    host = await open_host(f"recording:{RECORDINGS / 'vm_loops'}")
    target = Target(host.name, "/dev/vda", TargetKind.DEVICE)
    assert Watched.under(await discover([host]), target, [host]) is None


def loop(index: int, iops: float, left_out: str = "") -> Loop:
    result = LoadResult({"read.iops": iops}, {"read.iops": "1/s"}, left_out=left_out,
                        faults=(left_out,) if left_out else ())  # fmt: skip
    return Loop(index, 0.0, 1.0, result, RawOutput(0, b"", b""))


def test_a_loop_that_is_left_out_is_in_no_figure() -> None:
    change = "The stack below changed between 14:02 and 14:03: /dev/md0 (md) is degraded"
    trial = Trial(
        "t", "h", "p", Target("h", "/dev/md0", TargetKind.DEVICE), Load("fio", "l", {}), "fio",
        (loop(0, 70_000.0), loop(1, 71_000.0), loop(2, 269.0, change)), faults=(change,),
    )  # fmt: skip
    (metric,) = trial_sheet(trial).metrics
    assert metric.loops == (70_000.0, 71_000.0)
    run = Run("r", "s", {}, 0.0, RunState.FAILED, (trial,))
    (finding,) = RULES[0].find(of_run(sheet(run), ()))
    assert "14:02 and 14:03" in finding.message
    assert (
        "1 loop is left out of all figures. The 2 loops that were finished are kept."
        in finding.message
    )
    only = replace(trial, loops=trial.loops[2:])
    assert trial_sheet(only).metrics == ()


@pytest.mark.parametrize(
    "name", sorted(file.parent.name for file in RECORDINGS.glob("*/index.json"))
)
async def test_what_is_looked_at_between_loops_tells_as_much_as_the_capture(name: str) -> None:
    host = await open_host(f"recording:{RECORDINGS / name}")
    capture = await discover([host])
    kinds = troubles_of(capture.layers).keys()
    layers = tuple(layer for layer in capture.layers if layer.id in kinds)
    watched = Watched({host.name: host}, layers)
    assert watched.compared(await watched._read(), "then") == ""


async def test_what_is_misaligned_is_seen_between_loops_too() -> None:
    machine = sata_md_lvm()
    for path in [file for file in machine.files if file.endswith("/slot")]:
        machine.files[path.replace("/slot", "/offset")] = (
            b"2063\n"  # sectors; the disks' have 4 KiB
        )
    host = machine.host()
    capture = await discover([host])
    layers = tuple(layer for layer in capture.layers if layer.kind in {"md", "lvm"})
    assert any("misaligned" in layer.hazards for layer in layers)
    watched = Watched({host.name: host}, layers)
    assert watched.compared(await watched._read(), "then") == ""
