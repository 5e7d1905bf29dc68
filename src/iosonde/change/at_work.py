"""That an earlier iosonde's commands are still at work on a host is seen by the next one.

A controller that is killed, or whose connection is lost, leaves the commands of its last steps
running: what stands there is about to change. So they hold a lock of their stack while they run
(flock(2), shared), which ends with them whatever becomes of the controller, and whoever comes next
waits for it before it reads the record. What they start for good does not inherit it.
"""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.errors import HostFailed
from iosonde.hosts.host import Host

PATIENCE = 90.0
"""Seconds for what is still at work; a mkfs or a first sync may take some."""
_STILL = 75
# The group closes the lock for what it runs; the shell keeps its own copy, closed on exec, until
# that has ended (POSIX sh, 2.7 Redirection; 2.9.4 Compound Commands).
# The directory of the lock is private: whoever can open the file could keep it locked for ever.
_HOLDING = (
    'if command -v flock >/dev/null; then [ -d "${0%/*}" ] || (umask 077; mkdir -p "${0%/*}"); '
    'exec 9>>"$0" && flock -s 9; fi; { "$@"; } 9>&-'
)
_WAITING = (
    'test -e "$0" && command -v flock >/dev/null || exit 0; '
    f'exec 9>>"$0" && {{ flock -w "$1" 9 || exit {_STILL}; }}'
)


def holding(lock: str, argv: Sequence[str]) -> tuple[str, ...]:
    """A command that holds a lock while it runs, and ends with its status.

    Args:
        lock: path of a file, made where there is none.
        argv: the command. On a host without flock(1) it runs as it is.
    """
    return ("sh", "-c", _HOLDING, lock, *argv)


async def finished(host: Host, lock: str, patience: float = PATIENCE) -> None:
    """Wait until nothing that holds a lock is at work.

    Raises:
        HostFailed: something still is.
    """
    argv = ("sh", "-c", _WAITING, lock, str(patience))
    done = await host.run(argv, timeout=patience + 60.0, check=False)
    if done.status == _STILL:
        raise HostFailed(
            "commands of an earlier iosonde are still at work on this stack",
            where=host.name,
            hint=f"wait for them; `fuser -v {lock}` there shows which",
        )
