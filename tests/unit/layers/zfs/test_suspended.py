"""Pools that are suspended, however a text says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.zfs import findings, findings_suspended
from iosonde.records.printed import Unread
from iosonde.text.document import of_bytes
from tests.mangle import mangled, read, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"
SENTENCE = (
    "status: One or more devices are faulted in response to IO failures.\n"
    "action: Make sure the affected devices are connected, then run 'zpool clear'.\n"
)


def said(given: str) -> list[tuple[str, str]]:
    """Rules and subjects of what is found about pools."""
    case, _ = of_document(of_bytes("page", given.encode()))
    rules = (*findings.RULES, *findings_suspended.RULES)
    return [(each.rule, each.subject) for rule in rules for each in rule.find(case)]


def test_the_sample_in_every_shape() -> None:
    for shape, given in mangled((PLACE / "suspended.txt").read_text(), wraps=False):
        pools = {
            (thing.name, thing.values.get("state")): thing.values
            for thing in subjects_in(given)
            if thing.kind == "zpool"
        }
        assert list(pools) == [
            ("bulk", "SUSPENDED"), ("old", "ONLINE"), ("shared", "SUSPENDED"), ("bulk", None),
            ("attic", "SUSPENDED"),
        ], shape  # fmt: skip
        roots = [values.get("root_state") for values in pools.values()]
        assert roots == ["UNAVAIL", None, "ONLINE", None, None], shape
        assert pools["bulk", "SUSPENDED"]["note"] == "insufficient replicas"
        assert pools["bulk", None]["refused"] == "destroy"


def test_what_is_said_of_the_sample() -> None:
    text = (PLACE / "suspended.txt").read_text()
    assert said(text) == [
        ("degraded", "bulk"), ("io-errors", "sdc"), ("io-errors", "sdd"),
        ("pool-suspended", "bulk"), ("pool-suspended", "old"), ("pool-suspended", "shared"),
        ("pool-suspended", "attic"),
    ]  # fmt: skip


def test_both_states_in_json() -> None:
    pool, _ = subjects_in((PLACE / "status-suspended.json").read_text())
    assert (pool.values["state"], pool.values["root_state"]) == ("SUSPENDED", "UNAVAIL")


def test_a_state_that_is_the_roots_is_said_once() -> None:
    for thing in subjects_in((PLACE / "status.txt").read_text()):
        assert "root_state" not in thing.values


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (f"It says:\n\n```\n{SENTENCE}```\n\nWhat now?\n", ""),
        (f"```\n  pool: tank\n state: SUSPENDED\n{SENTENCE}```\n\nand it hangs.\n", "tank"),
        (f"{SENTENCE}config:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank UNAVAIL 0 0 0\n", "tank"),
        ("zfs error: cannot open 'tank/vm-100-disk-0': pool I/O is currently suspended\n", "tank"),
        ("errors: List of errors unavailable: pool I/O is currently suspended\n", ""),
    ],
)  # fmt: skip
def test_parts_of_a_status(given: str, name: str) -> None:
    (pool,) = (thing for thing in subjects_in(given) if thing.kind == "zpool")
    assert pool.name == name
    suspended = [subject for rule, subject in said(given) if rule == "pool-suspended"]
    assert suspended == [name or "unnamed zpool"]


def test_a_table_that_is_cut_off_is_told_beside_the_pool() -> None:
    given = f"  pool: tank\n state: SUSPENDED\n{SENTENCE}config:\n\n\tNAME  STATE\n"
    assert [entry.reason for entry in read(given) if isinstance(entry, Unread)] == [
        "the table of its devices is cut off"
    ]


def test_a_sentence_without_its_end_is_left_out() -> None:
    head = "  pool: tank\n state: DEGRADED\n  scan: none requested\n"
    given = f"{head}status: One or more devices could\n"
    (pool,) = subjects_in(given)
    assert dict(pool.values) == {"state": "DEGRADED", "scan": "none requested"}


@pytest.mark.parametrize(
    "near_miss",
    [
        "status: One or more replicas are late.\naction: wait\n",
        "status: The pool is closed for the winter.\n",
        "If pool I/O is currently suspended, `zpool clear` it.\n",
        "Pool tank state is great: it works as it should.\n",
        '        gettext("One or more devices are faulted in response to IO failures."));\n',
    ],
)
def test_what_looks_alike(near_miss: str) -> None:
    assert read(near_miss) == []


def test_a_pool_that_is_shown_online_again() -> None:
    before = f"  pool: tank\n state: SUSPENDED\n{SENTENCE}"
    after = "  pool: tank\n state: ONLINE\n  scan: none requested\n"
    assert said(f"{before}\n# zpool clear tank\n\n{after}") == []
    assert said(f"{after}\n# zpool status\n\n{before}") == [("pool-suspended", "tank")]
