"""Directories of a host that nobody but their owner can change; private.sh says what that means.

What iosonde keeps on a host is read again later, and some of it is run, as root: where another user
could put something else in its place, that user would be root. A place that was seen to be private
stays so, since only its owner and root can change that.
"""

from __future__ import annotations

import contextlib
import secrets
from functools import cache

from iosonde import kerneltext
from iosonde.errors import HostFailed, IosondeError, PermissionMissing, Refused
from iosonde.hosts.host import Completed, Host
from iosonde.scripts import source

REFUSED = 77
"""Status of a script that private.sh has ended."""
_ROOTS = 78
_REMOVE = 'cd "${2:-${TMPDIR:-/tmp}}" && rm -r -f -- $1'  # $1 is a pattern
HINT = (
    "see with `ls -la` who has written there; if nobody has, remove it, or make it the property "
    "of the user who runs iosonde and take the others' right to write with `chmod go-w`"
)


@cache
def functions() -> str:
    """The functions of private.sh without comments, to be put before a script."""
    lines = source("iosonde.hosts", "private.sh").split("\n")
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _calling(function: str, *arguments: str) -> list[str]:
    return ["sh", "-c", f'{functions()}\n"$@"', "sh", function, *arguments]


async def require_private(host: Host, *directories: str, make: bool = False) -> None:
    """See that directories are private with all they hold, or are not there and can be made so.

    Args:
        host: where.
        directories: absolute paths; none need be there.
        make: make those missing, with mode 0700, and give the others that mode.

    Raises:
        Refused: another user could change one, or what is in it.
        PermissionMissing: one is root's, and we are not root there.
        HostFailed: it cannot be seen, or made.
    """
    function = "make_private" if make else "private_places"
    judged(host, await host.run(_calling(function, *directories), check=False))


async def require_trusted(host: Host, path: str) -> None:
    """See that only root and we can put something else at a path, or where links from it lead.

    Raises:
        Refused: another user could.
    """
    judged(host, await host.run(_calling("trusted_place", path), check=False))


async def temporary_directory(host: Host, name: str, place: str = "") -> str:
    """Make a directory for a while, with mode 0700; its path.

    What makes it there may be killed when it is made and before its path is told. So its name
    begins with what is chosen here, and what has such a name is removed then.

    Args:
        host: where.
        name: what its name begins with; a dot and ten letters and digits follow.
        place: the directory that it is made in; empty: $TMPDIR there, or /tmp.

    Raises:
        Refused: another user could put a directory of theirs in its place.
        HostFailed: it cannot be made; nothing is left there, unless the host is lost.
    """
    beginning = f"{name}.{secrets.token_hex(2)}"
    argv = _calling("temporary_directory", f"{beginning}XXXXXX", *([place] if place else []))
    try:
        done = judged(host, await host.run(argv, check=False))
    except HostFailed:
        with contextlib.suppress(IosondeError):
            await host.run(["sh", "-c", _REMOVE, "sh", f"{beginning}??????", place], check=False)
        raise
    return kerneltext.decoded(done.stdout).removesuffix("\n")


def judged(host: Host, done: Completed) -> Completed:
    """The end of a script that begins with private.sh; one that went well is given back.

    Raises:
        Refused, PermissionMissing: private.sh has ended it.
        CommandFailed: it failed otherwise.
    """
    said = kerneltext.decoded(done.stderr).strip().rpartition("\n")[2]
    if done.status == _ROOTS:
        raise PermissionMissing(said, where=host.name, hint="be root there to reach it")
    if done.status == REFUSED:
        raise Refused(
            "another user could change what iosonde keeps there, or put something in its place",
            where=host.name,
            evidence=said,
            hint=HINT,
        )
    return done.checked(host.name)
