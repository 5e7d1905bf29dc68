"""Predicted beside counted: stacks as they are found, and what a difference is put down to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.case import Case, Ledger, Measured
from iosonde.explain.rules.ledger import differences
from iosonde.loads.load import REQUESTS
from iosonde.loads.named import declare_load
from iosonde.measure.counting import COUNTED
from iosonde.predict.account import ledger_of
from iosonde.predict.found import model_of_found
from iosonde.predict.look import Look
from iosonde.predict.model import model_of, predict, top_of
from iosonde.predict.requests import Requests, of_lines, of_load
from iosonde.records import (
    Capture,
    Finding,
    HostFacts,
    LoadResult,
    Loop,
    RawOutput,
    Scalar,
    StackLayer,
    Target,
    TargetKind,
    Trial,
)
from iosonde.stack.file import understand
from tests.unit.predict.found_stacks import figures, iolog, layer

MIB, SECTOR = 2**20, 512
LOAD = "fio --name=x --rw=randwrite --bs=4k --direct=1 --size=64m --number_ios=600"
MEMBERS = ("vdd", "vdb", "vde", "vdc")  # by slot: not the order of their names
DISKS = tuple(sorted(MEMBERS))


def stack(**array: Scalar) -> tuple[StackLayer, ...]:
    """A volume on RAID 5 of four disks, as it is found."""
    facts: dict[str, Scalar] = {
        "level": "raid5", "raid_disks": 4, "chunk_size": 65536, "layout": 2, "degraded": 0,
        "size": 3 * 1023 * MIB, **array,
    }  # fmt: skip
    return (
        layer("lvm", "dm-0", ("md:md0",), device="/dev/mapper/g-lv", size=512 * MIB),
        layer("md", "md0", tuple(f"disk:{one}" for one in DISKS), **facts),
        *(layer("disk", one, (), size=1024 * MIB) for one in DISKS),
    )


def facts(*, lost: int | None = None) -> dict[str, str]:
    found = {"/sys/class/block/md0/dev": "9:0", "dmsetup table": "g-lv: 0 1048576 linear 9:0 2304"}
    for slot, name in enumerate(MEMBERS):
        place = f"/sys/block/md0/md/dev-{name}"
        found |= {
            f"{place}/slot": str(slot), f"{place}/offset": "2048",
            f"{place}/state": "faulty" if slot == lost else "in_sync",
            f"/sys/class/block/{name}/queue/max_sectors_kb": "1280",
            f"/sys/class/block/{name}/queue/max_segments": "254",
        }  # fmt: skip
    return found


def requests() -> Requests:
    load = declare_load(LOAD, where="test", directory=Path())
    return of_load(load, 600, 512 * MIB)


def recorded(made: Requests) -> bytes:
    """As fio writes it."""
    return iolog(
        ("write" if op else "read", offset, length)
        for op, offset, length in zip(made.ops, made.offsets, made.lengths, strict=True)
    )


Counts = dict[str, tuple[int, int, int, int]]


def truth(layers: tuple[StackLayer, ...], known: Mapping[str, str], **overlay: Scalar) -> Counts:
    """What a kernel would count, if it is as the core says: device → four figures."""
    look = Look(layers, {"h": known}, {"h/md:md0": overlay})
    found = model_of_found(look)
    counts = predict(found.model, requests()).layers
    return {
        place.device: (one.reads, one.read_bytes, one.writes, one.write_bytes)
        for place, one in zip(found.places, counts, strict=True)
    }


def trial(
    counts: Counts,
    *,
    idle: Counts | None = None,
    layers: tuple[StackLayer, ...] | None = None,
    known: Mapping[str, str] | None = None,
    declared: tuple[Mapping[str, Scalar], ...] = (),
    load: str = LOAD,
) -> Trial:
    nothing: Counts = dict.fromkeys(counts, (0, 0, 0, 0))
    readings = [
        figures(nothing, 100), figures(idle or nothing, 100), figures(nothing, 500),
        figures(counts, 500),
    ]  # fmt: skip
    document = {
        "idle_seconds": 2.0, "readings": readings, "facts": {"h": dict(known or facts())},
        "declared": list(declared),
    }  # fmt: skip
    files = {COUNTED: json.dumps(document).encode(), REQUESTS: recorded(requests())}
    loop = Loop(
        0, 0.0, 4.0, LoadResult({}, {}, issued={"write": 600}), RawOutput(0, b"", b"", files)
    )
    host = HostFacts("h", "6.1", 2, None)
    return Trial(
        "t", "h", "p", Target("h", "/dev/mapper/g-lv", TargetKind.DEVICE),
        declare_load(load, where="test", directory=Path()), "fio", (loop,),
        Capture(0.0, (host,), layers or stack()),
    )  # fmt: skip


def judged(one: Trial) -> tuple[Ledger, list[Finding]]:
    ledger = ledger_of(one)
    assert ledger is not None
    measured = Measured("x at p", "run/t", "run", "fio", {}, ledger=ledger)
    return ledger, list(differences(Case(trials=(measured,))))


def test_a_found_stack_is_what_was_declared() -> None:
    """The same array, volume and places, once declared and once found, count the same."""
    lines = ["stack: s", "hosts: {h: {at: local}}", "layers:"]
    lines += [f"  {one}: {{kind: disk, host: h, size: 1 GiB, path: /dev/{one}}}" for one in MEMBERS]
    lines.append(f"  r: {{kind: md, level: 5, chunk_size: 64k, of: [{', '.join(MEMBERS)}]}}")
    lines.append("  lv: {kind: lvm, of: r}")
    declared = understand("\n".join(lines), "s.yaml")
    wanted = predict(model_of(top_of(declared), 1500), requests())
    found = truth(stack(), facts())
    for one in wanted.disks():
        assert found[one.id] == (one.reads, one.read_bytes, one.writes, one.write_bytes)
    assert found["md0"][2] == 600


def test_what_fio_wrote_down_is_what_is_reckoned_with() -> None:
    made = requests()
    again = of_lines(iter(recorded(made).decode().splitlines()), "iolog")
    assert again.offsets.tolist() == made.offsets.tolist()
    assert again.ops.tolist() == made.ops.tolist()


def test_equal_counts_are_no_finding() -> None:
    ledger, found = judged(trial(truth(stack(), facts())))
    assert found == []
    assert ledger.recorded
    assert ledger.depth == 1
    assert [row.device for row in ledger.rows][:2] == ["dm-0", "md0"]
    assert all(row.counted == row.predicted for row in ledger.rows)


def test_superblocks_and_udev_are_no_finding() -> None:
    counts = {
        device: (reads + 60, read + 60 * 4096, writes + 2, written + 1024)
        for device, (reads, read, writes, written) in truth(stack(), facts()).items()
    }
    assert judged(trial(counts))[1] == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"chunk_size": 524288}, "chunk_size = 512 KiB"),
        ({"model.failed": 4}, "member 2 lost"),
    ],
)
def test_an_array_that_is_something_else(change: dict[str, Scalar], says: str) -> None:
    """Which figure of the array makes the counts come true is found by trying."""
    (finding,) = judged(trial(truth(stack(), facts(), **change)))[1]
    assert finding.rule == "ledger-difference"
    assert says in finding.message
    assert any("counted" in one.what for one in finding.evidence)


def test_a_lost_member_that_is_known_is_reckoned_with() -> None:
    known = facts(lost=1)
    counts = truth(stack(), known)
    assert "vdb" not in counts
    assert judged(trial(counts, known=known))[1] == []


BIT = 65536
BITMAP = {
    "/sys/block/md0/md/bitmap/location": "+8",
    "/sys/block/md0/md/bitmap/chunksize": str(BIT),
    "/sys/block/md0/md/metadata_version": "1.2",
    "/sys/block/md0/md/component_size": str(1023 * 1024),
}


def test_the_bitmap_of_an_array_is_reckoned_with() -> None:
    """A bit stands for a place of the members, and is set by the first write to it."""
    places = (requests().offsets + 2304 * SECTOR).tolist()
    bits = {(one // (3 * 65536) * 65536 + one % 65536) // BIT for one in places}
    plain, more = truth(stack(), facts()), truth(stack(), facts() | BITMAP)
    for one in DISKS:
        assert more[one][2] - plain[one][2] == len(bits) + 1, "and one page when they are cleared"
        assert more[one][3] - plain[one][3] == (len(bits) + 1) * 5 * SECTOR
    assert judged(trial(more, known=facts() | BITMAP))[1] == []
    # Bits that were set already, and are not cleared yet.
    assert judged(trial(plain, known=facts() | BITMAP))[1] == []
    # An array of which nobody knows that it has one.
    assert judged(trial(more))[1] != []


def test_a_bitmap_hides_nobody_else() -> None:
    known = facts() | BITMAP
    more = truth(stack(), known)
    counts = grown(more, lambda r, rb, w, wb: (r, rb, w + 600, wb + 600 * 65536))
    assert judged(trial(counts, known=known))[1] != []


def test_a_bitmap_whose_place_is_not_known_is_named() -> None:
    known = facts() | BITMAP | {"/sys/block/md0/md/metadata_version": "1.0"}
    ledger, _ = judged(trial(truth(stack(), facts()), known=known))
    assert "h/md:md0: not reckoned with: its write-intent bitmap" in ledger.notes
    file = facts() | {"/sys/block/md0/md/bitmap/location": "file"}
    ledger, _ = judged(trial(truth(stack(), facts()), known=file))
    assert any("bitmap" in note for note in ledger.notes)


def test_an_array_that_was_declared_otherwise() -> None:
    """Built by hand with 512 KiB where the stack file says 64."""
    layers = stack(chunk_size=524288)
    declared: dict[str, Scalar] = {
        "host": "h", "kind": "md", "device": "/dev/md0", "level": 5, "chunk_size": 65536,
    }  # fmt: skip
    one = trial(truth(layers, facts()), layers=layers, declared=(declared,))
    (finding,) = judged(one)[1]
    assert "chunk_size of h/md:md0 is 524288, not 65536" in finding.message


def grown(counts: Counts, grow: Callable[[int, int, int, int], tuple[int, ...]]) -> Counts:
    return {device: (*grow(*four),) if device in DISKS else four for device, four in counts.items()}  # type: ignore[misc]


def test_someone_else() -> None:
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r + 2000, rb + 8_192_000, w, wb))
    idle: Counts = dict.fromkeys(counts, (0, 0, 0, 0)) | dict.fromkeys(
        DISKS, (500, 2_048_000, 0, 0)
    )
    (finding,) = judged(trial(counts, idle=idle))[1]
    assert "Someone else" in finding.message
    # As much as was seen without the load is theirs, and leaves nothing to explain.
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r + 100, rb + 409_600, w, wb))
    idle = dict.fromkeys(counts, (0, 0, 0, 0)) | dict.fromkeys(DISKS, (50, 204_800, 0, 0))
    assert judged(trial(counts, idle=idle))[1] == []


def test_the_kernel_merges_more() -> None:
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r, rb, w // 2, wb))
    (finding,) = judged(trial(counts))[1]
    assert "merges more" in finding.message


def test_what_is_not_covered_is_said() -> None:
    known = facts() | {"dmsetup table": "g-lv: 0 1048576 thin 253:4 1"}
    ledger, found = judged(trial({"dm-0": (0, 0, 600, 600 * 4096)}, known=known))
    assert "thin is not covered" in ledger.uncovered[0]
    assert [row.device for row in ledger.rows] == ["dm-0"]
    assert found == []


def test_several_at_once_may_count_less() -> None:
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r // 2, rb // 2, w // 2, wb))
    one = trial(counts, load=f"{LOAD} --iodepth=32 --ioengine=libaio")
    assert judged(one)[0].depth == 32
    assert judged(one)[1] == []


def test_a_trial_without_counters_has_no_ledger() -> None:
    one = trial(truth(stack(), facts()))
    bare = replace(one.loops[0], raw=RawOutput(0, b"", b""))
    assert ledger_of(replace(one, loops=(bare,))) is None


def test_what_cannot_be_predicted_is_said() -> None:
    one = trial(truth(stack(), facts()))
    other = replace(one, load=replace(one.load, engine="iozone"))
    ledger, found = judged(other)
    assert ledger.rows == ()
    assert "iozone" in ledger.uncovered[0]
    assert found == []


def test_a_file_by_its_extents() -> None:
    """The second half of a file that lies in two pieces is read where it is."""
    printed = (
        "Filesystem type is: 58465342\n"
        " ext:     logical_offset:        physical_offset: length:   expected: flags:\n"
        "   0:        0..    2047:      34816..     36863:   2048:\n"
        "   1:     2048..    4095:     100000..    102047:   2048:      36864: last,eof\n"
    )
    mount = replace(layer("xfs", "/mnt", ("disk:vdb",), size=1024 * MIB), mount="/mnt")
    disk = layer("disk", "vdb", (), size=1024 * MIB)
    look = Look((mount, disk), {"h": {"filefrag": printed}})
    found = model_of_found(look)
    rule, figures_, below = found.model.nodes[0]
    assert (rule, below) == ("linear", (1,))
    assert figures_["at1"] == 100_000 * SECTOR
    assert found.model.size == 4096 * SECTOR
