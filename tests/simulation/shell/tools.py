"""The tools that scripts start, in memory: with the options that are used here, and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from iosonde.change.settings_journal import FOLDER
from tests.simulation.shell.awk import compiled
from tests.simulation.shell.errors import Unplayed
from tests.simulation.shell.place import PARENT, RUN
from tests.simulation.shell.process import Ended, Process, Returned, Unwritten
from tests.simulation.shell.syntax import parsed

Tool = Callable[[Process, Sequence[str], Mapping[str, str]], int]
_SCRIPTS = Path(__file__).parents[1] / "tools"
_FULL = "File too large"


class Terminated(Exception):
    """The process that was first to be started is ended by a signal."""


def started(process: Process, fields: Sequence[str], extra: Mapping[str, str]) -> int:
    """Run a tool in a process of its own; its status."""
    tool = TOOLS.get(fields[0])
    if tool is None:
        raise Unplayed(f"the tool {fields[0]}")
    try:
        return tool(process, fields[1:], extra)
    except (IndexError, TypeError, ValueError) as problem:
        raise Unplayed(f"{' '.join(fields)[:200]}: {problem}") from problem


def _write(process: Process, name: str, text: str) -> int:
    try:
        process.files[1].write(text, process)
    except Unwritten:
        process.say(f"{name}: write error: {_FULL}\n")
        return 1
    return 0


def _content(process: Process, name: str, path: str) -> str | None:
    try:
        return process.place.read(path)
    except FileNotFoundError:
        process.say(f"{name}: {path}: No such file or directory\n")
        return None


def _cat(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if not arguments:
        return _write(process, "cat", process.read().rest())
    (path,) = arguments
    text = _content(process, "cat", path)
    return 1 if text is None else _write(process, "cat", text)


def _head(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    option, count, *paths = arguments
    if option == "-n" and not paths:
        rows = process.read().rest().split("\n")
        wanted = rows[: int(count)]
        return _write(process, "head", "\n".join(wanted) + "\n" * (len(rows) > len(wanted)))
    if option == "-c" and paths == ["/dev/zero"]:
        return _write(process, "head", "\0" * int(count))
    raise Unplayed(f"head {arguments}")


def _tail(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    option, count, path = arguments
    if option != "-c":
        raise Unplayed(f"tail {arguments}")
    try:
        text = process.place.read(path)
    except FileNotFoundError:
        process.say(f"tail: cannot open '{path}' for reading: No such file or directory\n")
        return 1
    if count.startswith("+"):
        if not count[1:].isdecimal():
            process.say(f"tail: invalid number of bytes: '{count}'\n")
            return 1
        return _write(process, "tail", text[max(int(count[1:]) - 1, 0) :])
    return _write(process, "tail", text[-int(count) :])


def _wc(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    text = process.read().rest()
    counts = {"-l": text.count("\n"), "-c": len(text)}
    return _write(process, "wc", f"{counts[arguments[0]]}\n")


def _sync(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    status = 0
    for path in arguments or [""]:
        if not process.place.sync(path):
            process.say(f"sync: error opening '{path}': No such file or directory\n")
            status = 1
    return status


def _dd(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    """Of a disk's setting it is the simulated kernel, else the tool that makes a file shorter."""
    options = dict(word.split("=", 1) for word in arguments)
    if options["of"].startswith("/sys/"):
        return _script(process, "dd", arguments)
    if options.keys() != {"of", "bs", "seek", "count"} or options["count"] != "0":
        raise Unplayed(f"dd {arguments}")
    length = int(options["bs"]) * int(options["seek"])
    if length:
        process.place.cut(options["of"], length)
    else:  # it opens the file so then
        process.place.create(options["of"], anew=True)
    return 0


