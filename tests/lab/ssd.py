"""An NVMe drive of a lab whose speed has the shape of an SSD's: fast after a purge, then steady.

A model around QEMU's drive, which nothing of iosonde takes part in: a thread reads QEMU's own
counters of the drive and limits its writes by QEMU's throttle. After `fresh` writes since the last
purge the limit falls towards `steady` by an exponential. A purge is seen by what the drive's file
occupies. From `hot_after` writes since the purge on, the drive is slowed to a third; its SMART log
warns of its temperature then, where `warns` says so.
"""

from __future__ import annotations

import asyncio
import math
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iosonde.lab.qmp import ask

_PAUSE = 0.1


@dataclass
class ShapedDrive:
    """The drive d1 of the node n1; a context in which it is shaped.

    Args:
        node: directory of the node.
        hot_after: writes since a purge from which on it is too hot; None: never.
        warns: it says so in its SMART log.
        fast: limit of a purged drive, writes a second.
        steady: the limit that it falls to.
        fresh: writes after a purge before it falls.
        length: writes over which it falls by 63 %.
    """

    node: Path
    hot_after: int | None = None
    warns: bool = False
    fast: float = 1500.0
    steady: float = 300.0
    fresh: int = 2500
    length: int = 1000
    purges: int = 0
    purged_at: list[int] = field(default_factory=list)
    """Bytes written, over all time, at each purge."""
    written: int = 0
    """Bytes, over all time."""
    cooked: bool = False
    trouble: BaseException | None = None
    _limit: float = 0.0

    def __enter__(self) -> ShapedDrive:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._shape)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        assert self.trouble is None, self.trouble

    def limit(self, writes: int) -> float:
        """Writes a second, so many writes after a purge."""
        beyond = max(writes - self.fresh, 0)
        limit = self.steady + (self.fast - self.steady) * math.exp(-beyond / self.length)
        return limit / 3 if self.hot_after is not None and writes >= self.hot_after else limit

    def _shape(self) -> None:
        try:
            asyncio.run(self._follow())
        except BaseException as problem:
            self.trouble = problem

    async def _follow(self) -> None:
        file, base, empty = self.node / "disk-d1", 0, False
        await self._warn(0)
        while not self._over.is_set():
            self.written, writes = await self._written()
            occupied = file.stat().st_blocks > 0
            if not occupied and not empty:
                base = writes
                self.purges += 1
                self.purged_at.append(self.written)
            empty = not occupied
            self.cooked = self.hot_after is not None and writes - base >= self.hot_after
            await self._warn(2 if self.cooked and self.warns else 0)
            await self._throttle(self.limit(writes - base))
            await asyncio.sleep(_PAUSE)
        await self._warn(0)
        await self._throttle(0)

    async def _written(self) -> tuple[int, int]:
        drives: Any = await ask(self.node / "qmp", "query-blockstats")
        (stats,) = [drive["stats"] for drive in drives if "v-d1" in drive.get("qdev", "")]
        return int(stats["wr_bytes"]), int(stats["wr_operations"])

    async def _throttle(self, limit: float) -> None:
        """Set it where it differs: QEMU empties its bucket of I/Os each time."""
        if abs(limit - self._limit) <= 0.02 * limit:
            return
        self._limit = limit
        await self._set("/objects/t-d1", "limits", {"iops-write": round(limit)})

    async def _warn(self, bits: int) -> None:
        await self._set("/machine/peripheral/v-d1", "smart_critical_warning", bits)

    async def _set(self, path: str, name: str, value: object) -> None:
        arguments = {"path": path, "property": name, "value": value}
        await ask(self.node / "qmp", "qom-set", arguments)
