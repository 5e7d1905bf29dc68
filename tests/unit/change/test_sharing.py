"""What a host is asked once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from iosonde.change.sharing import asked_once, sharing
from iosonde.hosts.host import Completed, Host

USER = ("id", "-u")


class Counting:
    """A host that counts; `status` is how its commands end."""

    def __init__(self, status: int = 0) -> None:
        self.name, self.status, self.times = "there", status, 0

    async def run(self, argv: Sequence[str], **_: object) -> Completed:
        self.times += 1
        return Completed(tuple(argv), self.status, f"{self.times}".encode(), b"", 0.0)


async def test_what_cannot_change_is_asked_of_each_host_once() -> None:
    here, there = Counting(), Counting()
    for _ in range(3):
        assert (await asked_once(cast("Host", here), USER)).stdout == b"1"
        assert (await asked_once(sharing(cast("Host", here)), list(USER))).stdout == b"1"
    assert here.times == 1
    assert (await asked_once(cast("Host", here), ("perl", "-e", "1"))).stdout == b"2"
    await asked_once(cast("Host", there), USER)
    assert there.times == 1


async def test_an_answer_that_was_not_given_is_asked_for_again() -> None:
    host = Counting(status=127)
    assert (await asked_once(cast("Host", host), USER)).status == 127
    host.status = 0
    assert (await asked_once(cast("Host", host), USER)).status == 0
    assert host.times == 2


async def test_a_host_that_cannot_be_remembered_is_asked_again() -> None:
    class Slots(Counting):
        __hash__ = None  # type: ignore[assignment]

    host = Slots()
    await asked_once(cast("Host", host), USER)
    await asked_once(cast("Host", host), USER)
    assert host.times == 2
