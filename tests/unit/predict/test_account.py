"""Predicted beside counted: stacks as they are found, and what a difference is put down to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from iosonde import _core
from iosonde.explain.rules.ledger import differences
from iosonde.layers._ledger.look import Look
from iosonde.loads.load import REQUESTS
from iosonde.loads.named import declare_load
from iosonde.measure.counting import COUNTED
from iosonde.predict.account import ledger_of
from iosonde.predict.discovered import discovered_model
from iosonde.predict.model import model_of, predict, top_of
from iosonde.predict.pieces import more_at_the_target
from iosonde.predict.requests import Requests, of_lines, of_load
from iosonde.records.evidence import EvidenceSet, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.load import LoadResult, RawOutput, Target, TargetKind
from iosonde.records.prediction import Account, Ledger, LedgerRow
from iosonde.records.run import Loop, Trial
from iosonde.records.stack import Capture, HostFacts, Scalar, StackLayer
from iosonde.stack.file import understand
from tests.unit.predict.discovered_stacks import figures, iolog, layer

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
        layer("md", "md0", tuple(f"disk:{disk}" for disk in DISKS), **facts),
        *(layer("disk", disk, (), size=1024 * MIB) for disk in DISKS),
    )


def facts(*, lost: int | None = None) -> dict[str, str]:
    values = {"/sys/class/block/md0/dev": "9:0", "dmsetup table": "g-lv: 0 1048576 linear 9:0 2304"}
    for slot, name in enumerate(MEMBERS):
        place = f"/sys/block/md0/md/dev-{name}"
        values |= {
            f"{place}/slot": str(slot), f"{place}/offset": "2048",
            f"{place}/state": "faulty" if slot == lost else "in_sync",
            f"/sys/class/block/{name}/queue/max_sectors_kb": "1280",
            f"/sys/class/block/{name}/queue/max_segments": "254",
        }  # fmt: skip
    return values


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


def truth(layers: tuple[StackLayer, ...], devices: Mapping[str, str], **overlay: Scalar) -> Counts:
    """What a kernel would count, if it is as the core says: device → four figures."""
    look = Look(layers, {"h": devices}, {"h/md:md0": overlay})
    model = discovered_model(look)
    counts = predict(model.model, requests()).layers
    return {
        place.device: (totals.reads, totals.read_bytes, totals.writes, totals.write_bytes)
        for place, totals in zip(model.places, counts, strict=True)
    }


def trial(
    counts: Counts,
    *,
    idle: Counts | None = None,
    layers: tuple[StackLayer, ...] | None = None,
    devices: Mapping[str, str] | None = None,
    declared: tuple[Mapping[str, Scalar], ...] = (),
    load: str = LOAD,
    moments: tuple[float, ...] = (),
    made: Requests | None = None,
) -> Trial:
    nothing: Counts = dict.fromkeys(counts, (0, 0, 0, 0))
    readings = [
        figures(nothing, 100), figures(idle or nothing, 100), figures(nothing, 500),
        figures(counts, 500),
    ]  # fmt: skip
    document = {
        "idle_seconds": 2.0, "readings": readings, "facts": {"h": dict(devices or facts())},
        "declared": list(declared), **({"moments": moments} if moments else {}),
    }  # fmt: skip
    files = {COUNTED: json.dumps(document).encode(), REQUESTS: recorded(made or requests())}
    loop = Loop(
        0, 0.0, 4.0, LoadResult({}, {}, issued={"write": 600}), RawOutput(0, b"", b"", files)
    )
    host = HostFacts("h", "6.1", 2, None)
    return Trial(
        "t", "h", "p", Target("h", "/dev/mapper/g-lv", TargetKind.DEVICE),
        declare_load(load, where="test", directory=Path()), "fio", (loop,),
        Capture(0.0, (host,), layers or stack()),
    )  # fmt: skip


def judged(sample: Trial) -> tuple[Ledger, list[Finding]]:
    ledger = ledger_of(sample)
    assert ledger is not None
    measured = TrialEvidence("x at p", "run/t", "run", "fio", {}, ledger=ledger)
    return ledger, list(differences(EvidenceSet(trials=(measured,))))


def test_a_found_stack_is_what_was_declared() -> None:
    """The same array, volume and places, once declared and once found, count the same."""
    lines = ["stack: s", "hosts: {h: {at: local}}", "layers:"]
    lines += [
        f"  {member}: {{kind: disk, host: h, size: 1 GiB, path: /dev/{member}}}"
        for member in MEMBERS
    ]
    lines.append(f"  r: {{kind: md, level: 5, chunk_size: 64k, of: [{', '.join(MEMBERS)}]}}")
    lines.append("  lv: {kind: lvm, of: r}")
    declared = understand("\n".join(lines), "s.yaml")
    wanted = predict(model_of(top_of(declared), 1500), requests())
    groups = truth(stack(), facts())
    for disk in wanted.disks():
        assert groups[disk.id] == (disk.reads, disk.read_bytes, disk.writes, disk.write_bytes)
    assert groups["md0"][2] == 600


def test_what_fio_wrote_down_is_what_is_reckoned_with() -> None:
    made = requests()
    again = of_lines(iter(recorded(made).decode().splitlines()), "iolog")
    assert again.offsets.tolist() == made.offsets.tolist()
    assert again.ops.tolist() == made.ops.tolist()


def test_equal_counts_are_no_finding() -> None:
    ledger, findings = judged(trial(truth(stack(), facts())))
    assert findings == []
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
    assert any("counted" in evidence.what for evidence in finding.evidence)


def test_a_stripe_cache_that_has_grown() -> None:
    """Earlier loads made md keep more stripes than sysfs shows: rows are found that were read."""
    load = "fio --name=x --rw=randread --bs=4k --direct=1 --size=16m --number_ios=4000"
    values = facts(lost=1)
    look = Look(stack(), {"h": values}, {"h/md:md0": {"model.stripe_cache": 2048}})
    ledger_model = discovered_model(look)
    made = of_load(declare_load(load, where="test", directory=Path()), 4000, 16 * MIB)
    counts: Counts = {
        place.device: (totals.reads, totals.read_bytes, totals.writes, totals.write_bytes)
        for place, totals in zip(
            ledger_model.places, predict(ledger_model.model, made).layers, strict=True
        )
    }
    (finding,) = judged(trial(counts, devices=values, load=load, made=made))[1]
    assert "The stripe cache of h/md:md0 has grown, to about 1536 stripes" in finding.message


def test_a_lost_member_that_is_known_is_reckoned_with() -> None:
    values = facts(lost=1)
    counts = truth(stack(), values)
    assert "vdb" not in counts
    assert judged(trial(counts, devices=values))[1] == []


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
    bits = {(place // (3 * 65536) * 65536 + place % 65536) // BIT for place in places}
    plain, more = truth(stack(), facts()), truth(stack(), facts() | BITMAP)
    for disk in DISKS:
        assert more[disk][2] - plain[disk][2] == len(bits) + 1, "and one page when they are cleared"
        assert more[disk][3] - plain[disk][3] == (len(bits) + 1) * 5 * SECTOR
    assert judged(trial(more, devices=facts() | BITMAP))[1] == []
    # Bits that were set already, and are not cleared yet.
    assert judged(trial(plain, devices=facts() | BITMAP))[1] == []
    # An array of which nobody knows that it has one.
    assert judged(trial(more))[1] != []


def test_a_bitmap_hides_nobody_else() -> None:
    values = facts() | BITMAP
    more = truth(stack(), values)
    counts = grown(more, lambda r, rb, w, wb: (r, rb, w + 600, wb + 600 * 65536))
    assert judged(trial(counts, devices=values))[1] != []


def test_a_bitmap_whose_place_is_not_known_is_named() -> None:
    values = facts() | BITMAP | {"/sys/block/md0/md/metadata_version": "1.0"}
    ledger, _ = judged(trial(truth(stack(), facts()), devices=values))
    assert "h/md:md0: not modelled: its write-intent bitmap" in ledger.notes
    file = facts() | {"/sys/block/md0/md/bitmap/location": "file"}
    ledger, _ = judged(trial(truth(stack(), facts()), devices=file))
    assert any("bitmap" in note for note in ledger.notes)


def test_an_array_that_was_declared_otherwise() -> None:
    """Built by hand with 512 KiB where the stack file says 64."""
    layers = stack(chunk_size=524288)
    declared: dict[str, Scalar] = {
        "host": "h", "kind": "md", "device": "/dev/md0", "level": 5, "chunk_size": 65536,
    }  # fmt: skip
    sample = trial(truth(layers, facts()), layers=layers, declared=(declared,))
    (finding,) = judged(sample)[1]
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
    # As much as was seen without the load is theirs, and leaves nothing to explain; that is said.
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r + 100, rb + 409_600, w, wb))
    idle = dict.fromkeys(counts, (0, 0, 0, 0)) | dict.fromkeys(DISKS, (50, 204_800, 0, 0))
    (finding,) = judged(trial(counts, idle=idle))[1]
    assert "Someone else was doing I/O all the time" in finding.message
    assert "vdb about 100 I/Os beside 590 of the load" in finding.message
    assert "It was taken off." in finding.message
    # A few now and then are not worth a word.
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r + 6, rb + 24_576, w, wb))
    idle = dict.fromkeys(counts, (0, 0, 0, 0)) | dict.fromkeys(DISKS, (3, 12_288, 0, 0))
    assert judged(trial(counts, idle=idle))[1] == []


def test_others_go_on_until_the_counters_are_read() -> None:
    """Counters are read when they rest, so others' I/O counts for longer than the load ran."""
    idle = dict.fromkeys(truth(stack(), facts()), (0, 0, 0, 0)) | dict.fromkeys(
        DISKS, (200, 819_200, 0, 0)
    )
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r + 1000, rb + 4_096_000, w, wb))
    moments = (10.0, 12.0, 12.0, 22.0)  # the load ended after 4 s
    (finding,) = judged(trial(counts, idle=idle, moments=moments))[1]
    assert "Someone else was doing I/O all the time" in finding.message
    assert "vdb about 1000 I/Os beside" in finding.message
    (finding,) = judged(trial(counts, idle=idle))[1]
    assert "left unexplained" in finding.message


