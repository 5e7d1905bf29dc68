"""The search for the best settings: strategies that ask for short measurements and judge them.

Nothing in this room touches a host: whoever holds the hosts asks a strategy for the next
measurement, makes it, and tells the figure. How it decides: docs/tune-search.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.tune.search.strategy import Begin

STRATEGIES: Table[Begin] = Table(
    "strategy",
    {
        "sweep": "iosonde.tune.search.sweep:Sweep",
        "grid": "iosonde.tune.search.grid:GridSearch",
        "race": "iosonde.tune.search.race:Race",
        "model": "iosonde.tune.search.model:ModelSearch",
        "staged": "iosonde.tune.search.staged:Staged",
    },
)
