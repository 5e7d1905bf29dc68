"""bcache as it is found: reads between all found and none found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde.layers._ledger.look import Look, Ran
from iosonde.predict.discovered import discovered_model
from iosonde.records.prediction import LedgerRow
from tests.unit.predict.discovered_stacks import (
    DISKS,
    FAST,
    KIB,
    MIB,
    NUMBERS,
    SLOW,
    Stack,
    asked,
    four,
    layer,
    least,
    most,
    of,
    rows,
)

PLACE = "/sys/block/bcache0/bcache"


def bcache(
    mode: str = "writeback", *, congested: bool = False, dirty: tuple[str, str] = ("0.0k", "0.0k"),
    metadata: tuple[str, str] = ("8.0k", "16.0k"), free: str = "95",
) -> Stack:  # fmt: skip
    message = " ".join(
        f"[{choice}]" if choice == mode else choice
        for choice in ("writethrough", "writeback", "writearound", "none")
    )
    threshold = "2000" if congested else "0"
    facts = NUMBERS | {
        f"{PLACE}/backing_dev_name": SLOW, f"{PLACE}/cache_mode": message,
        f"{PLACE}/sequential_cutoff": "0.0k", f"{PLACE}/cache/bucket_size": "64.0k",
        f"{PLACE}/cache/block_size": "0.5k",
        f"{PLACE}/cache/congested_read_threshold_us": threshold,
        f"{PLACE}/cache/congested_write_threshold_us": threshold,
    }  # fmt: skip
    before, after = (
        {
            f"{PLACE}/dirty_data": dirty[at], f"{PLACE}/cache/cache_available_percent": free,
            f"{PLACE}/cache/cache0/metadata_written": metadata[at],
        }
        for at in (0, 1)
    )  # fmt: skip
    # The fast disk comes first here, as slaves are in the order of their names.
    top = layer("bcache", "bcache0", (f"disk:{FAST}", f"disk:{SLOW}"), size=96 * MIB - 8 * KIB)
    return Stack((top, *DISKS), facts, before, after)


def of_bcache(stack: Stack, way: str, count: int = 100) -> dict[str, LedgerRow]:
    return rows(stack.ledger(asked(way, count), {"bcache0": of(way, count)})[0])


def test_reads_of_bcache_were_there_or_not() -> None:
    """A miss is also written to the fast disk."""
    own = of_bcache(bcache(), "read")
    assert (least(own[SLOW])[:2], most(own[SLOW])[:2]) == ((0, 0), (100, 409_600))
    assert (least(own[FAST])[:2], most(own[FAST])[1]) == ((0, 0), 409_600 + 103)
    assert least(own[FAST])[3] == 8 * KIB - 103, "its journal"
    assert most(own[FAST])[3] == 409_600 + 8 * KIB + 103


@pytest.mark.parametrize(
    ("mode", "slow", "fast"),
    [
        ("writeback", 0, 409_600), ("writethrough", 409_600, 409_600),
        ("writearound", 409_600, 0), ("none", 409_600, 0),
    ],
)  # fmt: skip
def test_writes_of_bcache_go_by_its_mode(mode: str, slow: int, fast: int) -> None:
    own = of_bcache(bcache(mode, metadata=("8.0k", "8.0k")), "write")
    assert least(own[SLOW])[3] == slow
    assert least(own[FAST])[3] == fast
    assert most(own[SLOW])[3] <= slow + (409_600 + 103 if mode == "writeback" else 0)
    assert most(own[FAST])[3] - fast <= 2 * 103


def test_what_bcache_wrote_back() -> None:
    """As much as is not dirty any more, of what was and what was written."""
    own = of_bcache(bcache(dirty=("800.0k", "300.0k")), "write")
    assert least(own[SLOW])[3] == 500 * KIB - 103
    assert most(own[SLOW])[3] == 500 * KIB + 103 + 409_600


def test_what_is_still_dirty_was_not_written_back() -> None:
    """Though it is more than bcache aims at (`writeback_percent`, which takes minutes)."""
    size = 64 * KIB
    stack = bcache(dirty=("0.0k", "16.0M"), metadata=("8.0k", "8.0k"))
    ledger, _ = stack.ledger(asked("write", 256, size), {"bcache0": of("write", 256, size)})
    own = rows(ledger)
    assert most(own[SLOW])[3] == 103
    assert least(own[FAST])[3] == 16 * MIB


def test_data_of_bcache_begin_behind_its_superblock() -> None:
    stack = bcache("writethrough")
    look = Look(
        stack.layers, {"h": stack.facts}, ran=Ran((({"h": stack.before}, {"h": stack.after}),))
    )
    ledger_model = discovered_model(look)
    begins = [
        {
            ledger_model.places[at].device: start
            for at, start in zip(model.nodes[0].below, model.nodes[0].starts, strict=True)
        }
        for model in (ledger_model.model, *ledger_model.others)
    ]
    assert begins == [{SLOW: 8 * KIB, FAST: 0}] * 2


def test_bcache_may_let_requests_pass() -> None:
    own = of_bcache(bcache(congested=True), "write")
    assert most(own[SLOW])[2:][0] >= 100
    assert least(own[FAST])[2] == 0
    full = of_bcache(bcache(free="20"), "write")
    assert most(full[SLOW])[3] >= 409_600
    assert least(full[FAST])[3] >= 409_600


def test_reads_around_bcache() -> None:
    """In a mode that takes no writes, reads may be found all the same."""
    own = of_bcache(bcache("writearound"), "read")
    assert (least(own[SLOW])[:2], most(own[SLOW])[:2]) == ((0, 0), (100, 409_600))
    assert most(own[FAST])[1] == 409_600


def test_bcache_without_a_cache() -> None:
    stack = bcache()
    top = replace(stack.layers[0], below=(f"h/disk:{SLOW}",))
    own = of_bcache(replace(stack, layers=(top, DISKS[0])), "write")
    assert four(own[SLOW].predicted) == of("write", 100)
    assert own[SLOW].between is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("backing_dev_name", "slow and its fast one"), ("cache_mode", "its settings"),
        ("dirty_data", "dirty_data was not"), ("cache/cache0/metadata_written", "metadata_written"),
    ],
)  # fmt: skip
def test_bcache_that_cannot_be_told(path: str, why: str) -> None:
    whole = bcache()
    facts, before, after = (
        {key: text for key, text in texts.items() if key != f"{PLACE}/{path}"}
        for texts in (whole.facts, whole.before, whole.after)
    )
    stack = Stack(whole.layers, facts, before, after)
    ledger, _ = stack.ledger(asked("read", 1), {"bcache0": of("read", 1)})
    assert why in ledger.uncovered[0]
