"""A host of which only what was collected is known: nothing there can be changed or started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.errors import HostFailed, IosondeError
from iosonde.hosts.conversation import Conversation
from iosonde.hosts.host import FilesWatch, Host, Process


class StillHost(Host):
    """See `iosonde.hosts.host.Host`. Whoever inherits answers `run`, `read`, `glob`, `resolve`."""

    kind: ClassVar[str]
    """What it is, for messages: "a recording"."""

    @override
    async def start(self, argv: Sequence[str]) -> Process:
        raise self._still(f"run {argv[0]}")

    @override
    async def converse(self, argv: Sequence[str]) -> Conversation:
        raise self._still(f"run {argv[0]}")

    @override
    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        contents: dict[str, bytes | IosondeError] = {}
        for path in paths:
            try:
                contents[path] = await self.read(path)
            except IosondeError as problem:
                contents[path] = problem
        return contents

    @override
    async def watch(self, paths: Sequence[str], interval: float) -> FilesWatch:
        del paths, interval
        raise self._still("show how files change")

    @override
    async def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        del content, mode
        raise self._still(f"write {path}")

    @override
    async def copy(self, source: str, destination: str) -> None:
        del source
        raise self._still(f"write {destination}")

    @override
    async def remove(self, path: str) -> None:
        raise self._still(f"remove {path}")

    async def close(self) -> None:
        """Nothing to let go of."""

    def _still(self, what: str) -> HostFailed:
        return HostFailed(f"{self.kind} cannot {what}", where=self.name)
