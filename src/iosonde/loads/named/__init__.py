"""The loads that come with iosonde, one YAML file each, and loads as studies name them.

A file has `about:`, one key that is a load engine, with what that engine declares, and `require:`
where there is a published limit that storage for such a load must reach. Anyone can copy one and
change it: `iosonde loads NAME > my.yaml`, then `loads: [my.yaml]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from iosonde.errors import UsageError
from iosonde.inputs import read_declaration_file
from iosonde.loads import LOADS
from iosonde.loads.matrix import VariedEngine, loop_seconds, point_name, points, require_few
from iosonde.records.load import Load
from iosonde.records.stack import Json
from iosonde.scripts import bundled_names, source

_SUFFIXES = (".yaml", ".yml")


def names() -> tuple[str, ...]:
    """The names of the bundled loads."""
    return bundled_names(__name__)


def text_of(name: str) -> str:
    """The file of a named load.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in names():
        near = get_close_matches(name, names(), n=1)
        raise UsageError(
            f"there is no load {name!r}",
            hint=f"did you mean {near[0]!r}?" if near else "`iosonde loads` lists them",
        )
    return source(__name__, f"{name}.yaml")


def limits_of(entry: str, *, directory: Path) -> dict[str, str]:
    """What a load requires of storage, metric → bound; empty where its file says nothing.

    Args:
        entry: a bundled load, or a .yaml file of a load.
        directory: what relative paths stand in.

    Raises:
        UsageError: the file is wrong.
    """
    if entry.endswith(_SUFFIXES):
        text = _file(directory / entry, entry)
    elif entry in names():
        text = text_of(entry)
    else:
        return {}
    required = _tree(text, entry).get("require") or {}
    if not isinstance(required, Mapping):
        raise UsageError("expected metrics and their bounds", where=f"{entry}, require",
                         hint='write {sync.latency.p99: "< 10 ms"}')  # fmt: skip
    return {str(metric): str(bound) for metric, bound in required.items()}


def named_load(name: str) -> Load:
    """A bundled load.

    Raises:
        UsageError: there is none of this name.
    """
    return _from_yaml(text_of(name), name, _Declaring(f"load {name}"))[0]


def declare_load(entry: str | Mapping[str, Any], *, where: str, directory: Path) -> Load:
    """One load as a study names it; see `declare_loads`.

    Raises:
        UsageError: it cannot be understood, or is a matrix of several.
    """
    loads = declare_loads(entry, where=where, directory=directory)
    if len(loads) > 1:
        raise UsageError(
            f"{', '.join(loads[0].matrix)}: a list makes {len(loads)} loads, and one is expected",
            where=where,
            hint="give one value; `iosonde run` measures lists",
        )
    return loads[0]


def declare_loads(
    entry: str | Mapping[str, Any],
    *,
    where: str,
    directory: Path,
    loops: int = 1,
    seconds: float | None = None,
) -> list[Load]:
    """A load as a study names it, or all points of a matrix of loads.

    Args:
        entry: "latency"; "my.fio" or "my.yaml"; a command line that calls an engine; `{fio: …}`
            or `{hdparm: …}` with a command line, a file or a mapping; `{load: latency, bs: 8k}`
            for a named load with options changed.
            A mapping may carry `name:` and `about:`. Options that are lists make a matrix.
        where: file and key, for messages.
        directory: what relative paths stand in.
        loops: of each load, for the time that a matrix takes.
        seconds: of a loop; None: as the load says.

    Raises:
        UsageError: it cannot be understood.
    """
    declaring = _Declaring(where, directory, loops, seconds)
    if isinstance(entry, str):
        return _by_word(entry, declaring)
    rest = {str(key): value for key, value in entry.items()}
    name, about = rest.pop("name", None), rest.pop("about", None)
    loads = _by_mapping(rest, str(name or "load"), declaring)
    return [_called(load, str(name or ""), str(about or "")) for load in loads]


