"""Root on a machine where root cannot log in: commands and the SFTP server are run by `sudo -n`.

All that runs there runs as root, since most of it must: captures read what root alone may read, and
settings, guards and journals are root's. A password is never asked for. `doas -n` does the same.

Source: sudo(8), -n; sudoers(5), NOPASSWD, requiretty, secure_path; plugins/sudoers/sudoers.c,
logging.c and parse.c and src/exec.c of sudo 1.8.31 to 1.9.16 (messages); sudo-rs 0.2; doas(1),
doas.conf(5), doas.c and pam.c of OpenDoas 6.8.2 (messages; of 6.0 "Authorization required").
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.scripts import program

_PACKAGE = "iosonde.hosts.ssh"
_COMPLAINT = 64 * 1024  # bytes of what sudo says; it repeats the script that it refuses
_SAID = 200  # characters of it in a message
_SUDO_GRANT = (
    "let this user run all without a password there (`USER ALL=(root) NOPASSWD: ALL` by `visudo`), "
    "or log in as root"
)
_DOAS_GRANT = (
    "let this user run all without a password there (`permit nopass USER as root`, the last line "
    "in /etc/doas.conf), or log in as root"
)
_REFUSALS = (
    (r"sudo: command not found", "it has no sudo",
     "install sudo there, log in as root, or name doas:HOST where doas makes root"),
    (r"sudo.*must have a tty", "its sudo runs nothing without a terminal (requiretty)",
     "add `Defaults:USER !requiretty` there by `visudo`, or log in as root"),
    (r"sudo.*(?:password|authentication|terminal) is required",
     "its sudo asks this user for a password", _SUDO_GRANT),
    (r"\S+ is not in the sudoers", "its sudoers does not name this user", _SUDO_GRANT),
    (r"Sorry, user |\S+ is not allowed to run sudo|sudo.*afraid I can't do that",
     "its sudoers does not let this user run a shell as root", _SUDO_GRANT),
    (r"sudo.*no new privileges", "sudo makes nobody root in this session (no new privileges)",
     "log in outside of the container or service that forbids it, or as root"),
    (r"doas: command not found", "it has no doas",
     "install doas there, log in as root, or name sudo:HOST where sudo makes root"),
    (r"doas: (?:(?:Authentication|Authorization) required|a tty is required)",
     "its doas asks this user for a password", _DOAS_GRANT),
    (r"doas: Operation not permitted",
     "its doas.conf does not let this user run a shell as root", _DOAS_GRANT),
    (r"doas: doas is not enabled", "its doas has no /etc/doas.conf", _DOAS_GRANT),
)  # fmt: skip
"""How a line of sudo or doas begins → what that means, and what to do; the first that fits."""


def shown(way: str, argv: Sequence[str]) -> tuple[str, ...]:
    """A command as people see it that runs by `way`; empty: by itself."""
    return (way, "-n", "--", *argv) if way else tuple(argv)


def as_root(way: str, script: str, arguments: Sequence[str]) -> tuple[str, list[str]]:
    """A script of sh and its arguments, as others that run them as root, by sudo or doas."""
    return program(_PACKAGE, "become.sh"), [way, "sh", "-c", script, "sh", *arguments]


def admit(path: str, numbers: bytes) -> tuple[str, ...]:
    """The command of root that lets who has logged in connect to a unix socket of root's.

    Whoever may become root without a password gains nothing by it, and nobody else is let in.

    Args:
        path: of the socket, in a directory of its own.
        numbers: what `id -u; id -g` prints as that user.
    """
    user, group = (int(number) for number in kerneltext.fields(numbers.replace(b"\n", b" ")))
    return ("sh", "-c", program(_PACKAGE, "admit.sh"), "sh", path, str(user), str(group))


def refusal(host: str, said: bytes, way: str = "sudo") -> HostFailed | None:
    """Why sudo or doas ran nothing; None: it was neither that spoke.

    Args:
        host: its name.
        said: what came on standard error before anything ran.
        way: which of them was asked.
    """
    lines = kerneltext.lines(kerneltext.decoded(said))
    for sign, message, hint in _REFUSALS:
        if any(re.match(sign, line) for line in lines):
            return HostFailed(message, where=host, hint=hint)
    # A name that does not resolve is a warning, after which sudo goes on.
    spoken = [line for line in lines if line.startswith(way) and "resolve host" not in line]
    if not spoken:
        return None
    return HostFailed(
        f"its {way} runs nothing: {spoken[0][:_SAID].removeprefix(f'{way}: ')}",
        where=host,
        hint=f"try `{way} -n true` there",
    )


async def require_root(host: Any, way: str) -> None:
    """See that sudo or doas makes us root on a host that was just opened.

    Raises:
        HostFailed: it does not, with what to do.
    """
    user = kerneltext.decoded((await host.run(["id", "-u"])).stdout).strip()
    if user != "0":
        raise HostFailed(
            f"{way} gives the user with the number {user[:_SAID]} there; expected root",
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


async def open_files(connection: Any, line: str, mark: bytes, host: str, way: str) -> Any:
    """An SFTP session with the server that a line of the far side's shell starts.

    Args:
        connection: asyncssh's.
        line: what its login shell is given.
        mark: what stands before the first bytes of SFTP.
        host: its name, for messages.
        way: what makes root there.

    Raises:
        HostFailed: sudo or doas refuses, or there is no such server.
    """
    session = await connection.open_session(command=line, encoding=None)
    _, reader, errors = session
    try:
        await reader.readuntil(mark)
    except asyncio.IncompleteReadError:
        said = await errors.read(_COMPLAINT)
        raise refusal(host, said, way) or HostFailed(
            f"it has no SFTP server that {way} could run",
            where=host,
            hint="install OpenSSH's sftp-server there (the package openssh-sftp-server of Debian, "
            "Ubuntu and Alpine, else openssh-server)",
        ) from None
    start = type(connection).start_sftp_client
    return await start(_Begun(connection, session), path_errors="surrogateescape")
