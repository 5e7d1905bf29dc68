"""dm-cache and dm-writecache as they are declared: how they are divided, and what they say."""

from __future__ import annotations

import numpy as np
import pytest

from iosonde.errors import UsageError
from iosonde.layers.dm_cache.ledger import dm_cache_blocks
from iosonde.predict.model import Prediction, model_of, predict, top_of
from iosonde.predict.requests import Requests
from iosonde.predict.what_if import parse_change, variants
from iosonde.stack.file import understand
from iosonde.units import KIB, MIB

CACHE = "r: {kind: dm_cache, of: [d1, d2], block_size: 64 KiB, "
WRITECACHE = "r: {kind: dm_writecache, of: [d1, d2]}"


def run(
    layer: str, requests: list[tuple[int, int, int]], change: str = "r.request_rate=1000"
) -> Prediction:
    lines = ["stack: s", "hosts: {n: {at: local}}", "layers:"]
    for name, size in (("d1", "9 GiB"), ("d2", "64 MiB")):
        lines.append(f"  {name}: {{kind: disk, host: n, path: /dev/{name}, size: {size}}}")
    stack = understand("\n".join([*lines, f"  {layer}"]), "s.yaml")
    (request,) = variants(stack, top_of(stack), [parse_change(change)])
    ops = np.array([op for op, _, _ in requests], dtype=np.uint8)
    table = np.array([request[1:] for request in requests], dtype=np.uint64)
    given = Requests(ops, table[:, 0].copy(), table[:, 1].copy())
    return predict(model_of(request.top, stack.mtu, request.extra), given)


def test_the_fast_layer_of_a_cache_has_room_for_a_header_and_metadata() -> None:
    """1 MiB of header, 5 of metadata: 4 and 28 bytes a block, to the next MiB."""
    assert dm_cache_blocks(64 * MIB, 64 * KIB) == (64 - 6) * 16
    assert dm_cache_blocks(64 * MIB, 4 * MIB) == (64 - 8) // 4
    assert dm_cache_blocks(6 * MIB, 64 * KIB) == 0


@pytest.mark.parametrize("keys", ["mode: passthrough", "mode: writeback, policy: cleaner"])
def test_a_cache_that_takes_nothing_in(keys: str) -> None:
    prediction = run(f"{CACHE}{keys}}}", [(op, 0, 64 * KIB) for op in (0, 1) * 40])
    slow, fast = prediction.disks()
    assert (slow.reads, slow.writes) == (40, 40)
    assert (fast.reads, fast.writes) == (0, 0)


def test_dirty_blocks_are_written_back_when_the_slow_layer_is_idle() -> None:
    """Each second if only the fast one is written to, and in the end."""
    for rate, copies in ((1000, 1), (100, 3)):
        prediction = run(
            f"{CACHE}mode: writeback}}", [(1, 0, 64 * KIB)] * 350, f"r.request_rate={rate}"
        )
        slow, fast = prediction.disks()
        assert (slow.writes, slow.write_bytes) == (copies, copies * 64 * KIB)
        assert fast.writes == 350
        assert any(f"{rate} times a second" in note for note in prediction.notes)


def test_a_flush_commits_and_puts_writing_back_off() -> None:
    """Of 15 MiB in use with 64 MiB and a watermark of 50 % nothing goes; of 40 MiB some do."""
    writes = [(1, number * MIB, MIB) for number in range(40)]
    few = run(WRITECACHE, [*writes[:15], (2, 0, 0)]).disks()
    assert (few[0].writes, few[0].flushes) == (0, 1)
    assert few[1].write_bytes == 15 * MIB + 64 * KIB + 4 * KIB
    many = run(WRITECACHE, writes).disks()
    assert many[0].write_bytes == many[1].read_bytes > 0
    flushed = [row for write in writes * 2 for row in (write, (2, 0, 0))]
    assert run(WRITECACHE, flushed, "r.request_rate=10").layers[0].events["written_back"] > 0
    late = run(WRITECACHE, [(1, number * MIB, MIB) for number in range(80)]).layers[0].events
    assert late["writes_around"] == 0
    full = [row for n in range(80) for row in ((1, n * MIB, MIB), (2, 0, 0))]
    assert run(WRITECACHE, full).layers[0].events["writes_around"] > 0


@pytest.mark.parametrize("rate", ["0", "fast"])
def test_a_rate_is_a_number(rate: str) -> None:
    with pytest.raises(UsageError, match="request_rate"):
        run(WRITECACHE, [(1, 0, 4096)], f"r.request_rate={rate}")


def test_no_room() -> None:
    for layer in (f"{CACHE}mode: writeback}}", WRITECACHE):
        small = layer.replace("of: [d1, d2]", "of: [d1, d3]")
        text = (
            "stack: s\nhosts: {n: {at: local}}\nlayers:\n"
            "  d1: {kind: disk, host: n, path: /dev/d1, size: 9 GiB}\n"
            f"  d3: {{kind: disk, host: n, path: /dev/d3, size: 1 MiB}}\n  {small}"
        )
        stack = understand(text, "s.yaml")
        with pytest.raises(UsageError, match="no room"):
            model_of(top_of(stack), stack.mtu)
