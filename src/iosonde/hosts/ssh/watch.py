"""Files of a machine reached by ssh, read again and again over SFTP."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

import asyncssh
from typing_extensions import override

from iosonde.hosts.host import FilesSnapshot, FilesWatch

_BLOCK = 64 * 1024
_HALF_PAGE = 2048
_WATCHED = 16 * 1024 * 1024  # bytes of a watched file: /proc/diskstats of 10,000 disks has 1 MB


class SshWatch(FilesWatch):
    """Files kept open over the SFTP session and read all at once, on an absolute schedule.

    Opening and closing them each time would cost the host three times as much. Times follow the
    steady clock, so that a clock that is set does not falsify rates.
    """

    def __init__(self, files: Mapping[str, Any], interval: float) -> None:
        self._files = files
        self._interval = interval
        self._epoch = time.time() - time.monotonic()
        self._readings: list[FilesSnapshot] = []
        self.missed = 0
        self._task = asyncio.create_task(self._repeat())

    async def _repeat(self) -> None:
        due = time.monotonic()
        while True:
            await self._read()
            due += self._interval
            while due < time.monotonic():
                due += self._interval
                self.missed += 1
            await asyncio.sleep(due - time.monotonic())

    async def _read(self) -> None:
        contents = await asyncio.gather(*map(_whole, self._files.values()))
        moment = self._epoch + time.monotonic()
        files = {
            path: content
            for path, content in zip(self._files, contents, strict=True)
            if content is not None
        }
        if files:
            self._readings.append(FilesSnapshot(moment, files))

    @override
    def take(self) -> Sequence[FilesSnapshot]:
        taken, self._readings = self._readings, []
        return taken

    @override
    async def close(self) -> None:
        """The session stays open for others."""
        self._task.cancel()
        await asyncio.wait({self._task})
        for file in self._files.values():
            with contextlib.suppress(asyncssh.Error, OSError):
                await file.close()


async def _whole(file: Any) -> bytes | None:
    """The open file from its beginning to its end; None where it can't be read any more.

    The kernel fills a page of a file of /proc unless the next record does not fit (fs/seq_file.c),
    so an answer shorter than half of one was the last, and need not be asked for.
    """
    content = b""
    try:
        while part := await file.read(_BLOCK, len(content)):
            content += part
            if len(part) < _HALF_PAGE or len(content) > _WATCHED:
                break
    except (asyncssh.Error, OSError):  # a cut connection is the load's to report
        return None
    return content
