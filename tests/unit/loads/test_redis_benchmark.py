"""redis-benchmark and `etcdctl check perf`. Oracle: rates are requests over seconds."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, kept_as_printed, mangled, unread_in

OUTPUTS = Path(__file__).parents[2] / "outputs" / "databases-composed"
REDIS, ETCD = ((OUTPUTS / f"{name}.txt").read_text() for name in ("redis-benchmark", "etcd-check"))


def _tests(text: str, tool: str = "redis-benchmark") -> list[tuple[str, dict[str, float]]]:
    return [
        (each.name, cast("dict[str, float]", dict(each.values))) for each in counters(text, tool)
    ]


def test_tests_with_titles() -> None:
    (_, sets), (_, gets) = _tests(REDIS)[:2]
    assert [name for name, _ in _tests(REDIS)[:2]] == ["SET", "GET"]
    for values in (sets, gets):
        assert values["operations"] / values["seconds"] == values["operations_per_second"]
        assert (values["clients"], values["payload"]) == (50, 64)
    assert sets["latency.mean"] == pytest.approx(250e-6)
    assert sets["latency.p99"] == pytest.approx(455e-6)
    assert sets["latency.max"] == pytest.approx(1.503e-3)
    assert cast("dict[str, object]", sets)["appendonly"] == "yes"
    assert "latency.mean" not in gets


def test_lines_and_rows() -> None:
    lines, rows = _tests(REDIS)[2:4], _tests(REDIS)[4:]
    assert lines == [
        ("SET", {"operations_per_second": 98039.22, "latency.p50": 255e-6}),
        ("LRANGE_100 (first 100 elements)", {"operations_per_second": 50000.0}),
    ]
    assert [name for name, _ in rows] == ["SET", "GET", "INCR"]
    assert rows[1][1]["latency.max"] == pytest.approx(991e-6)
    assert rows[2][1] == {"operations_per_second": 81234.77}
    assert not kept_as_printed(REDIS)  # the head is no rest of anything


def test_marks_of_progress_stand_before_a_carriage_return() -> None:
    text = (
        "SET: rps=0.0 (overall: nan) avg_msec=nan (overall: nan)\r"
        "SET: 98039.22 requests per second, p50=0.255 msec\n"
    )
    assert [name for name, _ in _tests(text)] == ["SET"]


@pytest.mark.parametrize(
    "text",
    ["SUMMARY: 12.5 requests per second\n", '"SET","81234.77"\n',
     "====== SET ======\nSET key value\n", "Our server: 500 requests per second\n"],
)  # fmt: skip
def test_what_others_say_of_requests(text: str) -> None:
    assert not _tests(text)


def test_a_row_that_is_cut_is_none() -> None:
    text = '"test","rps","avg_latency_ms","max_latency_ms"\n"SET","98039.22","0.265"\n'
    assert not _tests(text)
    assert unread_in(text)


def test_what_etcd_asks_of_a_disk() -> None:
    assert _tests(ETCD, "etcdctl check perf") == [
        ("put", {"operations_per_second": 150.0, "latency.max": 0.087214,
                 "latency.stdev": 0.004921, "passed": True}),
        ("put", {"operations_per_second": 98.0, "latency.max": 1.203212,
                 "latency.stdev": 0.171231, "passed": False}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(REDIS, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    assert _tests(text) == _tests(REDIS), shape


@pytest.mark.parametrize(("shape", "text"), list(mangled(ETCD)), ids=lambda each: each[:20])
def test_mangled_checks(shape: str, text: str) -> None:
    assert _tests(text, "etcdctl check perf") == _tests(ETCD, "etcdctl check perf"), shape
