"""lvmcache-stats: its own ratios are the check on its counters."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "lvmcache-composed" / "stats.txt").read_text()


def test_a_cache_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (counted,) = counters(given)
        values = counted.values
        assert (values["read_hits"], values["read_misses"]) == (900_000, 100_000), shape
        assert values["read_hit_ratio"] == 0.9
        ((cache,),) = [state.subjects for state in states(given)]
        assert cache.values["used_share"] == 0.75
        assert (cache.values["block_size"], cache.values["dirty_blocks"]) == (65536, 6000)


def test_its_volume_and_a_torn_copy() -> None:
    (state,) = states("# lvmcache-stats fast/data\n" + TEXT)
    assert state.subjects[0].name == "fast/data"
    (entry,) = read("md_utilization     700/2048\n")
    assert isinstance(entry, Unread)
    assert read("md_utilization is high where the cache is old.") == []
