"""The errors a user can meet, and the exit code of each.

    IosondeError            one sentence: what, where, what to do
    ├── UsageError      2   wrong use or bad input
    ├── Refused         3   refused for safety
    ├── HostFailed      4   a host did not do what it was asked
    │   ├── CommandFailed       a command ended with another status than 0
    │   ├── CommandTimeout      a command did not end in its time
    │   ├── FileMissing         no such file on the host
    │   └── PermissionMissing   the host's user may not
    ├── StoreFailed     4   the store's database did not take or give what it was asked
    ├── OutputFailed    4   a file or a stream did not take what was written to it
    └── LoadFailed      4   fio (or another load) ended badly or printed what cannot be read

Exit code 1 is no error: it is an answer ("worse", "falls short").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from iosonde import kerneltext
from iosonde.contract import ADDED, NULL, VerbResult

_KINDS = [
    "error", "usage", "refused", "host", "command", "timeout", "missing", "permission", "value",
    "store", "output", "load",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ErrorDetails:
    """What happened, where, and what to do about it."""

    kind: str = field(metadata={"schema": {"enum": _KINDS}})
    """The class of the failure."""
    message: str = field(metadata={"schema": {"minLength": 1}})
    """One sentence: what happened and what was expected."""
    where: str = field(metadata=NULL)
    """File and line, host, device or key."""
    hint: str = field(metadata=NULL)
    """What to do about it."""
    evidence: str = field(metadata={**NULL, **ADDED})
    """What a refusal for safety rests on; only with kind refused."""


@dataclass(frozen=True, slots=True)
class ErrorReport(VerbResult):
    """An expected failure of any verb, printed with --json.

    The exit code is 2 (wrong use), 3 (refused for safety) or 4 (a host, a load, the store or an
    output failed).
    """

    SCHEMA = "iosonde.error/1"
    error: ErrorDetails


class IosondeError(Exception):
    """An expected failure, told to the user in one sentence.

    Args:
        message: what happened and what was expected; no trailing full stop needed.
        where: the file and line, the host, the device or the key it is about; may be empty.
        hint: what to do about it; may be empty.
    """

    exit_code: ClassVar[int] = 2
    kind: ClassVar[str] = "error"
    evidence = ""

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        seen = f" [{self.evidence}]" if self.evidence else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{seen}{advice}"

    def report(self) -> ErrorReport:
        """The error as verbs print it with `--json`."""
        details = ErrorDetails(self.kind, self.message, self.where, self.hint, self.evidence)
        return ErrorReport(details)


class UsageError(IosondeError):
    """Wrong use or bad input: exit code 2."""

    kind = "usage"


class ToolRefuses(UsageError):
    """What the tool that it is meant for refuses as well, and not iosonde alone: exit code 2."""


class Refused(IosondeError):
    """Refused for safety; `message` names the reason, `evidence` shows it: exit code 3."""

    exit_code = 3
    kind = "refused"

    def __init__(
        self, message: str, *, where: str = "", hint: str = "", evidence: str = ""
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.evidence = evidence


class HostFailed(IosondeError):
    """A host did not do what it was asked: exit code 4."""

    exit_code = 4
    kind = "host"


def _reason(said: str, tool: str) -> str:
    """The line that tells why a tool failed: the last, or the first where its usage follows."""
    lines = kerneltext.complaints(said, tool)
    if not lines:
        return "it printed nothing"
    return lines[0] if any(line.lower().startswith("usage") for line in lines[1:]) else lines[-1]


class CommandFailed(HostFailed):
    """A command ended with another status than 0.

    Args:
        host: name of the host.
        argv: the argument list as it was run.
        status: exit status; negative = killed by that signal; 127 = command not found.
        stdout: what it printed.
        stderr: what it complained.
    """

    kind = "command"

    def __init__(
        self, host: str, argv: tuple[str, ...], status: int, stdout: bytes, stderr: bytes
    ) -> None:
        said = kerneltext.decoded(stderr.strip() or stdout.strip())
        reason = _reason(said, argv[0])
        super().__init__(f"{argv[0]} ended with status {status}: {reason}", where=host)
        self.host = host
        self.argv = argv
        self.status = status
        self.stdout = stdout
        self.stderr = stderr


class CommandTimeout(HostFailed):
    """A command did not end in its time and was stopped."""

    kind = "timeout"


class ConnectionLost(HostFailed):
    """What goes between this machine and a host has ended."""


class FileMissing(HostFailed):
    """No such file or directory on the host."""

    kind = "missing"


class PermissionMissing(HostFailed):
    """The user iosonde runs as on that host may not do this; the hint says what would."""

    kind = "permission"
    run_as_root = "run as root to reach it"
    root_refused = (
        "root is refused too, by a container's list of devices or a security module: "
        "run it outside of these"
    )


class StoreFailed(IosondeError):
    """The store's database did not take or give what it was asked: exit code 4."""

    exit_code = 4
    kind = "store"


class OutputFailed(IosondeError):
    """A file or a stream did not take what was written to it (a full disk): exit code 4."""

    exit_code = 4
    kind = "output"


class LoadFailed(IosondeError):
    """A load ended badly, or printed what cannot be read: exit code 4."""

    exit_code = 4
    kind = "load"
