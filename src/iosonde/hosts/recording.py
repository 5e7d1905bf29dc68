"""Hosts nobody here has: what a real one answered, recorded in a directory and replayed.

A recording is `index.json` with every command, file, glob and link that was asked for. Texts stand
in it as they are; what is no text is a base64 string. It holds what the asking code asked for and
nothing else, so look it through before you share it.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import override

from iosonde import limits
from iosonde.errors import FileMissing, HostFailed, IosondeError, PermissionMissing, UsageError
from iosonde.exact import escaped_surrogates, from_json
from iosonde.hosts.command import quote
from iosonde.hosts.conversation import Conversation
from iosonde.hosts.host import Completed, FilesWatch, Host, Opener, Process
from iosonde.hosts.still import StillHost
from iosonde.inputs import read_input
from iosonde.outputs import write_output
from iosonde.registry import Table

_FORMAT = 1
_ODD_NAMES = "surrogateescape"  # of files: any bytes, as Python keeps them (PEP 383)
_DESCRIBED: Table[Opener] = Table(
    "host that files describe", {"collected": "iosonde.stack.collected:open_collected"}
)
_PROBLEMS: dict[str, type[HostFailed]] = {
    "missing": FileMissing,
    "permission": PermissionMissing,
    "host": HostFailed,
}


def _pack(content: bytes) -> Any:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}
    return text


def _unpack(packed: Any) -> bytes:
    if isinstance(packed, str):
        return packed.encode()
    return base64.b64decode(packed["base64"])


def _problem(problem: IosondeError) -> dict[str, str]:
    return {"problem": problem.kind, "message": problem.message}


class Recorder(Host):
    """A host like the one it wraps; everything asked of it is written down.

    Args:
        host: the real one.
        directory: made if need be; `close` writes index.json there.
    """

    def __init__(self, host: Host, directory: Path) -> None:
        self.name = host.name
        self._host = host
        self._directory = directory
        self._index: dict[str, Any] = {
            "format": _FORMAT, "name": host.name,
            "commands": {}, "files": {}, "globs": {}, "links": {},
        }  # fmt: skip

    @override
    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        done = await self._host.run(argv, stdin=stdin, timeout=timeout, check=False)
        self._index["commands"][quote(argv)] = {
            "status": done.status, "stdout": _pack(done.stdout), "stderr": _pack(done.stderr)
        }  # fmt: skip
        return done.checked(self.name) if check else done

    @override
    async def start(self, argv: Sequence[str]) -> Process:
        """What goes on for a while is not recorded."""
        return await self._host.start(argv)

    @override
    async def converse(self, argv: Sequence[str]) -> Conversation:
        """Not recorded either."""
        return await self._host.converse(argv)

    @override
    async def read(self, path: str) -> bytes:
        content = (await self.read_many([path]))[path]
        if isinstance(content, IosondeError):
            raise content
        return content

    @override
    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        contents = await self._host.read_many(paths)
        for path, content in contents.items():
            self._index["files"][path] = (
                _problem(content) if isinstance(content, IosondeError) else _pack(content)
            )
        return contents

    @override
    async def watch(self, paths: Sequence[str], interval: float) -> FilesWatch:
        """What changes every second is not recorded."""
        return await self._host.watch(paths, interval)

    @override
    async def glob(self, pattern: str) -> tuple[str, ...]:
        paths = await self._host.glob(pattern)
        self._index["globs"][pattern] = list(paths)
        return paths

    @override
    async def resolve(self, path: str) -> str:
        try:
            target = await self._host.resolve(path)
        except HostFailed as problem:
            self._index["links"][path] = _problem(problem)
            raise
        self._index["links"][path] = target
        return target

    @override
    async def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Not recorded."""
        await self._host.write(path, content, mode=mode)

    @override
    async def copy(self, source: str, destination: str) -> None:
        """Not recorded."""
        await self._host.copy(source, destination)

    @override
    async def remove(self, path: str) -> None:
        """Not recorded."""
        await self._host.remove(path)

    async def close(self) -> None:
        """Write the recording, then let go of the host."""
        self._directory.mkdir(parents=True, exist_ok=True)
        text = escaped_surrogates(
            json.dumps(self._index, indent=1, ensure_ascii=False, sort_keys=True)
        )
        content = (text + "\n").encode("utf-8", _ODD_NAMES)
        write_output(self._directory / "index.json", content, "the recording")
        await self._host.close()


class RecordingHost(StillHost):
    """See `iosonde.hosts.host.Host`. What was never asked is an error; nothing can be changed."""

    kind = "a recording"

    def __init__(self, index: Mapping[str, Any]) -> None:
        self.name: str = index["name"]
        self._index = index

    def _recorded(self, part: str, key: str) -> Any:
        if key not in self._index[part]:
            raise HostFailed(
                f"{key!r} is not in the recording ({part})",
                where=self.name,
                hint="record the host again with this version of iosonde",
            )
        return self._index[part][key]

    def _answered(self, part: str, key: str) -> Any:
        """What was recorded, where that is no problem."""
        entry = self._recorded(part, key)
        if isinstance(entry, dict) and "problem" in entry:
            raise _PROBLEMS.get(entry["problem"], HostFailed)(entry["message"], where=self.name)
        return entry

    @override
    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        del stdin, timeout
        entry = self._recorded("commands", quote(argv))
        stdout, stderr = _unpack(entry["stdout"]), _unpack(entry["stderr"])
        done = Completed(tuple(argv), entry["status"], stdout, stderr, 0.0)
        return done.checked(self.name) if check else done

    @override
    async def read(self, path: str) -> bytes:
        return _unpack(self._answered("files", path))

    @override
    async def glob(self, pattern: str) -> tuple[str, ...]:
        return tuple(self._recorded("globs", pattern))

    @override
    async def resolve(self, path: str) -> str:
        target = self._answered("links", path)
        if target is None:  # as recordings of before had it
            raise FileMissing(f"{path}: No such file or directory", where=self.name)
        return str(target)


async def open_recording(directory: str) -> Host:
    """The host recorded in a directory; without an index, the host that its files describe.

    Args:
        directory: a recording of `iosonde show --record`, or a directory or tar archive of what a
            support tool collected.

    Raises:
        UsageError: there is no recording, or it is of a format that we do not know.
    """
    place = Path(directory) / "index.json"
    if not Path(directory).exists():
        raise UsageError(
            "there is no such recording", where=directory,
            hint="name a directory of `iosonde show HOST --record DIRECTORY`, or what a support "
            "tool collected (a directory or tar archive)",
        )  # fmt: skip
    if not place.exists():
        return await _DESCRIBED.load("collected")(directory)
    try:
        content = await asyncio.to_thread(read_input, place, limits.JSON_FILE, what="a recording")
        index = from_json(content.decode("utf-8", _ODD_NAMES))
    except UsageError as problem:
        raise UsageError(
            f"this is not a recording: it {problem.message}", where=str(place)
        ) from None
    except ValueError as problem:
        raise UsageError(f"this is not a recording: {problem}", where=str(place)) from None
    if not isinstance(index, dict) or index.get("format") != _FORMAT:
        raise UsageError(f"expected a recording of format {_FORMAT}", where=str(place))
    return RecordingHost(index)
