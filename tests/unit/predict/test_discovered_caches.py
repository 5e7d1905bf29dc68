"""dm-writecache, dm-cache and dm-crypt as they are found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from iosonde import _core
from iosonde.cli.accounted import print_ledger
from iosonde.contract import as_json
from iosonde.layers._ledger.look import Look
from iosonde.predict.discovered import discovered_model
from iosonde.records.prediction import LedgerRow
from tests.unit.predict.discovered_stacks import (
    DISKS,
    FAST,
    KIB,
    MIB,
    NUMBERS,
    SLOW,
    STATUS,
    Stack,
    asked,
    four,
    layer,
    least,
    most,
    of,
    rows,
)

# ── dm-writecache ─────────────────────────────────────────────────────────────────────────────

BLOCKS = 1000
METADATA = 3, 64 * KIB + 4 * KIB  # a piece of 64 KiB, the superblock, and a flush


def writecache(
    used: int, *, reads: int = 0, hits: int = 0, around: int = 0, options: str = "",
    counters: bool = True,
) -> Stack:  # fmt: skip
    table = f"w: 0 196608 writecache s 254:16 254:32 4096 {len(options.split())} {options}"
    more = " 10 10 0 0 0 0 0 0 0 0" if counters else ""
    then = f" {10 + reads} {10 + hits} 0 0 0 {around} 0 0 0 0" if counters else ""
    status = "w: 0 196608 writecache 0 1000"
    top = layer("dm_writecache", "dm-0", (f"disk:{SLOW}", f"disk:{FAST}"), device="/dev/mapper/w")
    return Stack(
        (top, *DISKS), {**NUMBERS, "dmsetup table": table.strip()},
        {STATUS: f"{status} {BLOCKS - used} 0{more}"}, {STATUS: f"{status} 0 0{then}"},
    )  # fmt: skip


def test_an_empty_write_cache_is_known() -> None:
    """All writes go to the fast disk, beside them commits; what was written is read from there."""
    counted = {
        "dm-0": (100, 409_600, 100, 409_600), SLOW: of("read", 50),
        FAST: (50, 204_800, 100 + METADATA[0], 409_600 + METADATA[1]),
    }  # fmt: skip
    requests = asked("write", 100) + asked("read", 150)[50:]
    ledger, findings = writecache(0, reads=100, hits=50).ledger(requests, counted)
    own = rows(ledger)
    assert own[SLOW].between is None
    assert four(own[SLOW].predicted) == of("read", 50)
    assert least(own[FAST]) == (50, 204_800, 100, 409_600)
    assert findings == []
    assert any("0 of its 1000 blocks were in use" in note for note in ledger.notes)
    # A thousand writes that nobody asked for are seen.
    busy = counted | {SLOW: of("write", 1000)}
    assert writecache(0, reads=100, hits=50).ledger(requests, busy)[1] != []


def test_reads_of_a_write_cache_in_use_lie_between() -> None:
    """Without counters all may be there, or nothing; writes are known all the same."""
    requests = asked("write", 10) + asked("read", 60)[10:]
    counted = {"dm-0": (50, 204_800, 10, 40_960)}
    ledger, _ = writecache(100, counters=False).ledger(requests, counted)
    own = rows(ledger)
    assert (least(own[SLOW]), most(own[SLOW])) == (of("read", 0), of("read", 50))
    assert least(own[FAST]) == of("write", 10)
    assert most(own[FAST])[:2] == of("read", 50)[:2]


def test_a_range_is_shown_by_its_ends(capsys: pytest.CaptureFixture[str]) -> None:
    requests = asked("write", 10) + asked("read", 60)[10:]
    counted = {"dm-0": (50, 204_800, 10, 40_960), SLOW: of("read", 7), FAST: (43, 0, 12, 0)}
    ledger, _ = writecache(100, counters=False).ledger(requests, counted)
    print_ledger(ledger)
    (line,) = (
        splitline
        for splitline in capsys.readouterr().out.splitlines()
        if splitline.strip().startswith(SLOW)
    )
    assert "0–50 / 7" in line
    assert "0 B–200 KiB / 28 KiB" in line
    document: Any = as_json(ledger)
    top, *below = document["layers"]
    assert top["between"] is None
    ends = {row["device"]: row["between"] for row in below}
    assert [end["reads"] for end in ends[SLOW]] == [0, 50]


def test_what_a_write_cache_counted_narrows_it() -> None:
    requests = asked("read", 60)
    ledger, _ = writecache(100, reads=60, hits=45).ledger(requests, {"dm-0": of("read", 60)})
    own = rows(ledger)
    assert most(own[SLOW]) == of("read", 15)
    assert least(own[FAST]) == of("read", 45)


@pytest.mark.parametrize("used", [0, 100])
def test_a_write_cache_that_fills_writes_back(used: int) -> None:
    """Of 700 blocks, those beyond half of the cache and up to those beyond 45 %.

    What was there may be what is written now: then it does not count twice.
    """
    ledger, _ = writecache(used).ledger(asked("write", 700), {"dm-0": of("write", 700)})
    own = rows(ledger)[SLOW]
    assert most(own) == of("write", used + 700 - 450)
    assert least(own)[3] == (700 - 500) * 4 * KIB
    ledger, _ = writecache(used).ledger(asked("write", 400), {"dm-0": of("write", 400)})
    assert rows(ledger)[SLOW].between is None, "half is not in use yet"


def test_what_came_first_goes_first() -> None:
    """A block that is written again keeps its turn: after 500 others it goes, and comes again."""
    again = [*asked("write", 500), ("write", 0, 4 * KIB), ("write", 500 * 4 * KIB, 4 * KIB),
             ("write", 0, 4 * KIB)]  # fmt: skip
    ledger, _ = writecache(0).ledger(again, {"dm-0": of("write", 503)})
    assert least(rows(ledger)[SLOW])[3] == 2 * 4 * KIB


def test_writes_that_went_past_a_full_write_cache() -> None:
    ledger, _ = writecache(400, around=20).ledger(asked("write", 50), {"dm-0": of("write", 50)})
    own = rows(ledger)
    assert most(own[SLOW]) == of("write", 20)
    assert least(own[FAST]) == of("write", 30)
    assert any("20 blocks were written past it" in note for note in ledger.notes)


def test_requests_of_several_blocks_may_be_cut() -> None:
    requests = asked("write", 10, 64 * KIB)
    ledger, _ = writecache(0).ledger(requests, {"dm-0": of("write", 10, 64 * KIB)})
    own = rows(ledger)
    assert least(own[FAST])[3] == 640 * KIB
    assert own[SLOW].between is None
    assert most(own["dm-0"])[2:] == (160, 640 * KIB)


@pytest.mark.parametrize(
    ("stack", "why"),
    [
        (replace(writecache(0), before={}), "what it held when the load began is not known"),
        (replace(writecache(0), after={STATUS: "w: 0 196608 writecache 5 9 9 0"}), "met an error"),
        (writecache(0, options="max_age 1000"), "max_age"),
        (writecache(0, options="cleaner"), "cleaner"),
    ],
)
def test_a_write_cache_that_cannot_be_told(stack: Stack, why: str) -> None:
    ledger, findings = stack.ledger(asked("write", 10), {"dm-0": of("write", 10)})
    assert why in ledger.uncovered[0]
    assert [row.device for row in ledger.rows] == ["dm-0"]
    assert findings == []


# ── dm-cache ──────────────────────────────────────────────────────────────────────────────────

BLOCK = 32 * KIB
META = "dm-2"


def cache(*counters: int, dirty: tuple[int, int] = (0, 0), mode: str = "writeback") -> Stack:
    """Counters: read hits and misses, write hits and misses, demotions, promotions."""
    table = f"c: 0 196608 cache 253:2 254:32 254:16 64 2 metadata2 {mode} smq 0"
    before, after = (
        f"c: 0 196608 cache 8 40/1024 64 9/3000 {' '.join(map(str, figures))} {dirt} 1 {mode} 2 "
        "migration_threshold 2048 smq 0 rw -"
        for figures, dirt in (
            ((5,) * 6, dirty[0]),
            ([5 + counter for counter in counters], dirty[1]),
        )
    )
    below = (f"disk:{SLOW}", f"disk:{FAST}", f"dm:{META}")
    top = layer("dm_cache", "dm-0", below, device="/dev/mapper/c")
    meta = layer("dm", META, (f"disk:{FAST}",), device="/dev/mapper/c.meta", size=4 * MIB)
    return Stack(
        (top, *DISKS, meta),
        {**NUMBERS, f"/sys/class/block/{META}/dev": "253:2", "dmsetup table": table},
        {STATUS: before}, {STATUS: after},
    )  # fmt: skip


def on_volumes(stack: Stack) -> Stack:
    """With the fast layer, too, as a volume on the fast disk, as LVM makes it."""
    top, slow, fast, meta = stack.layers
    data = layer("dm", "dm-1", (fast.id.removeprefix("h/"),), device="/dev/mapper/c.data")
    top = replace(top, below=(slow.id, data.id, meta.id))
    table = stack.facts["dmsetup table"].replace("254:32", "253:1")
    table += "\nc.data: 0 184320 linear 254:32 12288"
    facts = {**stack.facts, "/sys/class/block/dm-1/dev": "253:1", "dmsetup table": table}
    return replace(stack, layers=(top, slow, data, fast, meta), facts=facts)


def of_cache(stack: Stack, requests: list[tuple[str, int, int]]) -> dict[str, LedgerRow]:
    reads = sum(size for way, _, size in requests if way == "read")
    writes = sum(size for way, _, size in requests if way == "write")
    counted = {"dm-0": (len(requests), reads, 0, writes), META: (0, 0, 7, 28_672)}
    return rows(stack.ledger(requests, counted)[0])


def test_what_a_cache_counted_says_where_reads_went() -> None:
    """So many were there; the others came from the slow disk, and with them whole blocks."""
    own = of_cache(cache(40, 60, 0, 0, 0, 8), asked("read", 100))
    assert least(own[SLOW])[1] == 60 * 4 * KIB + 8 * BLOCK
    assert most(own[SLOW]) == (68, 60 * 4 * KIB + 8 * BLOCK, 0, 0)
    # And what the metadata's own device counted, which lies on the fast disk too.
    assert most(own[FAST]) == (40, 40 * 4 * KIB, 8 + 7, 8 * BLOCK + 28_672)
    assert least(own[FAST])[3] == 8 * BLOCK + 28_672


def test_the_disk_below_data_and_metadata() -> None:
    own = of_cache(on_volumes(cache(40, 60, 0, 0, 0, 8)), asked("read", 100))
    assert least(own[FAST])[:2] == most(own[FAST])[:2] == of("read", 40)[:2]
    assert least(own["dm-1"])[3] == most(own["dm-1"])[3] == 8 * BLOCK
    assert least(own[FAST])[3] == most(own[FAST])[3] == 8 * BLOCK + 28_672


def test_what_a_cache_did_between_loops_is_not_the_loads() -> None:
    """Of both loops 120 reads missed and 16 blocks were taken in; those between were others'."""
    first, then = cache(40, 60, 0, 0, 0, 8), cache(500, 900, 0, 0, 0, 300)
    later = {STATUS: cache(540, 960, 0, 0, 0, 308).after[STATUS]}
    second = replace(then, before=then.after, after=later)
    counted = {"dm-0": of("read", 100), META: (0, 0, 7, 28_672)}
    own = rows(first.ledger(asked("read", 100), counted, second)[0])
    assert most(own[SLOW]) == (136, 120 * 4 * KIB + 16 * BLOCK, 0, 0)
    assert least(own[SLOW])[1] == 120 * 4 * KIB + 16 * BLOCK


