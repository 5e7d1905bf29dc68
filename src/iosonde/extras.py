"""Packages that only some verbs need: which extra brings each, and the command that installs it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from iosonde.errors import UsageError

EXTRAS = {
    "predict": ("numpy",),
    "report": ("altair", "jinja2", "polars", "vl_convert"),
    "tune": ("numpy", "scipy"),
    "lab": ("qemu",),
    "postgresql": ("psycopg",),
    "dask": ("dask", "distributed"),
}
"""Extra of pyproject.toml → the packages, as they are imported, that it brings."""
_PACKAGED = "/opt/iosonde/"
"""Where a .deb or .rpm has everything but Dask (packaging/)."""
_FOR = {
    "predict": "predictions, traces and logs of single I/Os need",
    "report": "charts, pages, Parquet files and frames need",
    "tune": "searching and fitting need",
    "lab": "virtual hosts need",
    "postgresql": "a store in PostgreSQL needs",
    "dask": "a search spread over machines needs",
}


class LazyModule:
    """A package that an extra brings, imported when a name of it is first used.

    So what does not use it works without it; what does raises ModuleNotFoundError, of which
    `missing_extra` makes the command that installs it.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


def require_extra(extra: str) -> None:
    """Ask for an extra before work begins whose result needs it.

    Raises:
        UsageError: a package of it is not installed; the hint is the command that installs it.
    """
    for package in EXTRAS[extra]:
        if find_spec(package) is None:
            raise _missing(extra, package)


def missing_extra(problem: ModuleNotFoundError) -> UsageError | None:
    """The error for a package that was not to be imported; None: no extra brings it."""
    package = (problem.name or "").partition(".")[0]
    for extra, packages in EXTRAS.items():
        if package in packages:
            return _missing(extra, package)
    return None


def _missing(extra: str, package: str) -> UsageError:
    return UsageError(
        f"{_FOR[extra]} the Python package {package!r}, which is not installed",
        hint=f"{_installer()} 'iosonde[{extra}]'",
    )


def _installer() -> str:
    """The command that installs into this environment, by where its interpreter stands."""
    if "/pipx/venvs/" in sys.prefix:
        return "pipx install --force"
    if "/uv/tools/" in sys.prefix:
        return "uv tool install --force"
    if __file__.startswith(_PACKAGED):
        return "pipx install"  # beside the package, whose interpreter is the distribution's
    return f"{sys.executable} -m pip install"
