"""The loads that come with iosonde, one YAML file each, and loads as studies name them.

A file has `about:` and one key that is a load engine, with what that engine declares. Anyone can
copy one and change it: `iosonde loads NAME > my.yaml`, then `loads: [my.yaml]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from iosonde.errors import UsageError
from iosonde.inputs import read_declaration_file
from iosonde.loads import LOADS
from iosonde.records.load import Load
from iosonde.records.stack import Json

_SUFFIXES = (".yaml", ".yml")


def names() -> tuple[str, ...]:
    """The names of the bundled loads."""
    return tuple(
        sorted(
            file.name.removesuffix(".yaml")
            for file in files(__name__).iterdir()
            if file.name.endswith(".yaml")
        )
    )


def text_of(name: str) -> str:
    """The file of a named load.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in names():
        near = get_close_matches(name, names(), n=1)
        raise UsageError(
            f"there is no load {name!r}; known: {', '.join(names())}",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )
    return files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")


def named_load(name: str) -> Load:
    """A bundled load.

    Raises:
        UsageError: there is none of this name.
    """
    return _from_yaml(text_of(name), name, f"load {name}")


def declare_load(entry: str | Mapping[str, Any], *, where: str, directory: Path) -> Load:
    """A load as a study names it.

    Args:
        entry: "latency"; "my.fio" or "my.yaml"; a command line that calls an engine; `{fio: …}`
            or `{hdparm: …}` with a command line, a file or a mapping; `{load: latency, bs: 8k}`
            for a named load with options changed.
            A mapping may carry `name:` and `about:`.
        where: file and key, for messages.
        directory: what relative paths stand in.

    Raises:
        UsageError: it cannot be understood.
    """
    if isinstance(entry, str):
        return _by_word(entry, where, directory)
    rest = {str(key): value for key, value in entry.items()}
    name, about = rest.pop("name", None), rest.pop("about", None)
    load = _by_mapping(rest, str(name or "load"), where, directory)
    return replace(
        load,
        name=str(name) if name else load.name,
        about=str(about) if about else load.about,
    )


def _engine_called(words: Sequence[str]) -> str | None:
    """The load engine that a pasted command line calls; None where it is none."""
    called = [word.rpartition("/")[2] for word in words if word not in {"sudo", "time"}]
    return called[0] if len(called) > 1 and called[0] in LOADS else None


def _by_word(word: str, where: str, directory: Path) -> Load:
    if engine := _engine_called(word.split()):
        return LOADS.load(engine)().declare(word, name=engine, where=where)
    if word.endswith(".fio"):
        text = _file(directory / word, where)
        return LOADS.load("fio")().declare(text, name=Path(word).stem, where=word)
    if word.endswith(_SUFFIXES):
        return _from_yaml(_file(directory / word, where), Path(word).stem, word)
    return named_load(word)


def _by_mapping(entry: dict[str, Any], name: str, where: str, directory: Path) -> Load:
    if "load" in entry:
        base = named_load(str(entry.pop("load")))
        return LOADS.load(base.engine)().adjust(base, entry, where=where) if entry else base
    engines = [key for key in entry if key in LOADS]
    if len(engines) != 1 or len(entry) != 1:
        raise UsageError(
            f"expected `load:` with options, or one of {', '.join(LOADS)}, "
            f"found {', '.join(entry) or 'nothing'}",
            where=where,
        )
    engine, spec = engines[0], entry[engines[0]]
    if isinstance(spec, str) and spec.endswith(".fio") and len(spec.split()) == 1:
        return _by_word(spec, where, directory)
    if not isinstance(spec, str | Mapping):
        raise UsageError(f"{engine} needs a command line or a mapping of options", where=where)
    title = engine if name == "load" else name
    return LOADS.load(engine)().declare(spec, name=title, where=where)


def _from_yaml(text: str, name: str, where: str) -> Load:
    from iosonde.yamltext import load_yaml

    tree = load_yaml(text, where, what="this load")
    if not isinstance(tree, dict):
        raise UsageError("expected `about:` and the options of one load engine", where=where)
    about = " ".join(str(tree.pop("about", "")).split())
    spec: dict[str, Json] = {str(key): value for key, value in tree.items()}
    return replace(_by_mapping(spec, name, where, Path()), name=name, about=about)


def _file(path: Path, where: str) -> str:
    try:
        return read_declaration_file(path.expanduser(), "the load")
    except UsageError as problem:
        message = problem.message.removeprefix("the load ")
        raise UsageError(f"{path} {message}", where=where, hint=problem.hint) from None
