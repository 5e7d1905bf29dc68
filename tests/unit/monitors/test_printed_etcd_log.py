"""etcd's log: waits as they stand in the sample, in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs" / "databases-composed" / "etcd-log.txt").read_text()


def _waits(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(row.host, dict(row.values)) for row in counters(text, "etcd log")]


def test_waits_of_new_and_old_versions() -> None:
    assert _waits(TEXT) == [
        ("kv2", {"slow_fsyncs": 2, "slow_fsync.max": 62.5, "slow_requests": 1,
                 "slow_request.max": 0.2032, "late_heartbeats": 1, "late_heartbeat.max": 0.3205}),
        ("kv1", {"slow_fsyncs": 1, "slow_fsync.max": 1.75, "slow_requests": 1,
                 "slow_request.max": 0.5125, "late_heartbeats": 1, "late_heartbeat.max": 0.045}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["mysql: the query took too long (1.5s) to execute\n", "sync duration of 1.75s\n",
     '{"msg":"slow fdatasync"}\n'],
)  # fmt: skip
def test_what_others_say_of_waits(text: str) -> None:
    assert not _waits(text)


@pytest.mark.parametrize(
    ("shape", "text"),
    [each for each in mangled(TEXT, wraps=False) if each[0] != "escaped"],
    ids=lambda each: each[:20],
)
def test_mangled(shape: str, text: str) -> None:
    assert [values for _, values in _waits(text)] == [values for _, values in _waits(TEXT)], shape