def test_a_cache_that_had_nothing_or_all() -> None:
    own = of_cache(cache(0, 100, 0, 0, 0, 0), asked("read", 100))
    assert own[SLOW].between is None
    assert four(own[SLOW].predicted) == of("read", 100)
    own = of_cache(cache(100, 0, 0, 0, 0, 0), asked("read", 100))
    assert four(own[SLOW].predicted) == of("read", 0)
    assert four(own[FAST].predicted)[:2] == of("read", 100)[:2]


def test_dirty_blocks_that_a_cache_wrote_back() -> None:
    """Of 10 that were dirty and 30 that can have become so, 5 still are."""
    own = of_cache(cache(0, 0, 30, 70, 0, 0, dirty=(10, 5)), asked("write", 100))
    assert least(own[SLOW])[3] == 70 * 4 * KIB + 5 * BLOCK
    assert most(own[SLOW])[3] == 70 * 4 * KIB + 35 * BLOCK
    assert most(own[FAST])[1] == 35 * BLOCK


def test_modes_of_a_cache() -> None:
    own = of_cache(cache(0, 0, 100, 0, 0, 0, mode="writethrough"), asked("write", 100))
    assert [four(own[name].predicted)[2] for name in (SLOW, FAST)] == [100, 107]
    own = of_cache(cache(0, 0, 50, 50, 0, 0, mode="passthrough"), asked("write", 100))
    assert [four(own[name].predicted)[2] for name in (SLOW, FAST)] == [100, 7]


