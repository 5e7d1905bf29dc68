"""The studies that come with iosonde, one YAML file each: they need only targets.

Anyone can copy one and change it: `iosonde loads NAME > my.yaml`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iosonde.scripts import bundled_names, source
from iosonde.stack.declare import read_tree


def names() -> tuple[str, ...]:
    """The names of the bundled studies."""
    return bundled_names(__name__)


def text_of(name: str) -> str:
    """The file of a bundled study; `name` is one of `names`."""
    return source(__name__, f"{name}.yaml")


def is_bundled(name: str) -> bool:
    """Whether a name is that of a bundled study, and of no file here."""
    return name in names() and not Path(name).exists()


def bundled_values(name: str) -> dict[str, Any]:
    """The keys of a bundled study."""
    return read_tree(text_of(name), f"study {name}").values