def _mv(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    old, new = arguments
    process.place.rename(old, new)
    return 0


def _rm(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if arguments[0] != "-f":
        raise Unplayed("rm")
    for path in arguments[1:]:
        process.place.remove(path)
    return 0


def _mkdir(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if list(arguments[:2]) != ["-p", "--"]:
        raise Unplayed("mkdir")
    for path in arguments[2:]:
        process.place.make(path)
    return 0


def _chmod(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if arguments[0] != "700":  # everything is the owner's alone anyway
        raise Unplayed("chmod")
    return 0 if all(process.place.kind(path) for path in arguments[1:] if path != "--") else 1


def _id(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if list(arguments) != ["-u"]:
        raise Unplayed("id")
    return _write(process, "id", "0\n")


def _stat(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    option, form, separator, *paths = arguments
    if (option, form, separator) != ("-c", "%u %g %f %n", "--"):
        raise Unplayed("stat")
    rows = []
    for path in paths:
        if process.place.kind(path) != "d":
            raise Unplayed("stat of a file")
        rows.append(f"0 0 {'41c0' if path == FOLDER else '41ed'} {path}\n")
    return _write(process, "stat", "".join(rows))


# Everything in the simulated directory is root's and nobody else's, so nothing is odd.
_ODD = (
    "!", "-user", "0", "-print", "-o", "-perm", "-002", "-print", "-o", "-perm", "-020", "-print",
    "-o", "!", "-type", "d", "!", "-type", "f", "-print",
)  # fmt: skip


def _find(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if tuple(arguments) != (FOLDER, *_ODD):
        raise Unplayed("find")
    return 0


def _awk(process: Process, arguments: Sequence[str], extra: Mapping[str, str]) -> int:
    separator, given, rest = "", {}, list(arguments)
    while rest[0] in {"-F", "-v"}:
        option, value = rest[:2]
        rest = rest[2:]
        if option == "-F":
            separator = value.replace("\\t", "\t")
            continue
        name, _, text = value.partition("=")
        if "\\" in text:
            raise Unplayed("awk -v with a backslash")
        given[name] = text
    (program,) = rest
    printed, status = compiled(program, separator, tuple(given))(
        process.read().rest(), given, extra
    )
    try:
        process.files[1].write(printed, process)
    except Unwritten:
        process.say(f"awk: write failure ({_FULL})\nawk: close failure on stdout ({_FULL})\n")
        return 2
    return status


_SUBSTITUTE = re.compile(r"s/((?:[^/\\]|\\.)*)/((?:[^/\\]|\\.)*)/(?:;|$)")


@cache
def _substitutions(program: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    rows, at = [], 0
    while at < len(program):
        match = _SUBSTITUTE.match(program, at)
        if match is None:
            raise Unplayed(f"sed {program}")
        # Parentheses group where a backslash stands before them, and only there.
        basic = re.sub(
            r"\\?[()]", lambda sign: sign[0][1:] if len(sign[0]) > 1 else f"\\{sign[0]}", match[1]
        )
        rows.append((re.compile(basic), match[2]))
        at = match.end()
    return tuple(rows)


def _sed(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    program, *paths = arguments
    try:
        text = process.place.read(*paths) if paths else process.read().rest()
    except FileNotFoundError:
        process.say(f"sed: can't read {paths[0]}: No such file or directory\n")
        return 2
    rows = text.split("\n")
    for search, instead in _substitutions(program):
        rows = [search.sub(instead, row, count=1) for row in rows]
    return _write(process, "sed", "\n".join(rows))


def _date(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    return _write(process, "date", f"{process.place.clock()}\n")


def _flock(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if arguments[0] == "-w":
        return int(process.place.held())
    process.place.meet()
    return 0


def _sleep(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if arguments[0] == "0.5":
        raise Terminated
    process.place.pass_time()
    return 0


def _timeout(process: Process, arguments: Sequence[str], extra: Mapping[str, str]) -> int:
    return started(process, arguments[1:], extra)


@cache
def _simulated(name: str) -> str:
    return (_SCRIPTS / name).read_text("latin-1")


def _script(process: Process, name: str, arguments: Sequence[str]) -> int:
    """A tool that is a script of the simulation's."""
    return shell(process, _simulated(name), f"{RUN}/bin/{name}", arguments)


def shell(parent: Process, text: str, name: str, arguments: Sequence[str]) -> int:
    """Run a script in a shell of its own."""
    child = Process(parent.place, name, arguments)
    child.files = dict(parent.files)
    child.variables = {"PWD": "/", "PPID": PARENT, "PATH": "/usr/bin:/bin"}
    try:
        return parsed(text)(child)
    except (Ended, Returned) as end:
        return end.status


def _sh(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    if arguments[0] == "-c":
        _option, text, name, *rest = arguments
        return shell(process, text, name, rest)
    name, *rest = arguments
    try:
        text = process.place.read(name)
    except FileNotFoundError:
        process.say(f"sh: 0: cannot open {name}: No such file\n")
        return 2
    return shell(process, text, name, rest)


def _nothing(process: Process, arguments: Sequence[str], _: Mapping[str, str]) -> int:
    return 0


TOOLS: Mapping[str, Tool] = {
    "awk": _awk, "cat": _cat, "chmod": _chmod, "date": _date, "dd": _dd, "find": _find,
    "flock": _flock, "head": _head, "id": _id, "mkdir": _mkdir, "mv": _mv, "rm": _rm, "sed": _sed,
    "setsid": _nothing, "sh": _sh, "sleep": _sleep, "stat": _stat, "sync": _sync, "tail": _tail,
    "timeout": _timeout, "wc": _wc,
}  # fmt: skip
