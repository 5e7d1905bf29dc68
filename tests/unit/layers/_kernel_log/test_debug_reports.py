"""Reports of KASAN and lockdep: what they say beside their stacks."""

from __future__ import annotations

import pytest

from iosonde.records.printed import PRINTED
from tests.mangle import counters, mangled

FREED = """\
[   29.001001] ==================================================================
[   29.001002] BUG: KASAN: slab-use-after-free in walk_list+0xbf4/0xe90
[   29.001003] Read of size 4 at addr ffff888067172180 by task kworker/u2:2/84
[   29.001004]
[   29.001005] CPU: 3 PID: 84 Comm: kworker/u2:2 Not tainted 6.12.0-rc2 #86
[   29.001006] Call Trace:
[   29.001007]  <TASK>
[   29.001008]  dump_stack_lvl+0x5d/0x80
[   29.001009]  kasan_report+0xbe/0xf0
[   29.001010]  walk_list+0xbf4/0xe90
[   29.001011]  </TASK>
[   29.001012]
[   29.001013] Allocated by task 209 on cpu 7 at 28.904512s:
[   29.001014]  kasan_save_stack+0x33/0x60
[   29.001015]  kmem_cache_alloc_noprof+0xc0/0x240
[   29.001016]
[   29.001017] Freed by task 84 on cpu 3 at 28.991204s:
[   29.001018]  kasan_save_stack+0x33/0x60
[   29.001019]  kmem_cache_free+0x8c/0x2f0
[   29.001020]
[   29.001021] The buggy address belongs to the object at ffff888067172140
[   29.001021]  which belongs to the cache made_up_request of size 224
[   29.001022] The buggy address is located 64 bytes inside of
[   29.001022]  freed 224-byte region [ffff888067172140, ffff888067172220)
[   29.001023]
[   29.001024] Memory state around the buggy address:
[   29.001025]  ffff888067172080: fb fb fb fb fb fb fb fb fb fb fb fb fc fc fc fc
[   29.001026] >ffff888067172180: fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb fb
"""
CIRCLE = """\
[  100.000001] ======================================================
[  100.000002] WARNING: possible circular locking dependency detected
[  100.000003] 6.12.0-rc6+ #1 Not tainted
[  100.000004] ------------------------------------------------------
[  100.000005] kswapd7/123 is trying to acquire lock:
[  100.000006] ffff888108d3c6a8 (&made_up_inode_class){++++}-{3:3}, at: take_inode+0x15a/0x2d0 [fs]
[  100.000007]
[  100.000008] but task is already holding lock:
[  100.000009] ffffffff8b9d3e20 (reclaim){+.+.}-{0:0}, at: begin_reclaim+0x5/0x30
[  100.000010]
[  100.000011] which lock already depends on the new lock.
[  100.000013] the existing dependency chain (in reverse order) is:
[  100.000015] -> #1 (reclaim){+.+.}-{0:0}:
[  100.000016]        begin_reclaim+0x34/0x40
[  100.000017]        kmem_cache_alloc+0x2d/0x230
[  100.000019] -> #0 (&made_up_inode_class){++++}-{3:3}:
[  100.000020]        __lock_acquire+0x1206/0x2240
[  100.000036] 2 locks held by kswapd7/123:
[  100.000037]  #0: ffffffff8b9d3e20 (reclaim){+.+.}-{0:0}, at: begin_reclaim+0x5/0x30
[  100.000038]  #1: ffff888100db7a28 (&type->umount_key#42){++++}-{3:3}, at: scan+0x1c/0x1e0
[  100.000040] stack backtrace:
[  100.000041] CPU: 9 PID: 123 Comm: kswapd7 Not tainted 6.12.0-rc6+ #1
[  100.000043] Call Trace:
[  100.000044]  dump_stack+0x8d/0xc0
[  100.000046]  take_inode+0x15a/0x2d0 [fs]
"""


def _trace(text: str) -> dict[str, object]:
    (trace,) = counters(text, "kernel trace")
    return dict(trace.values)


def test_the_object_and_who_had_it() -> None:
    values = _trace(FREED)
    begin, end, touched = 0xFFFF888067172140, 0xFFFF888067172220, 0xFFFF888067172180
    assert values["region_size"] == end - begin == values["object_size"]
    assert values["offset"] == touched - begin
    assert (values["side"], values["cache"]) == ("inside of", "made_up_request")
    assert (values["allocated_by"], values["allocated_on"]) == (209, 7)
    assert (values["freed_by"], values["freed_at"]) == (84, 28.991204)
    assert not counters(FREED, PRINTED)


