"""Whether a thing that a step makes is there."""

from __future__ import annotations

from enum import Enum

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers.step import Check


class CheckOutcome(Enum):
    """What a check found."""

    ABSENT = "absent"
    THERE = "there"
    OTHER = "other"


async def standing(host: Host, check: Check) -> CheckOutcome:
    """Whether it is there, and as declared."""
    return (await seen(host, check))[0]


async def seen(host: Host, check: Check) -> tuple[CheckOutcome, str]:
    """Whether it is there, and what the check printed, its blanks counted as one.

    Raises:
        CommandTimeout: the check did not end.
    """
    done = await host.run(check.argv, timeout=check.timeout, check=False)
    return judged(check, done.status, done.stdout)


def judged(check: Check, status: int, stdout: bytes) -> tuple[CheckOutcome, str]:
    """What a check's status and output mean, and the output, its blanks counted as one."""
    if status != 0:
        return CheckOutcome.ABSENT, ""
    output = _joined_fields(kerneltext.decoded(stdout))
    there = all(_joined_fields(text) in output for text in check.shows)
    return (CheckOutcome.THERE if there else CheckOutcome.OTHER), output


def _joined_fields(text: str) -> str:
    return " ".join(kerneltext.fields(text.replace("\n", " ")))
