"""Pools of Ceph whose objects are unevenly spread: many in a placement group, keys in one object.

Source: Ceph documentation, rados/operations/health-checks: MANY_OBJECTS_PER_PG (mostly a pool with
too few placement groups, or others with too many; mon_pg_warn_max_object_skew of the managers) and
LARGE_OMAP_OBJECTS (osd_deep_scrub_large_omap_object_key_threshold, 200000 keys; the cluster's log
names the object; found, and withdrawn, by a deep scrub); radosgw/dynamicresharding.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.layers.ceph.findings import clusters, place_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding


def _many_objects(case: EvidenceSet) -> Iterator[Finding]:
    """Pools with many more objects in a group than others: by their lines, else by the health."""
    places = set[str]()
    for pool in case.of_kind("ceph_pool"):
        objects, average = pool.number("objects_per_pg"), pool.number("average_objects_per_pg")
        if not objects:
            continue
        places.add(place_of(pool))
        yield _crowded(
            pool, f"The pool {pool.name} has {objects:,} objects in a placement group, where all "
            f"pools together have {average:,} ({pool.number('times_average'):.3g} times as many)",
        )  # fmt: skip
    for cluster in clusters(case, lambda state: state.number("pools_with_many_objects")):
        count = int(cluster.number("pools_with_many_objects"))
        if place_of(cluster) not in places:
            yield _crowded(
                cluster,
                f"{count:,} {'pool has' if count == 1 else 'pools have'} many more objects in a "
                "placement group than all pools together",
            )


def _crowded(thing: StateEvidence, message: str) -> Finding:
    return Finding(
        "few-placement-groups", "note", subject_of(thing),
        f"{message}: each of these groups is scrubbed and recovered as a whole, and they are "
        "spread over few OSDs, unless the objects are merely small.",
        thing.evidence("pools_with_many_objects", "objects_per_pg", "average_objects_per_pg"),
        "`ceph osd pool autoscale-status`: let it give the pool more groups (`ceph osd pool set "
        "POOL pg_autoscale_mode on`, target_size_ratio), and pools that hold little fewer, or set "
        "pg_num; where the objects are small and many on purpose, raise "
        "mon_pg_warn_max_object_skew of the managers",
        "`ceph health detail`: no MANY_OBJECTS_PER_PG; `ceph osd df`: OSDs equally full",
    )  # fmt: skip


def _large_omaps(case: EvidenceSet) -> Iterator[Finding]:
    """Objects with very many keys, with the pools that they are in as far as these are named."""
    places = set[str]()
    for cluster in clusters(case, lambda state: state.number("large_omap_objects")):
        places.add(place_of(cluster))
        pools = [pool for pool in _pools(case) if place_of(pool) == place_of(cluster)]
        yield _large(cluster, int(cluster.number("large_omap_objects")), pools)
    for pool in _pools(case):
        if place_of(pool) not in places:
            yield _large(pool, int(pool.number("large_omap_objects")), [pool])


def _pools(case: EvidenceSet) -> Iterator[StateEvidence]:
    return (pool for pool in case.of_kind("ceph_pool") if pool.number("large_omap_objects"))


def _large(thing: StateEvidence, count: int, pools: list[StateEvidence]) -> Finding:
    names = ", ".join(dict.fromkeys(pool.name for pool in pools))
    return Finding(
        "large-omap", "warning", subject_of(thing),
        f"{count:,} {'object' if count == 1 else 'objects'} of Ceph"
        + (f" (in {names})" if names else "")
        + f" {'has' if count == 1 else 'have'} more keys than a deep scrub takes for healthy "
        "(200,000, unless set): an OSD lists, scrubs and recovers them in one piece, and requests "
        "to it wait meanwhile.",
        (Evidence("large omap objects", count, "", thing.where),),
        "the cluster's log names each (`grep 'Large omap object found' /var/log/ceph/ceph.log`); "
        "an index of a bucket has too few shards (`radosgw-admin bucket limit check`, `bucket "
        "reshard`), logs of a gateway are not trimmed; then `ceph pg deep-scrub PG` of its group, "
        "without which the warning stays",
        "`ceph health detail` after the deep scrub: no LARGE_OMAP_OBJECTS",
    )  # fmt: skip


_CHECKS = "Ceph documentation, rados/operations/health-checks"
RULES: tuple[Rule, ...] = (
    Rule("few-placement-groups", "ceph, ceph_pool",
         "Pools with many more objects in a placement group than others.",
         f"{_CHECKS}, MANY_OBJECTS_PER_PG", _many_objects),
    Rule("large-omap", "ceph, ceph_pool", "Objects with more keys than Ceph takes for healthy.",
         f"{_CHECKS}, LARGE_OMAP_OBJECTS", _large_omaps),
)  # fmt: skip
