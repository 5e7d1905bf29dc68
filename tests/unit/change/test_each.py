"""Several devices asked at the same time, of which some are refused."""

from __future__ import annotations

import asyncio

import pytest

from iosonde.change.each import ask_each
from iosonde.errors import HostFailed, Refused

answered: list[str] = []


async def ask(name: str, seconds: float, problem: Exception | None = None) -> None:
    await asyncio.sleep(seconds)
    answered.append(name)
    if problem:
        raise problem


async def test_all_have_answered_before_the_first_refusal_is_raised() -> None:
    answered.clear()
    refused = Refused("it carries ext4", where="/dev/b", evidence="blkid")
    two = Refused("it is mounted", where="/dev/c", evidence="mountinfo")
    with pytest.raises(Refused, match="it carries ext4") as caught:
        await ask_each([ask("a", 0.1), ask("b", 0, refused), ask("c", 0.05, two)])
    assert sorted(answered) == ["a", "b", "c"]
    assert caught.value.evidence == "blkid; /dev/c: it is mounted"


async def test_a_refusal_outweighs_a_failure_and_no_problem_is_none() -> None:
    with pytest.raises(Refused):
        await ask_each([ask("a", 0, HostFailed("lost")), ask("b", 0.01, Refused("no"))])
    with pytest.raises(HostFailed):
        await ask_each([ask("a", 0, HostFailed("lost")), ask("b", 0.01)])
    await ask_each([ask("a", 0), ask("b", 0)])
