"""A host that has nothing: no file, no tool. What asks it must name gaps, not fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iosonde.errors import CommandFailed, FileMissing, IosondeError
from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost


class EmptyHost(LocalHost):
    """See `iosonde.hosts.host.Host`."""

    name = "nothing"

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        done = Completed(tuple(argv), 127, b"", b"command not found", 0.0)
        if check:
            raise CommandFailed(self.name, done.argv, done.status, b"", done.stderr)
        return done

    async def read(self, path: str) -> bytes:
        raise FileMissing(f"{path}: No such file or directory", where=self.name)

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        return {path: FileMissing(f"{path}: none", where=self.name) for path in paths}

    async def glob(self, pattern: str) -> tuple[str, ...]:
        return ()

    async def resolve(self, path: str) -> str:
        raise FileMissing(f"{path}: No such file or directory", where=self.name)
