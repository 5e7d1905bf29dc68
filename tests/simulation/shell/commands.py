"""Simple commands, and those that are built into the shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from tests.simulation.shell import tools
from tests.simulation.shell.errors import Unplayed
from tests.simulation.shell.expansion import Arguments, Part, Text, blanks_of, fields_of
from tests.simulation.shell.lexer import Body
from tests.simulation.shell.process import Ended, Process, Returned, Unwritten
from tests.simulation.shell.syntax import Redirection, applied, broke, continued

Builtin = Callable[[Process, Sequence[str]], int]
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "0": "\0"}


def simple(
    assigned: Sequence[tuple[str, Text]],
    rows: Sequence[Sequence[Part]],
    redirections: Sequence[Redirection],
    name: str | None,
) -> Body:
    """What a command does that is one line of words."""
    if not rows:
        if redirections:
            raise Unplayed("redirections without a command")
        return _assignment(assigned)
    if name == "exec":
        return _exec(rows, redirections)
    builtin = BUILTINS.get(name or "")
    if builtin and not redirections and not assigned:
        return _short(builtin, fields_of(rows[1:]))
    every = fields_of(rows)

    def run(process: Process) -> int:
        fields = every(process)
        if not fields:
            raise Unplayed("a command that is empty")
        extra = {name: get(process) for name, get in assigned}
        if not redirections:
            status = called(process, fields, extra)
        else:
            before = process.files
            process.files = before.copy()
            try:
                status = called(process, fields, extra) if applied(process, redirections) else 2
            finally:
                process.files = before
        process.status = status
        return status

    return run


def _short(builtin: Builtin, rest: Arguments) -> Body:
    def run(process: Process) -> int:
        process.status = status = builtin(process, rest(process))
        return status

    return run


def _assignment(assigned: Sequence[tuple[str, Text]]) -> Body:
    def run(process: Process) -> int:
        process.status = 0
        for name, get in assigned:
            process.variables[name] = get(process)
        return process.status  # of the last substitution, if there was one

    return run


def _exec(rows: Sequence[Sequence[Part]], redirections: Sequence[Redirection]) -> Body:
    rest = fields_of(rows[1:])

    def run(process: Process) -> int:
        fields = rest(process)
        if not applied(process, redirections):
            raise Ended(2)
        if fields:
            raise Ended(tools.started(process, fields, {}))
        process.status = 0
        return 0

    return run


def called(process: Process, fields: Sequence[str], extra: Mapping[str, str]) -> int:
    """Run a function, something built in, or a tool."""
    name = fields[0]
    function = process.functions.get(name)
    if function is not None:
        if extra:
            raise Unplayed("variables before a function")
        before = process.positional
        process.positional = list(fields[1:])
        try:
            return function(process)
        except Returned as end:
            process.status = end.status
            return end.status
        finally:
            process.positional = before
    builtin = BUILTINS.get(name)
    if builtin is None:
        return tools.started(process, fields, extra)
    variables = process.variables
    kept = {name: variables.get(name) for name in extra}
    variables |= extra
    try:
        return builtin(process, fields[1:])
    except Unwritten:
        process.say(f"{process.name}: 0: {name}: {name}: I/O error\n")
        return 1
    finally:
        for text, value in kept.items():
            if value is None:
                del variables[text]
            else:
                variables[text] = value


def _echo(process: Process, arguments: Sequence[str]) -> int:
    text = " ".join(arguments)
    if "\\" in text or text.startswith("-n"):
        raise Unplayed("echo with a backslash")
    process.files[1].write(f"{text}\n", process)
    return 0


@cache
def _format(text: str) -> tuple[str, ...]:
    """A format's letters, and between them where arguments stand."""
    pieces, last = [""], 0
    for match in re.finditer(r"\\(.)|%(.)", text, re.DOTALL):
        pieces[-1] += text[last : match.start()]
        last = match.end()
        if match[2] == "s":
            pieces.append("")
        elif match[1] in _ESCAPES and match[1] != "0":
            pieces[-1] += _ESCAPES[match[1]]
        else:
            raise Unplayed(f"the format {text!r}")
    pieces[-1] += text[last:]
    return tuple(pieces)


def _printf(process: Process, arguments: Sequence[str]) -> int:
    pieces = _format(arguments[0])
    rest = list(arguments[1:])
    out: list[str] = []
    while True:
        out.append(pieces[0])
        for piece in pieces[1:]:
            out += [rest.pop(0) if rest else "", piece]
        if not rest or len(pieces) == 1:
            break
    process.files[1].write("".join(out), process)
    return 0


