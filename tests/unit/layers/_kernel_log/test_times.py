"""When the kernel said what: the times of each counter, and the messages that are kept of it."""

from __future__ import annotations

from iosonde.records.stack import Json
from tests.mangle import counters

_BLOCK = "Buffer I/O error on dev sdq, logical block {}, async page read"


def _sdq(text: str) -> dict[str, Json]:
    (log,) = counters(text, "kernel log")
    return dict(log.values)


def test_the_first_and_the_last_time_of_each_counter() -> None:
    lines = [f"[  10{place}.000001] {_BLOCK.format(place)}\n" for place in range(3)]
    values = _sdq("".join(lines) + "[  200.000000] sd 1:0:0:0: [sdq] Attached SCSI disk\n")
    assert values["times"] == {
        "buffer_errors": [100.000001, 102.000001], "attached_disks": [200.0],
    }  # fmt: skip
    assert (values["first"], values["last"]) == ("100.000001", "102.000001")


def test_a_message_without_a_time_has_none() -> None:
    assert "times" not in _sdq(f"{_BLOCK.format(7)}\n")
    assert "times" not in _sdq(f"[  +0.000045] {_BLOCK.format(7)}\n")


def test_the_first_messages_of_a_counter_are_kept_whole() -> None:
    lines = [f"[  10{place}.000001] {_BLOCK.format(place)}\n" for place in range(9)] * 2
    kept = [_BLOCK.format(place) for place in range(9)]
    assert _sdq("".join(lines))["messages"] == kept
    many = [f"[  {place}.000001] {_BLOCK.format(place)}\n" for place in range(100, 150)]
    assert _sdq("".join(many))["messages"] == [_BLOCK.format(place) for place in range(100, 110)]
