"""Counts of the kernel's, made in a lab on stacks of md, LVM and AoE, against the prediction."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde import _core
from iosonde.errors import UsageError
from iosonde.layers.aoe.facts import aoe_frame_payload
from iosonde.layers.md.ledger import data_offset
from iosonde.loads.named import declare_load
from iosonde.predict.model import Counts, Prediction, StackModel, model_of, predict, top_of
from iosonde.predict.recorded import is_trace, of_trace
from iosonde.predict.requests import Requests, of_load
from iosonde.predict.what_if import SettingValues, parse_change, variants
from iosonde.stack.file import DeclaredStack, understand

OUTPUTS = Path(__file__).parents[2] / "outputs"
SMALL = "fio --name=x --rw=randwrite --bs=4k --direct=1 --size=128m --number_ios=1000"


def stack(*layers: str, disks: int = 4) -> DeclaredStack:
    lines = ["stack: s", "hosts: {n1: {at: local}, n2: {at: other}}", "layers:"]
    lines += [
        f"  d{number}: {{kind: disk, host: n1, size: 1 GiB, path: /dev/x{number}}}"
        for number in range(1, disks + 1)
    ]
    return understand("\n".join([*lines, *(f"  {layer}" for layer in layers)]), "s.yaml")


def md(level: int, disks: int, more: str = "") -> DeclaredStack:
    of = ", ".join(f"d{number}" for number in range(1, disks + 1))
    array = f"r: {{kind: md, level: {level}, chunk_size: 64k, of: [{of}]{more}}}"
    return stack(array, disks=disks)


def run(declared: DeclaredStack, load: str = SMALL, count: int = 1000, at: str = "") -> Prediction:
    model = model_of(top_of(declared, at), declared.mtu)
    made = declare_load(load, where="test", directory=Path())
    return predict(model, of_load(made, count, model.size))


def named(prediction: Prediction, name: str) -> Counts:
    return next(layer for layer in prediction.layers if layer.id == name)


def totals(prediction: Prediction) -> tuple[int, int]:
    disks = prediction.disks()
    return sum(disk.reads for disk in disks), sum(disk.writes for disk in disks)


@pytest.mark.parametrize(
    ("level", "disks", "reads", "writes"),
    [
        (0, 4, 0, 1000), (1, 2, 0, 2000), (10, 4, 0, 2000), (5, 4, 2000, 2000),
        (5, 8, 2000, 2000), (6, 6, 3000, 3000), (6, 4, 1000, 3000), (6, 8, 3000, 3000),
    ],
)  # fmt: skip
def test_small_writes_cost_what_the_level_costs(
    level: int, disks: int, reads: int, writes: int
) -> None:
    """1000 random writes of 4 KiB; a few find the pages they need in the stripe cache."""
    pair = totals(run(md(level, disks)))
    assert pair[1] == writes
    assert reads * 0.97 <= pair[0] <= reads


def test_whole_stripes_are_written_without_a_read() -> None:
    prediction = run(md(5, 4), "fio --name=x --rw=write --bs=192k --direct=1", 200)
    assert totals(prediction) == (0, 800)
    assert named(prediction, "d1").write_sizes == {65536: 200}


def test_stripes_hit_beside_their_beginning() -> None:
    """Counted: 400 reads of 25664 KiB; 1000 writes, or 998 where two of the first meet."""
    load = "fio --name=x --rw=write --bs=192k --direct=1 --offset=64k"
    prediction = run(md(5, 4), load, 200)
    reads, writes = totals(prediction)
    assert reads == 400
    assert sum(disk.read_bytes for disk in prediction.disks()) == 51328 * 512
    assert sum(disk.write_bytes for disk in prediction.disks()) == 128000 * 512
    bands = [disk.writes_band for disk in prediction.disks()]
    assert sum(low for low, _ in bands) <= 998
    assert sum(high for _, high in bands) == writes == 1000


def test_a_volume_on_an_array_adds_nothing() -> None:
    below = "r: {kind: md, level: 5, chunk_size: 64k, of: [d1, d2, d3, d4]}"
    prediction = run(stack(below, "lv: {kind: lvm, of: r}"))
    assert [layer.id for layer in prediction.layers][:2] == ["lv", "r"]
    assert totals(prediction)[1] == 2000
    # Extents begin at a multiple of the stripe, so that whole stripes stay whole.
    whole = run(
        stack(below, "lv: {kind: lvm, of: r}"), "fio --name=x --rw=write --bs=192k --direct=1", 50
    )
    assert totals(whole) == (0, 200)


def _first_segment(model: StackModel) -> _core.Segment:
    rule = model.layers["lv"].rule
    assert isinstance(rule, _core.Segments)
    return rule.segments[0]


@pytest.mark.parametrize(
    ("start", "first"),
    # 1027 KiB are 3 KiB behind a chunk of 64 KiB, so LVM moves its extents 61 KiB on.
    [("1027 KiB", 1085), ("1 MiB", 1024), ("1088 KiB", 1024), ("63 KiB", 1025)],
)
def test_extents_on_a_partition_lie_on_the_grid_of_the_array_below(start: str, first: int) -> None:
    below = "r: {kind: md, level: 0, chunk_size: 64k, of: [d1, d2, d3, d4]}"
    part = f"p: {{kind: partition, of: r, start: {start}}}"
    declared = stack(below, part, "lv: {kind: lvm, of: p}")
    model = model_of(top_of(declared, "lv"), declared.mtu)
    assert _first_segment(model).at == first * 1024


@pytest.mark.parametrize(
    ("array", "of"), [("", "d1"), ("r: {kind: md, level: 1, of: [d1, d2]}", "r")]
)
def test_extents_on_a_partition_of_what_has_no_chunks_are_not_moved(array: str, of: str) -> None:
    part = f"p: {{kind: partition, of: {of}, start: 1027 KiB}}"
    declared = stack(*filter(None, [array, part]), "lv: {kind: lvm, of: p}")
    model = model_of(top_of(declared, "lv"), declared.mtu)
    assert _first_segment(model).at == 1024 * 1024


@pytest.mark.parametrize(
    ("mtu", "sizes"),
    [
        (1500, {1024: 4000}), (4096, {3584: 1000, 512: 1000}), (4131, {3584: 1000, 512: 1000}),
        (4132, {4096: 1000}), (4200, {4096: 1000}), (4643, {4096: 1000}), (8700, {4096: 1000}),
        (9000, {4096: 1000}),
    ],
)  # fmt: skip
def test_frames_at_the_server(mtu: int, sizes: dict[int, int]) -> None:
    declared = stack(
        "t: {kind: aoe_target, of: d1}", f"a: {{kind: aoe, of: t, host: n2, mtu: {mtu}}}", disks=1
    )
    assert named(run(declared), "t").write_sizes == sizes
    assert named(run(declared), "a").write_sizes == {4096: 1000}


def test_a_large_frame() -> None:
    declared = stack(
        "t: {kind: aoe_target, of: d1}", "a: {kind: aoe, of: t, host: n2, mtu: 9000}", disks=1
    )
    counts = named(run(declared, "fio --name=x --rw=write --bs=64k --direct=1", 10), "d1")
    assert counts.write_sizes == {8704: 70, 4608: 10}
    assert counts.off_grid == pytest.approx(1)


def test_which_mtus_keep_blocks_whole() -> None:
    """What the remark says, tried with each MTU there is."""
    whole = []
    for mtu in range(1500, 9001):
        payload = aoe_frame_payload(mtu)
        if payload % 4096 == 0:
            whole.append(mtu)
    assert whole == [*range(4132, 4644), *range(8228, 8740)]
    declared = stack(
        "t: {kind: aoe_target, of: d1}", "a: {kind: aoe, of: t, host: n2, mtu: 9000}", disks=1
    )
    (remark,) = run(declared).notes
    assert "all stay whole at 4132 to 4643 or 8228 to 8739" in remark


def test_where_data_begin_on_a_member() -> None:
    """As mdadm 4.2 put them on disks of 64 MiB, and on one of 1 TiB (mdadm --examine)."""
    assert data_offset(64 * 2**20, 64 * 1024) == 2**20
    assert data_offset(64 * 2**20, 0) == 2**20
    assert data_offset(64 * 2**20, 2**20) == 3 * 2**20
    assert data_offset(2**40, 64 * 1024) == 129 * 2**20


def test_a_write_cache_takes_all_writes() -> None:
    """And gives back what it has: the slow disk is read for the rest alone. Besides, it commits."""
    declared = stack("w: {kind: dm_writecache, of: [d1, d2]}", disks=2)
    load = SMALL.replace("randwrite", "randrw").replace("128m", "4m") + " --norandommap"
    prediction = run(declared, load, 4000)
    slow, fast, cache = (named(prediction, choice) for choice in ("d1", "d2", "w"))
    assert cache.writes == fast.writes - 2
    assert cache.write_bytes == fast.write_bytes - 64 * 1024 - 4096
    assert slow.writes == 0
    assert slow.reads + fast.reads == cache.reads
    assert fast.reads == cache.events["read_hits"] > 0


def test_a_cache_of_large_blocks() -> None:
    """dm-cache: what is asked for often is copied; then the slow disk is left alone."""
    declared = stack("c: {kind: dm_cache, of: [d1, d2], mode: writeback}", disks=2)
    load = "fio --name=x --rw=randread --bs=4k --direct=1 --size=1m --io_size=2m"
    prediction = run(declared, load)
    slow, fast, cache = (named(prediction, choice) for choice in ("d1", "d2", "c"))
    events = cache.events
    assert events["read_hits"] + events["read_misses"] == cache.reads == 512
    assert events["promotions"] == 4
    assert fast.write_bytes == 4 * 256 * 1024
    assert slow.read_bytes == events["read_misses"] * 4096 + fast.write_bytes
    assert fast.reads == events["read_hits"]
    assert any(note.startswith("c: approximate: smq") for note in prediction.notes)


def test_replication_and_its_log() -> None:
    """An extent of 4 MiB that becomes active costs the primary a write; the other side flushes."""
    declared = stack(
        "other: {kind: disk, host: n2, size: 1 GiB, path: /dev/y}",
        "r: {kind: drbd, of: [d1, other], primary: n1}", disks=1,
    )  # fmt: skip
    load = declare_load(SMALL.replace("128m", "900m"), where="test", directory=Path())
    model = model_of(top_of(declared), declared.mtu)
    asked = of_load(load, 1000, model.size)
    extents = len({int(offset) // 2**22 for offset in asked.offsets})
    prediction = predict(model, asked)
    assert 200 < extents < 225
    assert named(prediction, "d1").writes == 1000 + extents
    assert named(prediction, "r").events == {"log_writes": extents}
    other = named(prediction, "other")
    assert (other.writes, other.flushes, other.write_bytes) == (1000, 1000, 1000 * 4096)
    (plain,) = variants(declared, top_of(declared), [SettingValues("r", "primary", ("n2",))])
    turned = predict(model_of(plain.top, declared.mtu), asked)
    assert named(turned, "other").writes == 1000 + extents


def test_what_if() -> None:
    declared = md(5, 4)
    changes = [parse_change("r.level=5,10"), parse_change("r.rmw_level=1,2")]
    tried = list(variants(declared, top_of(declared), changes))
    assert [variant.settings["r.level"] for variant in tried] == ["5", "5", "10", "10"]
    load = declare_load(SMALL, where="test", directory=Path())
    predictions = []
    for variant in tried:
        model = model_of(variant.top, declared.mtu, variant.extra)
        predictions.append(predict(model, of_load(load, 1000, model.size)))
    assert [totals(prediction)[1] for prediction in predictions] == [2000] * 4
    # The tie is broken otherwise: other members are read.
    first, second = (named(prediction, "d1").reads for prediction in predictions[:2])
    assert first != second
    assert totals(predictions[2])[0] == 0


def test_a_lost_member() -> None:
    """In the stripe cache a row is read once; without it what is lost takes all others."""
    declared = md(5, 4)
    load = declare_load("fio --name=x --rw=read --bs=64k --direct=1", where="t", directory=Path())
    lost = SettingValues("r", "failed", ("1",))
    stripes = SettingValues("r", "stripe_cache_size", ("256", "0"))
    predictions = []
    for variant in variants(declared, top_of(declared), [lost, stripes]):
        model = model_of(variant.top, declared.mtu, variant.extra)
        predictions.append(predict(model, of_load(load, 300, model.size)))
        assert named(predictions[-1], "d2").reads == 0
    read = [sum(disk.read_bytes for disk in each.disks()) // 65536 for each in predictions]
    assert read == [300, 225 + 75 * 3]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("r.level", "sets nothing"), ("=5", "sets nothing"), ("r.=5", "sets nothing"),
        ("r.colour=red", "no setting 'colour'"), ("q.level=5", "no layer 'q'"),
        ("r.level=7", "level"), ("r.failed=9", "not a member"),
        ("r.rmw_level=often", "is a number"), ("r.rmw_level=3", "rmw_level"),
    ],
)  # fmt: skip
def test_what_cannot_be(text: str, complaint: str) -> None:
    declared = md(5, 4)

    def tried() -> None:
        for variant in variants(declared, top_of(declared), [parse_change(text)]):
            predict(
                model_of(variant.top, declared.mtu, variant.extra), requests("--rw=read --bs=4k")
            )

    with pytest.raises(UsageError, match=complaint):
        tried()


def test_several_layers_could_be_meant() -> None:
    with pytest.raises(UsageError, match="d1, d2"):
        top_of(stack(disks=2))


def test_no_room() -> None:
    with pytest.raises(UsageError, match="no room"):
        model_of(top_of(stack("p: {kind: partition, of: d1, start: 2 GiB}", disks=1)), 1500)


def test_a_thin_volume_is_not_guessed_at() -> None:
    declared = stack(
        "p: {kind: lvm, type: thin-pool, of: d1, group: g}",
        "t: {kind: lvm, type: thin, of: p, size: 10 MiB}", disks=1,
    )  # fmt: skip
    with pytest.raises(UsageError, match="thin volume"):
        model_of(top_of(declared), 1500)


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_trace(version: str) -> None:
    path = OUTPUTS / "fio-3.33-logs" / f"mixed.iolog{version}"
    assert is_trace(path)
    made = of_trace(path)
    rows = [line.split()[version == "3" :] for line in path.read_text().splitlines()[1:]]
    moved = [row for row in rows if row[1] in {"read", "write"}]
    assert len(made) == len(moved) > 0
    assert made.lengths[made.ops < 2].tolist() == [int(row[3]) for row in moved]
    assert made.offsets[made.ops < 2].tolist() == [int(row[2]) for row in moved]


def requests(options: str, count: int = 100, span: int = 2**20) -> Requests:
    load = declare_load(f"fio --name=x --direct=1 {options}", where="t", directory=Path())
    return of_load(load, count, span)


def test_requests_as_fio_makes_them() -> None:
    once = requests("--rw=randread --bs=4k", count=256)
    assert sorted(once.offsets.tolist()) == [4096 * number for number in range(256)]
    inside = requests("--rw=write --bs=64k --offset=256k --size=128k")
    assert set(inside.offsets.tolist()) == {2**18, 2**18 + 65536}
    mixed = requests("--rw=randrw --rwmixread=70 --bs=4k,8k", count=2000)
    reads = (mixed.ops == 0).mean()
    assert 0.65 < reads < 0.75
    assert set(mixed.lengths[mixed.ops == 1].tolist()) == {8192}
    flushed = requests("--rw=write --bs=4k --fsync=10")
    assert (flushed.ops == 2).sum() == 10
    assert len(flushed) == 100
    jobs = requests("--rw=randwrite --bs=4k --numjobs=4")
    assert len(jobs) == 100
    assert requests("--rw=write --bs=4k --direct=0").notes


@pytest.mark.parametrize("options", ["--bssplit=4k/50:8k/50", "--bsrange=1k-4k", "--rw=randtrim"])
def test_requests_that_cannot_be_told(options: str) -> None:
    with pytest.raises(UsageError):
        requests(f"--rw=randread {options}")