def test_the_kernel_merges_more() -> None:
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r, rb, w // 2, wb))
    (finding,) = judged(trial(counts))[1]
    assert "merges more" in finding.message


def test_what_is_not_covered_is_said() -> None:
    values = facts() | {"dmsetup table": "g-lv: 0 1048576 thin 253:4 1"}
    ledger, findings = judged(trial({"dm-0": (0, 0, 600, 600 * 4096)}, devices=values))
    assert "thin is not covered" in ledger.uncovered[0]
    assert [row.device for row in ledger.rows] == ["dm-0"]
    assert findings == []


def test_several_at_once_may_count_less() -> None:
    counts = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r // 2, rb // 2, w // 2, wb))
    sample = trial(counts, load=f"{LOAD} --iodepth=32 --ioengine=libaio")
    assert judged(sample)[0].depth == 32
    assert judged(sample)[1] == []


def test_several_at_once_may_count_a_tenth_more_with_parity() -> None:
    deep = f"{LOAD} --iodepth=32 --ioengine=libaio"
    tenth = grown(
        truth(stack(), facts()),
        lambda r, rb, w, wb: (r + r // 11, rb + rb // 11, w + w // 11, wb),
    )
    assert judged(trial(tenth, load=deep))[1] == []
    assert judged(trial(tenth))[1] != [], "one after the other it is another matter"
    third = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r, rb, w + w // 3, wb))
    assert judged(trial(third, load=deep))[1] != []
    written = grown(truth(stack(), facts()), lambda r, rb, w, wb: (r, rb, w, wb + wb // 11))
    assert judged(trial(written, load=deep))[1] != [], "never more bytes written"


def plain(level: str, layout: int | None, chunk: int, sizes: tuple[int, ...] = (1024,) * 4) -> Look:
    """An array that is the target itself; `sizes` of its members in MiB."""
    values = {**facts(), "/sys/class/block/md0/dev": "9:0"}
    total = sum(sizes) - len(sizes) if level == "raid0" else 2 * 1023
    array = layer(
        "md", "md0", tuple(f"disk:{disk}" for disk in DISKS), level=level, raid_disks=len(sizes),
        chunk_size=chunk, layout=layout, degraded=0, size=total * MIB,
    )  # fmt: skip
    if layout is None:
        array = replace(array, facts={k: v for k, v in array.facts.items() if k != "layout"})
    disks = (
        layer("disk", name, (), size=size * MIB) for name, size in zip(DISKS, sizes, strict=True)
    )
    return Look((array, *disks), {"h": values})


def asked_of_the_array(length: int, chunk: int) -> Requests:
    offsets = np.arange(400, dtype=np.uint64) * np.uint64(4096 * 7) % np.uint64(64 * MIB)
    ones = np.ones(400, dtype=np.uint64)
    return Requests(ones.astype(np.uint8), offsets, ones * np.uint64(length))


@pytest.mark.parametrize(
    ("level", "layout", "splits"),
    [("raid0", None, True), ("raid0", -1, True), ("raid10", 0x102, True), ("raid10", 0x104, False),
     ("raid5", 2, False)],
)  # fmt: skip
def test_a_target_that_splits_counts_the_pieces(
    level: str, layout: int | None, splits: bool
) -> None:
    """5 disks, 12 KiB at 4 KiB: some lie over the end of a chunk."""
    chunk, length = 131072, 12288
    model = discovered_model(plain(level, layout, chunk))
    assert model.uncovered == ()
    made = asked_of_the_array(length, chunk)
    pieces = sum((begin + length - 1) // chunk - begin // chunk for begin in made.offsets.tolist())
    assert pieces > 16
    assert more_at_the_target(model.model, made) == ((0, pieces) if splits else (0, 0))
    reads = replace(made, ops=np.zeros_like(made.ops))
    expected = pieces if splits or level == "raid5" else 0
    assert more_at_the_target(model.model, reads) == (expected, 0)


def test_a_raid_0_of_unlike_members_is_not_covered() -> None:
    """Behind the end of the smallest one it goes on over fewer."""
    model = discovered_model(plain("raid0", -1, 65536, (1024, 1024, 1024, 2048)))
    assert "zones" in model.uncovered[0]
    assert discovered_model(plain("raid0", -1, 65536)).uncovered == ()


def test_pieces_are_no_difference_nor_is_a_kernel_that_counts_them_whole() -> None:
    for more, differs in ((0, False), (40, False), (80, True)):
        said, counted = Account(0, 0, 440, 4_915_200), Account(0, 0, 400 + more, 4_915_200)
        row = LedgerRow(
            layer="r", kind="md", device="md0", predicted=said, counted=counted,
            idle=Account(0, 0, 0, 0), last=False, writes_band=(440, 440), pieces=(0, 40),
        )  # fmt: skip
        measured = TrialEvidence(
            "x", "run/t", "run", "fio", {}, ledger=Ledger(rows=(row,), depth=1, recorded=True)
        )
        assert bool(list(differences(EvidenceSet(trials=(measured,))))) is differs


def test_a_trial_without_counters_has_no_ledger() -> None:
    sample = trial(truth(stack(), facts()))
    bare = replace(sample.loops[0], raw=RawOutput(0, b"", b""))
    assert ledger_of(replace(sample, loops=(bare,))) is None


def test_what_cannot_be_predicted_is_said() -> None:
    sample = trial(truth(stack(), facts()))
    other = replace(sample, load=replace(sample.load, engine="iozone"))
    ledger, findings = judged(other)
    assert ledger.rows == ()
    assert "iozone" in ledger.uncovered[0]
    assert findings == []


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
    model = discovered_model(look)
    node = model.model.nodes[0]
    assert isinstance(node.rule, _core.Segments)
    assert node.below == [1]
    assert node.rule.segments[1].at == 100_000 * SECTOR
    assert model.model.size == 4096 * SECTOR
