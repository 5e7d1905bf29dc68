"""The studies that come with iosonde, one YAML file each: they need only targets.

Anyone can copy one and change it: `iosonde loads NAME > my.yaml`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from iosonde.stack.declare import read_tree


def names() -> tuple[str, ...]:
    """The names of the bundled studies."""
    return tuple(
        sorted(
            file.name.removesuffix(".yaml")
            for file in files(__name__).iterdir()
            if file.name.endswith(".yaml")
        )
    )


def text_of(name: str) -> str:
    """The file of a bundled study; `name` is one of `names`."""
    return files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")


def is_bundled(name: str) -> bool:
    """Whether a name is that of a bundled study, and of no file here."""
    return name in names() and not Path(name).exists()


def bundled_values(name: str) -> dict[str, Any]:
    """The keys of a bundled study."""
    return read_tree(text_of(name), f"study {name}").values
