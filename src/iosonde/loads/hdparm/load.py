"""hdparm -T and -t: how fast memory is, and how fast a disk streams through the page cache.

Source: hdparm 9.65, hdparm.c: time_cache() rereads the same 2 MiB for 2 s, time_device() reads
sequentially for 3 s, through the page cache unless --direct is given. Its MB are MiB. The speed is
printed with two decimals, the MB as a whole number.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from typing_extensions import override

from iosonde import kerneltext, units
from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.load import LoadEngine
from iosonde.records.load import (
    Demand,
    Load,
    LoadCommand,
    LoadResult,
    RawOutput,
    Target,
    TargetKind,
)
from iosonde.records.stack import Json

_LINE = re.compile(
    r"Timing (?P<what>cached|buffered disk|O_DIRECT cached|O_DIRECT disk) reads:"
    r".*?=\s*(?P<rate>\d+(?:\.\d+)?)\s*(?P<unit>[kMG])B/sec"
)
_METRICS = {
    "cached": "cached_read.bandwidth",
    "O_DIRECT cached": "cached_read.bandwidth",
    "buffered disk": "buffered_read.bandwidth",
    "O_DIRECT disk": "buffered_read.bandwidth",
}
_SCALE = {"k": units.KIB, "M": units.MIB, "G": units.GIB}
_FLAGS = {"--direct"}
_TIMEOUT = 120.0
_LENGTH = {"T": 2.0, "t": 3.0}


class Hdparm(LoadEngine):
    """See `iosonde.loads.load.LoadEngine`. The spec is `{"tests": "tT", "direct": false}`."""

    name = "hdparm"
    parser_version = 1

    @override
    def declare(self, spec: str | Mapping[str, Json], *, name: str, where: str) -> Load:
        """`-tT`, `hdparm -t --direct /dev/sda` or a mapping."""
        if isinstance(spec, Mapping):
            tests, direct = str(spec.get("tests", "tT")), bool(spec.get("direct", False))
            stray = sorted(spec.keys() - {"tests", "direct"})
        else:
            tests, direct, stray = self._read(spec, where)
        if stray or not tests or set(tests) - set("tT"):
            raise UsageError(
                f"hdparm can only measure here: {' '.join(stray) or repr(tests)} is not known",
                where=where,
                hint="write -tT, -t or -T, with --direct where the page cache is to be avoided",
            )
        kept = "".join(test for test in "Tt" if test in tests)
        return Load("hdparm", name, {"tests": kept, "direct": direct})

    @staticmethod
    def _read(text: str, where: str) -> tuple[str, bool, list[str]]:
        try:
            arguments = shlex.split(text)
        except ValueError as problem:
            raise UsageError(f"this is not a command: {problem}", where=where) from None
        arguments = [word for word in arguments if word not in {"sudo", "hdparm"}]
        arguments = [
            word for word in arguments if not word.startswith("/")
        ]  # the target says where
        tests = "".join(word[1:] for word in arguments if re.fullmatch("-[tT]+", word))
        stray = [
            word for word in arguments if not re.fullmatch("-[tT]+", word) and word not in _FLAGS
        ]
        return tests, "--direct" in arguments, stray

    @override
    def adjust(self, load: Load, options: Mapping[str, Json], *, where: str) -> Load:
        again = self.declare({**load.spec, **options}, name=load.name, where=where)
        return Load(again.engine, load.name, again.spec, load.about)

    @override
    def demand(self, load: Load) -> Demand:
        return Demand(
            reads=True,
            writes=False,
            size=None,
            seconds=sum(_LENGTH[test] for test in str(load.spec["tests"])),
            direct=bool(load.spec["direct"]),
            tools=("hdparm",),
            device_only=True,
            directions=("cached_read", "buffered_read"),
        )

    @override
    def command(
        self, load: Load, target: Target, *, directory: str, seconds: float | None
    ) -> LoadCommand:
        """Hdparm decides itself how long it reads.

        Raises:
            UsageError: the target is no block device.
        """
        del directory, seconds
        if target.kind is not TargetKind.DEVICE:
            raise UsageError(
                "hdparm measures block devices, and this is not one", where=target.path
            )
        direct = ["--direct"] if load.spec["direct"] else []
        return LoadCommand(
            ("hdparm", f"-{load.spec['tests']}", *direct, target.path), timeout=_TIMEOUT
        )

    @override
    def parse(self, raw: RawOutput) -> LoadResult:
        text = raw.stdout.decode(errors="replace")
        metrics = {
            _METRICS[match["what"]]: float(match["rate"]) * _SCALE[match["unit"]]
            for match in _LINE.finditer(text)
        }
        if not metrics:
            said = raw.stderr.decode(errors="replace").strip() or text.strip() or "nothing"
            raise LoadFailed(
                f"hdparm ended with status {raw.status} and gave no speed: "
                f"{kerneltext.lines(said)[-1]}",
                hint="it needs root and a block device",
            )
        return LoadResult.of(metrics)
