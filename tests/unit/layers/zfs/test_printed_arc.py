"""arc_summary of several versions, and the kernel's own counters."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Json
from tests.mangle import counters, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"
NEW, OLD, KSTAT = (
    (PLACE / f"{name}.txt").read_text() for name in ("arc-summary", "arc-summary-old", "arcstats")
)
GIB = 1 << 30


def figures(text: str) -> dict[str, dict[str, Json]]:
    return {each.name: dict(each.values) for each in counters(text)}


def test_a_summary_in_every_shape() -> None:
    for shape, given in mangled(NEW):
        printed = figures(given)
        assert printed["arc_status"] == {"state": "HEALTHY", "memory_throttle_count": 0}, shape
        size = printed["arc_size_current"]
        assert (size["total"], size["share"]) == (round(39.2 * GIB), 0.625)
        assert size["max_size_high_water"] == round(62.7 * GIB)
        assert printed["arc_misc"]["l2_eligible_mru_evictions"] == round(36.6 * 2**20)
        assert "l2_eligible_mru_evictions.share" not in printed["arc_misc"]
        accesses = printed["arc_total_accesses_hits_misses"]
        assert (accesses["total"], accesses["cache_hit_ratio.share"]) == (108_600_000, 0.981)
        (state,) = states(given)
        (module,) = state.subjects
        assert (module.kind, module.name) == ("module", "zfs")
        assert module.values["zfs_arc_max"] == 67323822080


def test_an_older_summary() -> None:
    for shape, given in mangled(OLD):
        printed = figures(given)
        assert printed["arc_summary"]["state"] == "HEALTHY", shape
        assert printed["arc_size"]["total"] == round(6.75 * GIB)
        assert printed["arc_misc"]["mutex_misses"] == 2610
        assert printed["arc_total_accesses"]["cache_hit_ratio"] == 72_650_000


def test_counters_of_the_kernel() -> None:
    for shape, given in mangled(KSTAT):
        assert figures(given)["arcstats"]["c_max"] == 16731602944, shape
    rows = KSTAT.split("\n", 3)[3]
    assert figures(rows)["arcstats"]["hits"] == 18452213
    path = "$ cat /proc/spl/kstat/zfs/tank/dmu_tx_assign\nname      type data\n8us       4    12\n"
    assert figures(path)["dmu_tx_assign"] == {"pool": "tank", "8us": 12}


def test_heads_alone_and_prose() -> None:
    (entry,) = read("ARC hash breakdown:\n\n\n\n\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert entry.reason == "no figure stands below its head"
    (entry,) = read("name                            type data\n\n\n\n")
    assert isinstance(entry, Unread)
    assert read("We saw ARC size (current): it was large, so we set c_max 4 times.\n") == []
