"""What NBD makes of requests: each that the block layer lets through goes over whole."""

from __future__ import annotations

from tests.unit.layers.accounts import KIB, MIB, account

LAYERS = ["t: {kind: nbd_server, of: d1}", "n: {kind: nbd, of: t, host: n2}"]


def test_a_request_goes_over_whole() -> None:
    counts = account(LAYERS, [("write", 0, 1280 * KIB), ("read", 64 * MIB, 4 * KIB)])
    assert counts["n"] == counts["t"] == counts["d1"] == (1, 4 * KIB, 1, 1280 * KIB)


def test_a_larger_one_is_cut() -> None:
    counts = account(LAYERS, [("write", 0, 1284 * KIB)])
    assert counts["n"] == counts["t"] == counts["d1"] == (0, 0, 2, 1284 * KIB)


def test_neighbours_do_not_become_one_on_their_way() -> None:
    counts = account(LAYERS, [("write", 0, 4 * KIB), ("write", 4 * KIB, 4 * KIB)])
    assert counts["d1"] == (0, 0, 2, 8 * KIB)
