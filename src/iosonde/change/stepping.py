"""How the commands of a step are run at its host, and what is there before and after them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from iosonde.change.at_work import holding
from iosonde.change.identity import Facts, read
from iosonde.change.standing import CheckOutcome, judged, standing
from iosonde.errors import CommandFailed, HostFailed
from iosonde.hosts.command import answered, asked_after, quote, sequence
from iosonde.hosts.host import Host
from iosonde.layers.step import Check, Command, Step

_PAUSE = 0.1


async def facts_of(host: Host, step: Step, *, before: bool = False) -> dict[str, Facts]:
    """What tells the subjects of a step that are there, by their names."""
    subjects = [subject for subject in step.subjects if not before or subject.name in step.destroys]
    described = zip(subjects, await read(host, subjects), strict=True)
    return {subject.name: facts for subject, facts in described if facts.its}


async def run_commands(
    host: Host, commands: Sequence[Command], lock: str, there: Check | None = None
) -> CheckOutcome | None:
    """Run commands in order until one fails; together, since each way to a host takes time.

    They hold the lock as long as they run.

    Returns:
        What a check finds right after them.
    """
    together = sequence((command.argv, command.stdin, command.may_fail) for command in commands)
    timeout = sum(command.timeout for command in commands)
    try:
        if there is None:
            await host.run(holding(lock, together), timeout=timeout)
            return None
        asking = asked_after(together, there.argv)
        done = await host.run(holding(lock, asking), timeout=timeout + there.timeout)
        return judged(there, *answered(done.stdout))[0]
    except CommandFailed as problem:
        if problem.status == 127:
            tools = ", ".join(dict.fromkeys(command.argv[0] for command in commands))
            problem.hint = f"install what is missing on that host (it needs {tools})"
        raise


async def wait_until_there(host: Host, there: Check, patience: float) -> None:
    """Wait until what was made is there, as declared.

    Raises:
        HostFailed: it is not.
    """
    end = time.monotonic() + patience
    while (state := await standing(host, there)) is not CheckOutcome.THERE:
        if time.monotonic() > end:
            what = "is not as declared" if state is CheckOutcome.OTHER else "is not there"
            raise HostFailed(
                f"every command succeeded, but it {what}: {quote(there.argv)} shows so",
                where=host.name,
            )
        await asyncio.sleep(_PAUSE)
