"""What is measured in turns: two targets, two loads, or two values of settings.

`interleave: [A, B]` of a study, `--interleave A B` of the command line; docs/use/interleave.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from iosonde.loads import LOADS

_SETTING = re.compile(r"(?!-)(?P<name>[^\s=]*[^\s=.]\.\w+)=(?P<value>.+)", re.DOTALL)
_PATHS = ("/", "./", "../", "~")
_PLACES = {".", ".."}
_KEYS = {"targets": "targets", "loads": "loads"}

Kind = Literal["targets", "loads", "settings"]


class Interleave(BaseModel):
    """Two arms of a study whose loops are taken in turns.

    `values` are the settings of each arm; empty where the arms are the study's two targets or its
    two loads.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: Kind
    values: Annotated[list[dict[str, str]], Field(max_length=2)] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Of two arms of settings what each is called: "sda.scheduler=none"."""
        return tuple(
            ", ".join(f"{name}={value}" for name, value in arm.items()) for arm in self.values
        )


def spread(study: Mapping[str, Any]) -> dict[str, Any]:
    """A study as declared, with what `interleave` lists under the keys that it belongs to.

    Args:
        study: keys of a study; `interleave` may be a list, or what this has made of one.

    Raises:
        ValueError: the two cannot be taken in turns, or targets or loads are declared twice.
    """
    arms = study.get("interleave")
    if arms is None or isinstance(arms, Interleave) or (isinstance(arms, Mapping) and "of" in arms):
        return dict(study)
    if not isinstance(arms, list | tuple) or len(arms) != 2:
        raise ValueError("`interleave` takes two: [A, B]")
    kinds = [_kind(arm) for arm in arms]
    if kinds[0] != kinds[1]:
        raise ValueError(
            "`interleave` takes two targets, two loads or two values of settings, "
            f"not one of the {kinds[0]} and one of the {kinds[1]}"
        )
    kind = kinds[0]
    if kind == "settings":
        values = [_values(arm) for arm in arms]
        if values[0] == values[1]:
            raise ValueError("both arms of `interleave` are the same settings")
        return {**study, "interleave": {"of": kind, "values": values}}
    if study.get(_KEYS[kind]):
        raise ValueError(f"`interleave` names the {kind}: leave out `{_KEYS[kind]}`")
    named = [_line(arm) for arm in arms] if kind == "loads" else list(arms)
    return {**study, _KEYS[kind]: named, "interleave": {"of": kind}}


def _kind(arm: object) -> Kind:
    """What an arm is, by its form."""
    if isinstance(arm, Mapping):
        if {"load", *LOADS} & arm.keys():
            return "loads"
        return "targets" if "path" in arm else "settings"
    text = str(arm)
    if text in _PLACES or text.startswith(_PATHS):
        return "targets"
    if _SETTING.fullmatch(text):
        return "settings"
    return "targets" if ":/" in text and " " not in text else "loads"


def _values(arm: str | Mapping[str, Any]) -> dict[str, str]:
    if isinstance(arm, Mapping):
        if not arm or not all(isinstance(value, str | int) for value in arm.values()):
            raise ValueError("settings of `interleave` are LAYER.NAME: VALUE")
        return {str(name): _text(value) for name, value in arm.items()}
    match = _SETTING.fullmatch(arm)
    return {match["name"]: match["value"]} if match else {}


def _text(value: object) -> str:
    """A value as YAML reads it: `on` and `off` are truth values there."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _line(arm: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """A load; options alone are fio's."""
    return {"fio": arm} if isinstance(arm, str) and arm.startswith("--") else arm