@pytest.mark.parametrize(("shape", "text"), list(mangled(FREED)))
def test_the_object_in_any_shape(shape: str, text: str) -> None:
    traces = [entry.values for entry in counters(text, "kernel trace")]
    said = [values["offset"] for values in traces if "offset" in values]
    assert said == ([] if shape.startswith(("cut", "the ")) and not said else [64]), shape
    for values in traces:
        assert values.get("region_size", 224) == values.get("object_size", 224) == 224
        assert values.get("allocated_by", 209) == 209


def test_an_older_kernel_says_less_and_breaks_its_lines() -> None:
    text = FREED.replace(" on cpu 7 at 28.904512s", "").replace(" on cpu 3 at 28.991204s", "")
    text = text.replace("[   29.001021]  which", "                which")
    text = text.replace("[   29.001022]  freed 224", "                224")
    values = _trace(text)
    assert (values["allocated_by"], values["freed_by"]) == (209, 84)
    assert not {"allocated_on", "freed_at"} & values.keys()
    assert (values["object_size"], values["region_size"], values["offset"]) == (224, 224, 64)


def test_the_locks_of_a_circle() -> None:
    values = _trace(CIRCLE)
    assert (values["wanted_lock"], values["wanted_in"]) == ("&made_up_inode_class", "take_inode")
    assert (values["held_lock"], values["held_in"]) == ("reclaim", "begin_reclaim")
    assert values["chain"] == ["reclaim", "&made_up_inode_class"]
    assert values["held_locks"] == ["reclaim", "&type->umount_key#42"]
    assert values["locks_held"] == 2
    assert (values["pid"], values["functions"]) == (123, ["dump_stack", "take_inode"])
    assert not counters(CIRCLE, PRINTED)


def test_locks_of_an_older_kernel_and_one_that_nobody_held() -> None:
    old = CIRCLE.replace("ffff888108d3c6a8 (&made", "[<ffff888108d3c6a8>] (&made")
    assert _trace(old)["wanted_lock"] == "&made_up_inode_class"
    lines = CIRCLE.splitlines(keepends=True)
    released = "[  100.000005] truncate/7800 is trying to release lock (&made->up) at:\n"
    unbalanced = "".join([
        lines[0], "[  100.000002] WARNING: bad unlock balance detected!\n", lines[2], lines[3],
        released, "[  100.000006] [<ffffffffc07a4d3c>] let_go+0x5d/0x60 [fs]\n",
        "[  100.000007] but there are no more locks to release!\n", *lines[-5:],
    ])  # fmt: skip
    values = _trace(unbalanced)
    assert values["released_lock"] == "&made->up"
    assert "wanted_lock" not in values


def test_what_powerpc_says_of_a_fault() -> None:
    text = (
        "[   63.748594] BUG: Unable to handle kernel data access at 0x2e6f732e7a626994\n"
        "[   63.748601] Faulting instruction address: 0xc008000009de22bc\n"
        "[   63.748605] Oops: Kernel access of bad area, sig: 11 [#1]\n"
        "[   63.748609] LE PAGE_SIZE=64K MMU=Radix  SMP NR_CPUS=2048 NUMA pSeries\n"
        "[   63.748620] CPU: 58 PID: 3716 Comm: report Not tainted 6.19.0 #1\n"
        "[   63.748640] NIP [c008000009de22bc] look_up+0x54/0x2f0 [fs]\n"
        "[   63.748800] Call Trace:\n"
        "[   63.748807] [c0000000a3a4fa60] [c0000000a3a4fb50] 0xc0000000a3a4fb50 (unreliable)\n"
        "[   63.748839] [c0000000a3a4fb50] [c0000000007a7468] read_iter+0x138/0x640\n"
    )
    values = _trace(text)
    assert values["faulting_address"] == "0xc008000009de22bc"
    assert values["build"] == "LE PAGE_SIZE=64K MMU=Radix SMP NR_CPUS=2048 NUMA pSeries"
    assert (values["at"], values["functions"]) == ("look_up", ["read_iter"])
    assert not counters(text, PRINTED)


@pytest.mark.parametrize(
    "text",
    [
        "The buggy address is located 64 bytes inside of what I sent\n",
        "kswapd7/123 is trying to acquire lock: I guess that it waits\n",
        "In my words (lock){of the key}, at: the door\n",
        "2 locks held by my neighbour\nbut task is already holding lock:\n",
    ],
)
def test_sentences_about_reports_are_none(text: str) -> None:
    assert not counters(text, "kernel trace")
