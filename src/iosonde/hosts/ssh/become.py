"""Root on a machine where root cannot log in: commands and the SFTP server are run by `sudo -n`.

All that runs there runs as root, since most of it must: captures read what root alone may read, and
settings, guards and journals are root's. A password is never asked for.

Source: sudo(8), -n; sudoers(5), NOPASSWD, requiretty, secure_path; plugins/sudoers/sudoers.c,
logging.c and parse.c and src/exec.c of sudo 1.8.31 to 1.9.16 (messages); sudo-rs 0.2.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.scripts import program

SUDO = ("sudo", "-n", "--")
"""What stands before a command, for people."""

_PACKAGE = "iosonde.hosts.ssh"
_COMPLAINT = 64 * 1024  # bytes of what sudo says; it repeats the script that it refuses
_SAID = 200  # characters of it in a message
_GRANT = (
    "let this user run all without a password there (`USER ALL=(root) NOPASSWD: ALL` by `visudo`), "
    "or log in as root"
)
_REFUSALS = (
    (r"sudo: command not found", "it has no sudo",
     "install sudo there, or log in as root; doas is not supported"),
    (r"sudo.*must have a tty", "its sudo runs nothing without a terminal (requiretty)",
     "add `Defaults:USER !requiretty` there by `visudo`, or log in as root"),
    (r"sudo.*(?:password|authentication|terminal) is required",
     "its sudo asks this user for a password", _GRANT),
    (r"\S+ is not in the sudoers", "its sudoers does not name this user", _GRANT),
    (r"Sorry, user |\S+ is not allowed to run sudo|sudo.*afraid I can't do that",
     "its sudoers does not let this user run a shell as root", _GRANT),
    (r"sudo.*no new privileges", "sudo makes nobody root in this session (no new privileges)",
     "log in outside of the container or service that forbids it, or as root"),
)  # fmt: skip
"""How a line of sudo begins → what that means, and what to do; the first that fits."""


def by_sudo(script: str, arguments: Sequence[str]) -> tuple[str, list[str]]:
    """A script of sh and its arguments, as others that run them as root."""
    return program(_PACKAGE, "become.sh"), ["sh", "-c", script, "sh", *arguments]


def refusal(host: str, said: bytes) -> HostFailed | None:
    """Why sudo ran nothing; None: it was not sudo that spoke.

    Args:
        host: its name.
        said: what came on standard error before anything ran.
    """
    lines = kerneltext.lines(kerneltext.decoded(said))
    for sign, message, hint in _REFUSALS:
        if any(re.match(sign, line) for line in lines):
            return HostFailed(message, where=host, hint=hint)
    # A name that does not resolve is a warning, after which sudo goes on.
    spoken = [line for line in lines if line.startswith("sudo") and "resolve host" not in line]
    if not spoken:
        return None
    return HostFailed(
        f"its sudo runs nothing: {spoken[0][:_SAID].removeprefix('sudo: ')}",
        where=host,
        hint="try `sudo -n true` there",
    )


async def require_root(host: Any) -> None:
    """See that sudo makes us root on a host that was just opened.

    Raises:
        HostFailed: it does not, with what to do.
    """
    user = kerneltext.decoded((await host.run(["id", "-u"])).stdout).strip()
    if user != "0":
        raise HostFailed(
            f"sudo gives the user with the number {user[:_SAID]} there; expected root",
            where=host.name,
            hint="remove `runas_default` from its sudoers for this user, or log in as root",
        )


def files_script() -> str:
    """The script that becomes the SFTP server of the machine."""
    return program(_PACKAGE, "files.sh")


class _Begun:
    """A connection whose next SFTP session has begun already."""

    def __init__(self, connection: Any, session: tuple[Any, Any, Any]) -> None:
        self._begun, self._session = connection, session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._begun, name)

    async def open_session(self, **_options: object) -> tuple[Any, Any, Any]:
        return self._session


async def open_files(connection: Any, line: str, mark: bytes, host: str) -> Any:
    """An SFTP session with the server that a line of the far side's shell starts.

    Args:
        connection: asyncssh's.
        line: what its login shell is given.
        mark: what stands before the first bytes of SFTP.
        host: its name, for messages.

    Raises:
        HostFailed: sudo refuses, or there is no such server.
    """
    session = await connection.open_session(command=line, encoding=None)
    _, reader, errors = session
    try:
        await reader.readuntil(mark)
    except asyncio.IncompleteReadError:
        said = await errors.read(_COMPLAINT)
        raise refusal(host, said) or HostFailed(
            "it has no SFTP server that sudo could run",
            where=host,
            hint="install OpenSSH's sftp-server there (the package openssh-sftp-server of Debian, "
            "Ubuntu and Alpine, else openssh-server)",
        ) from None
    start = type(connection).start_sftp_client
    return await start(_Begun(connection, session), path_errors="surrogateescape")