@dataclass(frozen=True, slots=True)
class _Declaring:
    """Where a load is declared, and what says how long its loops take."""

    where: str
    directory: Path = field(default_factory=Path)
    loops: int = 1
    seconds: float | None = None

    def by_engine(
        self, engine: str, spec: str | Mapping[str, Json], name: str, where: str = ""
    ) -> list[Load]:
        """What an engine makes of a declaration: one load, or all points of a matrix."""
        reader, where = LOADS.load(engine)(), where or self.where
        if not isinstance(reader, VariedEngine) or not (
            lists := reader.lists(spec, name=name, where=where)
        ):
            return [reader.declare(spec, name=name, where=where)]
        return self.varied(
            reader, lists, lambda chosen: reader.point(spec, chosen, name=name, where=where), where
        )

    def varied(
        self, reader: VariedEngine, lists: Mapping[str, tuple[str, ...]],
        point: Callable[[Mapping[str, str]], Load], where: str,
    ) -> list[Load]:  # fmt: skip
        """The points of a matrix; the first one says how long each takes."""
        first = point({option: values[0] for option, values in lists.items()})
        length = self.seconds or LOADS.load(first.engine)().demand(first).seconds
        require_few(lists, loop_seconds(length, self.loops), where)
        loads = []
        for chosen in points(lists):
            matrix = {
                option: reader.coordinate(option, text, where=where)
                for option, text in chosen.items()
            }
            load = point(chosen)
            loads.append(replace(
                load, name=point_name(load.name, chosen), matrix=matrix, varied_from=load.name
            ))  # fmt: skip
        return loads


def _called(load: Load, name: str, about: str) -> Load:
    """Under the name and words that the study gives it."""
    title = name or load.name
    if name and load.matrix:
        title = name + load.name.removeprefix(load.varied_from)
    return replace(
        load, name=title, about=about or load.about,
        varied_from=name or load.varied_from if load.matrix else "",
    )  # fmt: skip


def _engine_called(arguments: Sequence[str]) -> str | None:
    """The load engine that a pasted command line calls; None where it is none."""
    called = [word.rpartition("/")[2] for word in arguments if word not in {"sudo", "time"}]
    return called[0] if len(called) > 1 and called[0] in LOADS else None


def _by_word(word: str, declaring: _Declaring) -> list[Load]:
    if engine := _engine_called(word.split()):
        return declaring.by_engine(engine, word, engine)
    if word.endswith(".fio"):
        text = _file(declaring.directory / word, declaring.where)
        return declaring.by_engine("fio", text, Path(word).stem, word)
    if word.endswith(_SUFFIXES):
        text = _file(declaring.directory / word, declaring.where)
        return _from_yaml(text, Path(word).stem, replace(declaring, where=word))
    return [named_load(word)]


def _by_mapping(entry: dict[str, Any], name: str, declaring: _Declaring) -> list[Load]:
    where = declaring.where
    if "load" in entry:
        base = named_load(str(entry.pop("load")))
        return _adjusted(base, entry, declaring) if entry else [base]
    engines = [key for key in entry if key in LOADS]
    if len(engines) != 1 or len(entry) != 1:
        raise UsageError(
            f"expected `load:` with options, or one of {', '.join(LOADS)}, "
            f"found {', '.join(entry) or 'nothing'}",
            where=where,
        )
    engine, spec = engines[0], entry[engines[0]]
    if isinstance(spec, str) and spec.endswith(".fio") and len(spec.split()) == 1:
        return _by_word(spec, declaring)
    if not isinstance(spec, str | Mapping):
        raise UsageError(f"{engine} needs a command line or a mapping of options", where=where)
    title = engine if name == "load" else name
    return declaring.by_engine(engine, spec, title)


def _adjusted(base: Load, options: Mapping[str, Json], declaring: _Declaring) -> list[Load]:
    """A bundled load with options changed, some of which may be lists."""
    reader, where = LOADS.load(base.engine)(), declaring.where
    listed = {key: value for key, value in options.items() if isinstance(value, list)}
    if not listed or not isinstance(reader, VariedEngine):
        return [reader.adjust(base, options, where=where)]
    lists = reader.lists(listed, name=base.name, where=where)
    fixed = {key: value for key, value in options.items() if key not in listed}
    return declaring.varied(
        reader, lists, lambda chosen: reader.adjust(base, {**fixed, **chosen}, where=where), where
    )


def _tree(text: str, where: str) -> dict[str, Any]:
    from iosonde.yamltext import load_yaml

    tree = load_yaml(text, where, what="this load")
    if not isinstance(tree, dict):
        raise UsageError("expected `about:` and the options of one load engine", where=where)
    return tree


def _from_yaml(text: str, name: str, declaring: _Declaring) -> list[Load]:
    tree = _tree(text, declaring.where)
    tree.pop("require", None)  # see `limits_of`
    about = " ".join(str(tree.pop("about", "")).split())
    spec: dict[str, Json] = {str(key): value for key, value in tree.items()}
    loads = _by_mapping(spec, name, replace(declaring, directory=Path()))
    return [_called(load, name, about) for load in loads]


def _file(path: Path, where: str) -> str:
    try:
        return read_declaration_file(path.expanduser(), "the load")
    except UsageError as problem:
        message = problem.message.removeprefix("the load ")
        raise UsageError(f"{path} {message}", where=where, hint=problem.hint) from None
