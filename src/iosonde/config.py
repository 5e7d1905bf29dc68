"""Defaults that a user or an administrator sets once: the configuration file of iosonde itself.

A value comes from the command line, else from the environment, else from this file, else from
KEYS. YAML, as study and stack files are: ruamel.yaml keeps the line of each key for messages.

Source: XDG Base Directory Specification 0.8: XDG_CONFIG_HOME, ignored where it is relative.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias

from iosonde import limits, units
from iosonde.contract import NULL
from iosonde.errors import UsageError
from iosonde.inputs import open_input, read_at_most
from iosonde.private_folder import require_own_file, require_trusted

ConfigScalar: TypeAlias = str | int | float

CONFIRM_SECONDS = 5.0, 3600.0
"""Shortest and longest time that a host waits for a confirmation."""
MOST_LOOPS = 10_000


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """A key of the file.

    Attributes:
        what: it sets, for people.
        expected: values, for messages.
        default: where nothing else says it.
        read: the value from YAML; None: it is none.
        variable: of the environment, which comes before the file; may be empty.
    """

    what: str
    expected: str
    default: Callable[[], ConfigScalar]
    read: Callable[[object], ConfigScalar | None]
    variable: str = ""


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """What a default is, and where that comes from."""

    key: str
    value: ConfigScalar
    origin: Literal["environment", "file", "default"]
    where: str = field(metadata=NULL)
    """The variable, or the file and its line; null: a default of iosonde."""
    what: str
    """What it sets."""


def config_file() -> Path:
    """Where the file is, whether it is there or not."""
    named = os.environ.get("XDG_CONFIG_HOME", "")
    home = Path(named) if named.startswith("/") else Path("~/.config").expanduser()
    return home / "iosonde" / "config.yaml"


def config_value(key: str) -> ConfigValue:
    """The default that holds here and now.

    Args:
        key: of KEYS.

    Raises:
        UsageError: the file is wrong; it is not read where the environment has the value.
        Refused: root's file could be another user's work.
    """
    beside = value_beside_file(key)
    if beside.origin == "environment":
        return beside
    return read_config(config_file()).get(key, beside)


def value_beside_file(key: str) -> ConfigValue:
    """What the environment or iosonde itself says, where nothing may fail.

    Args:
        key: of KEYS.
    """
    row = KEYS[key]
    if row.variable and (set_there := os.environ.get(row.variable)):
        return ConfigValue(key, set_there, "environment", row.variable, row.what)
    return ConfigValue(key, row.default(), "default", "", row.what)


def read_config(path: Path) -> dict[str, ConfigValue]:
    """What a configuration file sets; nothing where there is none.

    Raises:
        UsageError: it cannot be read, or sets what it cannot; `where` has the line.
        Refused: this is root, and another user owns it, may write it or could exchange it.
    """
    text = _text(path)
    if text is None:
        return {}
    from iosonde.yamltext import load_yaml

    tree: Any = load_yaml(text, str(path), what="this configuration file", lines=True)
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise UsageError(
            "expected a mapping of keys to values at the top", where=f"{path}:1", hint=_EXAMPLE
        )
    values: dict[str, ConfigValue] = {}
    for key, value in tree.items():
        where = f"{path}:{tree.lc.key(key)[0] + 1}"  # type: ignore[attr-defined]  # ruamel's
        if key not in KEYS:
            near = get_close_matches(str(key), KEYS, n=1)
            raise UsageError(
                f"there is no key {str(key)!r}; known: {', '.join(sorted(KEYS))}", where=where,
                hint=f"did you mean {near[0]!r}?" if near else "",
            )  # fmt: skip
        row = KEYS[key]
        if (read := row.read(value)) is None:
            shown = repr(value) if isinstance(value, str | int | float) else "something else"
            raise UsageError(
                f"{key}: expected {row.expected}, got {shown:.80}", where=where, hint=_EXAMPLE
            )
        values[key] = ConfigValue(key, read, "file", where, row.what)
    return values


class ConfiguredOptions(Mapping[str, ConfigScalar]):
    """Defaults of options by their names, read from the file when one is asked for.

    A verb whose options do not need the file, and every `--help`, work beside a wrong one.
    """

    NAMES = frozenset({"confirm", "margin"})
    """Keys that are options and nothing else; the others take their place where they are used."""

    def __getitem__(self, name: str) -> ConfigScalar:
        """The file's value.

        Raises:
            KeyError: it has none.
        """
        if name not in self.NAMES:
            raise KeyError(name)
        return read_config(config_file())[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.NAMES & set(read_config(config_file())))

    def __len__(self) -> int:
        return len(list(iter(self)))


def _text(path: Path) -> str | None:
    """What the file holds; None: there is none, or it lies where this user may not look."""
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        # As git: HOME may still be another user's whose rights were given up (git, wrapper.c:
        # ACCESS_EACCES_OK).
        return None
    except OSError as problem:
        raise UsageError(f"cannot be read: {problem.strerror}", where=str(path)) from None
    if stat.S_ISFIFO(state.st_mode):
        raise UsageError("is a FIFO; expected a regular file", where=str(path), hint=_EXAMPLE)
    as_root = os.geteuid() == 0
    if as_root:
        require_trusted(Path(os.path.abspath(path)))  # noqa: PTH100 - resolve() follows links
    with open_input(path) as file:
        if as_root:
            require_own_file(file.fileno(), path)
        content = read_at_most(file, limits.CONFIGURATION, str(path))
    if len(content) > limits.CONFIGURATION:
        raise UsageError(
            f"is longer than {limits.shown(limits.CONFIGURATION)}, the limit for a configuration "
            "file", where=str(path),
        )  # fmt: skip
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise UsageError(
            "expected text in UTF-8, found bytes that are none", where=f"{path}:{line}"
        ) from None


_EXAMPLE = "docs/use/config.md shows a file with every key"


def _place(value: object) -> str | None:
    """A path that means the same in every directory."""
    if not isinstance(value, str) or "\0" in value or not value.startswith(("/", "~/")):
        return None
    return os.path.expanduser(value)  # noqa: PTH111 - it may end in a slash


def _store(value: object) -> str | None:
    if isinstance(value, str) and value.startswith(("postgresql://", "postgresql+")):
        return value
    return _place(value)


def _confirm(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if CONFIRM_SECONDS[0] <= value <= CONFIRM_SECONDS[1] else None


def _loops(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return int(value) if 1 <= value <= MOST_LOOPS else None


def _margin(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return str(value) if 0 < units.parse_fraction(value) < 1 else None
    except UsageError:
        return None


def _default_store() -> str:
    home = os.environ.get("XDG_DATA_HOME") or str(Path("~/.local/share").expanduser())
    return str(Path(home) / "iosonde" / "store.sqlite")


def _default_lab() -> str:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return str(Path(cache) / "iosonde" / "lab")


KEYS: Mapping[str, ConfigKey] = {
    "store": ConfigKey(
        "where runs are kept (--store)",
        "an absolute path, one that begins with ~/, or a postgresql:// URL", _default_store, _store,
        "IOSONDE_STORE",
    ),
    "loops": ConfigKey(
        "loops of a trial, where neither the study nor --loops says it",
        f"a whole number from 1 to {MOST_LOOPS:,}", lambda: 5, _loops,
    ),
    "confirm": ConfigKey(
        "seconds until a host restores unconfirmed settings (set and tune --confirm)",
        "a number of seconds from {:g} to {:g}".format(*CONFIRM_SECONDS), lambda: 60.0, _confirm,
    ),
    "margin": ConfigKey(
        "a change within it does not matter (compare --margin)",
        "a share between 0 and 100 %, such as 2%", lambda: "2%", _margin,
    ),
    "lab": ConfigKey(
        "where the lab keeps its images and disks",
        "an absolute path, or one that begins with ~/", _default_lab, _place, "IOSONDE_LAB",
    ),
}  # fmt: skip
"""Key → what it sets, in the order of `iosonde config`."""
