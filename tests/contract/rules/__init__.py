"""One case that fires and one near miss for every rule of `iosonde explain`."""

from __future__ import annotations

from tests.contract.rules import (
    arrays,
    caches,
    clusters,
    drives,
    hosts,
    links,
    loads,
    logs,
    orders,
    pools,
)
from tests.contract.rules.case import RuleCase

CASES: tuple[RuleCase, ...] = (
    *arrays.CASES, *caches.CASES, *clusters.CASES, *drives.CASES, *hosts.CASES, *links.CASES,
    *loads.CASES, *logs.CASES, *orders.CASES, *pools.CASES,
)  # fmt: skip
