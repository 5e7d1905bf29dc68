"""Asks the same of several devices at the same time, and lets none of them go on unheard."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable

from iosonde.errors import Refused


async def ask_each(asking: Iterable[Awaitable[object]]) -> None:
    """Wait for every answer, also after one was a refusal.

    What is left running when the first one fails runs into the end of its connection, and its
    failure is printed as a traceback behind the refusal.

    Args:
        asking: one question a device.

    Raises:
        Refused: the first refusal; its evidence names the other devices that are refused too.
        IosondeError: where none is a refusal, the first failure.
    """
    answers = await asyncio.gather(*asking, return_exceptions=True)
    problems = [answer for answer in answers if isinstance(answer, BaseException)]
    if not problems:
        return
    refused = [problem for problem in problems if isinstance(problem, Refused)]
    for other in refused[1:]:
        refused[0].evidence += f"; {other.where}: {other.message}"
    raise (refused or problems)[0]
