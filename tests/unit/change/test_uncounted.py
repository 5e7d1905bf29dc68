"""device-mapper's count of opens is held against the processes that are seen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from iosonde.change.family import Family, FamilyMember
from iosonde.change.in_use import _uncounted
from iosonde.change.scan import Opener, Seen
from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost

OURS = "iosonde-holds-1"


class Mapped(LocalHost):
    """A host with one device of device-mapper, which the kernel says is open so often."""

    def __init__(self, count: int, commands: dict[str, str]) -> None:
        self.count = count
        self.commands = commands

    async def glob(self, pattern: str) -> tuple[str, ...]:
        return (pattern,) if pattern.endswith("/dm") else ()

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:  # fmt: skip
        return Completed(tuple(argv), 0, f"  {self.count}\n".encode(), b"", 0.0)

    async def read(self, path: str) -> bytes:
        return self.commands[path.split("/")[2]].replace(" ", "\0").encode()


@pytest.mark.parametrize(
    ("count", "commands", "hidden"),
    [
        (1, {"7": f"perl {OURS}", "8": f"perl {OURS}"}, False),  # keeper and warden share one open
        (2, {"7": f"perl {OURS}", "8": f"perl {OURS}"}, True),
        (0, {}, False),
        (1, {}, True),
        (2, {"7": f"perl {OURS}", "9": "dd"}, False),  # named by another rule
        (3, {"7": f"perl {OURS}", "9": "dd"}, True),
    ],
)
async def test_an_open_that_no_process_shows_is_seen(
    count: int, commands: dict[str, str], hidden: bool
) -> None:
    family = Family((FamilyMember("dm-0", "253:0", "/sys/block/dm-0", ""),))
    seen = Seen((), tuple(Opener(pid, "open", "253:0") for pid in commands), ())
    uses = [use async for use in _uncounted(Mapped(count, commands), family, seen, OURS)]
    assert bool(uses) is hidden