_SIGNS = frozenset({"=", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_WHOLE = re.compile(r"\s*[-+]?\d+\s*")


def _compared(left: str, sign: str, right: str) -> bool:
    if sign == "=":
        return left == right
    if sign == "!=":
        return left != right
    if not _WHOLE.fullmatch(left) or not _WHOLE.fullmatch(right):
        raise Unplayed(f"[ {left} {sign} {right} ]")
    number, other = int(left), int(right)
    signs = {"-eq": number == other, "-ne": number != other, "-lt": number < other,
             "-le": number <= other, "-gt": number > other, "-ge": number >= other}  # fmt: skip
    return signs[sign]


def _is(process: Process, sign: str, word: str) -> bool:
    place = process.place
    if sign == "-n":
        return word != ""
    if sign == "-z":
        return word == ""
    if not word.startswith("/"):
        raise Unplayed(f"[ {sign} {word!r} ]")
    kind = place.kind(word)
    if sign in {"-e", "-d", "-f"}:
        return kind != "" if sign == "-e" else kind == sign[1]
    if sign == "-s":
        return kind == "f" and place.read(word) != ""
    if sign in {"-L", "-h"}:
        return False
    raise Unplayed(f"[ {sign}")


def _test(process: Process, arguments: Sequence[str]) -> int:
    *parts, end = arguments
    if len(parts) == 3 and end == "]" and parts[1] in _SIGNS:
        return 0 if _compared(*parts) else 1
    if end != "]":
        raise Unplayed("[ without ]")
    wanted = True
    if len(parts) > 1 and parts[0] == "!" and parts[1] not in _SIGNS:
        parts, wanted = parts[1:], False
    if len(parts) == 3:
        holds = _compared(*parts)
    elif len(parts) == 2:
        holds = _is(process, *parts)
    elif len(parts) < 2:
        holds = bool(parts and parts[0])
    else:
        raise Unplayed(f"[ {parts}")
    return 0 if holds == wanted else 1


def _read(process: Process, arguments: Sequence[str]) -> int:
    if arguments[0] != "-r":
        raise Unplayed("read without -r")
    line, whole = process.read().line()
    names = arguments[1:]
    if "\0" in line:
        line = line.replace("\0", "")
    blanks = blanks_of(process)
    for at, name in enumerate(names):
        line = line.lstrip(blanks) if blanks else line
        if at == len(names) - 1:
            process.variables[name] = line.rstrip(blanks) if blanks else line
            break
        match = re.search(f"[{blanks}]", line) if blanks else None
        end = match.start() if match else len(line)
        process.variables[name], line = line[:end], line[end:]
    return 0 if whole else 1


def _set(process: Process, arguments: Sequence[str]) -> int:
    if list(arguments[:1]) == ["-f"]:
        process.noglob = True
        arguments = arguments[1:]
        if not arguments:
            return 0
    if list(arguments[:1]) == ["--"]:
        process.positional = list(arguments[1:])
    elif arguments and arguments[0][:1] not in {"-", "+"}:
        process.positional = list(arguments)
    else:
        raise Unplayed(f"set {arguments[:1]}")
    return 0


def _shift(process: Process, arguments: Sequence[str]) -> int:
    count = int(arguments[0]) if arguments else 1
    if count > len(process.positional):
        raise Ended(2)
    process.positional = process.positional[count:]
    return 0


def _unset(process: Process, arguments: Sequence[str]) -> int:
    for name in arguments:
        process.variables.pop(name, None)
    return 0


def _exit(process: Process, arguments: Sequence[str]) -> int:
    raise Ended(int(arguments[0]) if arguments else process.status)


def _return(process: Process, arguments: Sequence[str]) -> int:
    raise Returned(int(arguments[0]) if arguments else process.status)


def _cd(process: Process, arguments: Sequence[str]) -> int:
    (path,) = arguments
    if not path.startswith("/"):
        raise Unplayed(f"cd {path}")
    if process.place.kind(path) != "d":
        process.say(f"{process.name}: 0: cd: can't cd to {path}\n")
        return 2
    process.variables["PWD"] = path
    return 0


def _pwd(process: Process, arguments: Sequence[str]) -> int:
    process.files[1].write(process.variables["PWD"] + "\n", process)
    return 0


def _command(process: Process, arguments: Sequence[str]) -> int:
    if len(arguments) != 2 or arguments[0] != "-v":
        raise Unplayed("command")
    name = arguments[1]
    if name not in tools.TOOLS and name not in BUILTINS:
        raise Unplayed(f"whether there is a command {name}")
    return 0


def _export(process: Process, arguments: Sequence[str]) -> int:
    if any("=" in name for name in arguments):
        raise Unplayed("export with a value")
    return 0


def _umask(process: Process, arguments: Sequence[str]) -> int:
    if arguments not in (["077"], ["022"]):
        raise Unplayed("umask")
    return 0


BUILTINS: Mapping[str, Builtin] = {
    ":": lambda _, arguments: 0, "true": lambda _, arguments: 0, "false": lambda _, arguments: 1,
    "[": _test, "break": broke, "cd": _cd, "command": _command, "continue": continued,
    "echo": _echo, "exit": _exit, "export": _export, "printf": _printf, "pwd": _pwd, "read": _read,
    "return": _return, "set": _set, "shift": _shift, "umask": _umask, "unset": _unset,
}  # fmt: skip