def test_dirty_blocks_of_another_mode() -> None:
    stack = cache(0, 0, 1, 0, 0, 0, dirty=(3, 3), mode="writethrough")
    ledger, _ = stack.ledger(asked("write", 1), {"dm-0": of("write", 1), META: of("write", 0)})
    assert "another mode" in ledger.uncovered[0]


def test_writes_through_a_cache_go_to_both() -> None:
    """However many of them met a block that was there."""
    own = of_cache(cache(0, 0, 50, 50, 0, 0, mode="writethrough"), asked("write", 100))
    assert least(own[SLOW]) == most(own[SLOW]) == of("write", 100)
    assert (least(own[FAST])[2], most(own[FAST])[2]) == (7, 107)


def test_writes_that_cover_a_block_are_not_copied() -> None:
    """A whole block that is written is taken in without being read, and is no miss."""
    own = of_cache(cache(0, 0, 2, 0, 0, 8), asked("write", 10, BLOCK))
    assert four(own[SLOW].predicted)[2:] == (0, 0)
    assert most(own[SLOW])[1] == 8 * BLOCK, "as far as is known"
    assert least(own[FAST])[3] == 10 * BLOCK + 28_672


def test_lvm_names_its_cache_like_a_volume() -> None:
    stack = cache(0, 100, 0, 0, 0, 0)
    top, *below = stack.layers
    volume = replace(top, kind="lvm", id="h/lvm:g-lv", device="/dev/mapper/g-lv")
    named = {
        name: {path: text.replace("c: 0", "g-lv: 0") for path, text in texts.items()}
        for name, texts in (
            ("facts", stack.facts),
            ("before", stack.before),
            ("after", stack.after),
        )
    }
    own = of_cache(Stack((volume, *below), **named), asked("read", 100))
    assert four(own[SLOW].predicted) == of("read", 100)


