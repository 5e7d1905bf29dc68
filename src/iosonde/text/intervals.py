"""Whether a command that reports on an interval prints one report or many.

Source: iostat(1) of sysstat 12, vmstat(8) of procps-ng 4.0, zpool-iostat(8) of OpenZFS 2.2: the
interval in seconds is the first figure that stands alone, the count of reports the second.
"""

from __future__ import annotations

import re
from functools import cache


def prints_many(command: str, program: str) -> bool:
    """Whether it names an interval and no count of one: a single report may be any of them.

    Args:
        command: that was run.
        program: of which the interval is; its name, or name and first argument.
    """
    return bool(command) and _interval(program).search(command) is not None


@cache
def _interval(program: str) -> re.Pattern[str]:
    """Seconds between reports, and no count of one report behind them."""
    name = r"\s{1,4}".join(map(re.escape, program.split()))
    return re.compile(
        rf"(?:^|[\s/]){name}(?=\s)(?:\s+[^\s|>;&\d][^\s|>;&]{{0,60}}){{0,20}}"
        r"\s+\d{1,6}(?:\.\d{1,3})?(?!\S)(?!\s+1(?:\s|$))"
    )
