"""cat as a load engine: the target is read once, from beginning to end, through the page cache."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.load import LoadEngine
from iosonde.records.load import Demand, Load, LoadCommand, LoadResult, RawOutput, Target
from iosonde.records.stack import Json

_COPIED = re.compile(r"(\d+) bytes .*copied, ([\d.]+) s")


class Cat(LoadEngine):
    """Reads the target with dd, which says how long that took (coreutils' line, in bytes)."""

    name: ClassVar[str] = "cat"
    parser_version: ClassVar[int] = 1

    @override
    def declare(self, spec: str | Mapping[str, Json], *, name: str, where: str) -> Load:
        if isinstance(spec, str) and spec.strip():
            raise UsageError(f"cat takes no options, not {spec!r}", where=where)
        return Load("cat", name, {})

    @override
    def adjust(self, load: Load, options: Mapping[str, Json], *, where: str) -> Load:
        if options:
            raise UsageError(f"cat takes no options, not {', '.join(options)}", where=where)
        return load

    @override
    def demand(self, load: Load) -> Demand:
        return Demand(
            reads=True, writes=False, size=None, seconds=None, direct=False, tools=("dd",),
            directions=("read",),
        )  # fmt: skip

    @override
    def command(
        self, load: Load, target: Target, *, directory: str, seconds: float | None
    ) -> LoadCommand:
        return LoadCommand(("env", "LC_ALL=C", "dd", f"if={target.path}", "of=/dev/null", "bs=1M"))

    @override
    def parse(self, raw: RawOutput) -> LoadResult:
        match = _COPIED.search(raw.stderr.decode(errors="replace"))
        if match is None or not float(match[2]):
            raise LoadFailed(f"dd ended with status {raw.status} and gave no speed")
        return LoadResult(
            {"read.bandwidth": int(match[1]) / float(match[2])}, {"read.bandwidth": "B/s"}
        )