def test_metadata_that_were_not_counted() -> None:
    ledger, _ = cache(0, 1, 0, 0, 0, 0).ledger(asked("read", 1), {"dm-0": of("read", 1)})
    assert "its metadata" in ledger.uncovered[0]


# ── dm-crypt ──────────────────────────────────────────────────────────────────────────────────


def test_dm_crypt_moves_its_data() -> None:
    """What it encrypts lies 16 MiB further on the disk; more than 1 MiB is cut."""
    table = "k: 0 163840 crypt aes-xts-plain64 :64:logon:cryptsetup:x 0 254:16 32768"
    top = layer("dm_crypt", "dm-0", (f"disk:{SLOW}",), device="/dev/mapper/k", size=80 * MIB)
    stack = Stack((top, DISKS[0]), {**NUMBERS, "dmsetup table": table}, {}, {})
    own = rows(stack.ledger(asked("write", 2, MIB), {"dm-0": of("write", 2, MIB)})[0])
    assert four(own[SLOW].predicted) == of("write", 2, MIB)
    model = discovered_model(Look(stack.layers, {"h": stack.facts}))
    assert model.model.nodes[0].rule == _core.Linear(start=16 * MIB)
    assert model.model.nodes[0].limits == _core.Limits(most=MIB)


# ── below ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("dirty", "copied"), [((0, 40), 0), ((10, 40), 10)])
def test_what_lies_below_a_cache_is_followed(dirty: tuple[int, int], copied: int) -> None:
    """The slow layer is a mirror: each disk has all writes that the cache let through."""
    stack = cache(0, 0, 40, 60, 0, 0, dirty=dirty)
    top, slow, *rest = stack.layers
    pair = [layer("disk", name, ()) for name in ("vdd", "vde")]
    array = layer(
        "md",
        SLOW,
        [f"disk:{stack_layer.device[5:]}" for stack_layer in pair],
        level="raid1",
        raid_disks=2,
    )
    top = replace(top, below=(array.id, *top.below[1:]))
    facts = dict(stack.facts)
    for slot, name in enumerate(("vdd", "vde")):
        place = f"/sys/block/{SLOW}/md/dev-{name}"
        facts |= {
            f"{place}/slot": str(slot), f"{place}/offset": "2048", f"{place}/state": "in_sync",
        }  # fmt: skip
    assert slow.id not in top.below
    own = of_cache(
        replace(stack, layers=(top, array, *rest, *pair), facts=facts), asked("write", 100)
    )
    assert least(own[SLOW]) == of("write", 60)
    assert most(own[SLOW])[2:] == (60 + copied, 60 * 4 * KIB + copied * BLOCK)
    for name in ("vdd", "vde"):
        assert least(own[name])[3] == 0, "which were there, and so which went on, is not known"
        assert most(own[name])[3] == 100 * 4 * KIB + copied * BLOCK
        # A copy may be cut into pages on the way.
        assert most(own[name])[2] == 100 + copied * (1 + BLOCK // (4 * KIB))
