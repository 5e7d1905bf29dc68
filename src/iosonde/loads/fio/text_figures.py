"""What fio's printed outputs share: options of its jobs, and the names of percentiles.

Source:
    fio 3.33, HOWTO, "Parameter types"; stat.c, show_thread_status_normal().
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from iosonde.errors import UsageError
from iosonde.loads.fio import figures
from iosonde.loads.fio.combine import PERCENTILES
from iosonde.loads.fio.compared_options import BLOCKS, PACED
from iosonde.loads.fio.job import Effective, Job, effective, read_command_line
from iosonde.loads.fio.options import ALIASES
from iosonde.records.stack import Json, Scalar

Options = dict[str, Scalar]

NAMES = {f"{share * 100:g}": name for name, share in PERCENTILES.items()}
"""A percentile as a plain number ("99.9") → the metric it is ("p99_9")."""

_SIZES = frozenset({"bs", "size", "io_size", "offset", "filesize"})
_COUNTS = frozenset({"iodepth", "numjobs", "rwmixread", "rwmixwrite", "fsync", "fdatasync"})
_TIMES = frozenset({"runtime", "ramp_time"})
_BOOLEANS = frozenset({
    "direct", "end_fsync", "time_based", "group_reporting", "norandommap", "sync", "buffered",
    "stonewall", "thread", "invalidate", "fsync_on_close",
})  # fmt: skip
_TEXTS = frozenset({"rw", "ioengine", "filename", "directory", "verify", "description"})
_PLAIN = {
    name.replace("_", ""): name for name in _SIZES | _COUNTS | _TIMES | _BOOLEANS | _TEXTS
} | ALIASES
_LONGEST = 4000
_SHELL_END = re.compile(r"\s(?:\d?>>?|[|;&<]|2>&1)")


def options_of(printed: Mapping[str, object]) -> Options:
    """Options of a job in fio's words, sizes in bytes and times in seconds.

    Args:
        printed: option → its text, or None for a flag, as a command or fio's JSON has them.
    """
    options: Options = {}
    for key, value in printed.items():
        name = _PLAIN.get(key, _PLAIN.get(key.replace("_", "").replace("-", ""), ""))
        if name:
            text = None if value is None else str(value).strip()
            options |= _option(name, text)
    plain = {key.replace("-", "_") for key in printed}
    if not isinstance(options.get("bs"), int) or plain.intersection(BLOCKS):
        options.pop("bs", None)
    if plain.intersection(PACED):
        options["paced"] = True
    if isinstance(buffered := options.pop("buffered", None), bool):
        options.setdefault("direct", not buffered)
    return options


def _option(name: str, text: str | None) -> Options:
    if name in _BOOLEANS:
        return {name: text not in {"0", "false", "no", "none"}}
    if not text:
        return {}
    try:
        return {name: _value(name, text)}
    except UsageError:
        return {name: text}


def _value(name: str, text: str) -> Scalar:
    if name in _SIZES:
        amount = figures.size(text, kb_base=1024, what=name, where="")
        return text if amount is None else amount
    if name in _TIMES:
        return figures.seconds(text, what=name, where="")
    return figures.count(text, what=name, where="") if name in _COUNTS else text


def without_shell(command: str) -> str:
    """A command without its pipes and redirections."""
    ended = _SHELL_END.search(command)
    return command[: ended.start()] if ended else command


@lru_cache(maxsize=32)
def sections_of(command: str) -> tuple[Effective, ...]:
    """The jobs that a fio command declares; none where it cannot be read or names a job file."""
    plain = without_shell(command)
    if len(plain) > _LONGEST:
        return ()
    try:
        sections, _ = read_command_line(plain, name="", where="")
    except UsageError:
        return ()
    return effective(Job(tuple(sections)))


def command_options(command: str, label: str) -> Options:
    """Options of the job with a name; of the only one whatever it is called."""
    sections = sections_of(command)
    named = [section for section in sections if section.name == label]
    chosen = named or (list(sections) if len(sections) == 1 else [])
    return options_of(chosen[0].options) if chosen else {}


def target_of(options: Options) -> str:
    """Device or file that the load was pointed at; empty where that is not known."""
    name = options.get("filename")
    return name if isinstance(name, str) and not re.search(r"(?<!\\):", name) else ""


def samples_of(match: re.Match[str], scale: float) -> Json:
    """Samples of a rate, as printed times a scale; `per` is the share of the group's mean."""
    keys = ("min", "max", "mean", "stdev")
    figures: dict[str, Json] = {
        key: float(match[key]) * scale for key in keys if "nan" not in match[key]
    }
    if share := match.groupdict().get("per"):
        figures["per"] = float(share + "e-2")
    if match["samples"]:
        figures["samples"] = int(match["samples"])
    return figures
