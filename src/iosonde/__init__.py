"""iosonde: describe, measure, explain and tune Linux storage stacks, layer by layer.

The verbs of the command line are functions here (docs/use/python.md): each returns a record, whose
`to_json()` is what the verb prints with `--json`. They are imported when they are used; their types
are in `__init__.pyi`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = [
    "baseline", "calibrate", "compare", "down", "explain", "export", "import_", "list_runs",
    "loads", "persist", "predict", "prune", "report", "rm", "rollback", "run", "schema",
    "set_settings", "settings", "show", "tag", "trend", "tune", "up",
]  # fmt: skip
_MODULES = {
    "down": "up", "export": "stored", "list_runs": "listing",
    "prune": "removal", "rm": "removal", "rollback": "settings", "set_settings": "settings",
}  # fmt: skip
"""Of verbs that have no module of their own name."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.verbs.{_MODULES.get(name, name)}"), name)


class _Face(ModuleType):
    """This module; a package below it never takes the name of a verb, as importing it would.

    `import iosonde.loads.fio as fio` goes by these names and fails; `from iosonde.loads import fio`
    does not. A package that can be called would serve both, but neither pickle nor `inspect` take
    it for a function.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
