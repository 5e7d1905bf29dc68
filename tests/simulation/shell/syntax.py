"""Commands of the shell, read once and made into functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from tests.simulation.shell.errors import Unplayed
from tests.simulation.shell.expansion import Text, fields_of, pattern, text_of
from tests.simulation.shell.lexer import Body, Lexer, Word
from tests.simulation.shell.process import Ended, Kept, Process, Readable, Returned

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=")
_FUNCTION = re.compile(r"([A-Za-z_]\w*)[ \t]*\(\)")
_RESERVED = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
# The file's number, what is done, and the path or the other file's number.
Redirection: TypeAlias = "tuple[int, str, Text]"
Looks: TypeAlias = tuple[tuple[str, str], ...]
"""Paths, each with what was there."""


@cache
def parsed(text: str) -> Body:
    """What a script does.

    Raises:
        Unplayed: it has something that is not known here.
    """
    try:
        lexer = Lexer(text, _list)
        body = _list(lexer, "")
        if lexer.at < len(text):
            lexer.wrong("the end")
    except (IndexError, ValueError) as problem:  # it ends too soon
        raise Unplayed(f"the shell: {problem}") from None
    return body


def _list(lexer: Lexer, end: str) -> Body:
    """Commands until a sign or a reserved word that ends them, which stays."""
    bodies: list[Body] = []
    while True:
        lexer.newlines()
        token = lexer.peek()
        if (end and token == end) or token in _RESERVED or token in {")", ";;"}:
            break
        if lexer.at >= len(lexer.text):
            break
        body = _and_or(lexer)
        if lexer.taken("&"):
            body = _background(body)
        elif lexer.peek() == ";":
            lexer.take(";")
        bodies.append(body)
    if len(bodies) == 1:
        return bodies[0]
    several = tuple(bodies)

    def run(process: Process) -> int:
        status = 0
        for body in several:
            status = body(process)
        return status

    return run


def _background(body: Body) -> Body:
    def run(process: Process) -> int:
        process.within(body)
        process.status = 0
        return 0

    return run


def _and_or(lexer: Lexer) -> Body:
    left = _pipeline(lexer)
    while (sign := lexer.peek()) in {"&&", "||"}:
        lexer.take(sign)
        lexer.newlines()
        left = _joined(left, _pipeline(lexer), sign == "&&")
    return left


def _joined(left: Body, right: Body, both: bool) -> Body:
    if both:

        def run(process: Process) -> int:
            status = left(process)
            return right(process) if status == 0 else status
    else:

        def run(process: Process) -> int:
            status = left(process)
            return right(process) if status != 0 else status

    return run


def _pipeline(lexer: Lexer) -> Body:
    turned = lexer.taken("!")
    stages = [_command(lexer)]
    while lexer.taken("|"):
        lexer.newlines()
        stages.append(_command(lexer))
    body = stages[0] if len(stages) == 1 else _piped(stages)
    if not turned:
        return body

    def run(process: Process) -> int:
        process.status = status = 0 if body(process) else 1
        return status

    return run


def _piped(stages: Sequence[Body]) -> Body:
    def run(process: Process) -> int:
        source, status = process.files[0], 0
        for stage in stages:
            child = process.fork()
            child.files[0] = source
            kept = Kept()
            if stage is not stages[-1]:
                child.files[1] = kept
            try:
                status = stage(child)
            except (Ended, Returned) as end:
                status = end.status
            source = Readable("".join(kept.parts))
        process.status = status
        return status

    return run


def _command(lexer: Lexer) -> Body:
    lexer.blanks()
    if match := _FUNCTION.match(lexer.text, lexer.at):
        lexer.at = match.end()
        lexer.newlines()
        return _defined(match[1], _command(lexer))
    reader = _COMPOUND.get(lexer.peek())
    if reader is None:
        return _simple(lexer)
    body = reader(lexer)
    redirections = []
    while redirection := _redirection(lexer):
        redirections.append(redirection)
    return _redirected(body, redirections) if redirections else body


def _defined(name: str, body: Body) -> Body:
    def run(process: Process) -> int:
        process.functions = {**process.functions, name: body}  # others may have the same
        process.status = 0
        return 0

    return run


def _redirection(lexer: Lexer) -> Redirection | None:
    lexer.blanks()
    match = re.compile(r"(\d?)(>>|>&|<&|>|<(?!<))").match(lexer.text, lexer.at)
    if match is None:
        return None
    lexer.at = match.end()
    sign = match[2]
    number = int(match[1]) if match[1] else int(sign[0] == ">")
    return number, sign, text_of(lexer.word().parts)


def applied(process: Process, redirections: Sequence[Redirection]) -> bool:
    """Open files anew; whether that was possible."""
    for number, sign, target in redirections:
        where = target(process)
        if sign in {">&", "<&"}:
            if where == "-":
                process.files.pop(number, None)
            else:
                process.files[number] = process.files[int(where)]
            continue
        try:
            process.files[number] = process.open(where, sign)
        except FileNotFoundError:
            process.say(f"{process.name}: 0: cannot open {where}: No such file\n")
            process.status = 2
            return False
    return True


def _redirected(body: Body, redirections: Sequence[Redirection]) -> Body:
    def run(process: Process) -> int:
        before = process.files
        process.files = before.copy()
        try:
            return body(process) if applied(process, redirections) else 2
        finally:
            process.files = before

    return run


def _simple(lexer: Lexer) -> Body:
    from tests.simulation.shell.commands import simple

    assigned: list[tuple[str, Text]] = []
    operands: list[Word] = []
    redirections: list[Redirection] = []
    while True:
        if redirection := _redirection(lexer):
            redirections.append(redirection)
            continue
        if lexer.sign() or lexer.at >= len(lexer.text):
            break
        match = _ASSIGNED.match(lexer.text, lexer.at)
        if match and not operands:
            lexer.at = match.end()
            parts = [] if lexer.ended() else lexer.word().parts
            assigned.append((match[1], text_of(parts)))
            continue
        operands.append(lexer.word())
    if not operands and not assigned and not redirections:
        lexer.wrong("a command")
    name = operands[0].name if operands else None
    return simple(assigned, [word.parts for word in operands], redirections, name)


def _group(lexer: Lexer) -> Body:
    lexer.take("{")
    body = _list(lexer, "}")
    lexer.take("}")
    return body


def _subshell(lexer: Lexer) -> Body:
    lexer.take("(")
    body = _list(lexer, ")")
    lexer.take(")")
    silent: dict[Any, list[tuple[Looks, int]]] = {}
    """How it ended where it only looked at paths, by all else that it could see."""

    def run(process: Process) -> int:
        state = process.state()
        looks = process.place.kinds
        for before, status in silent.get(state, ()):
            if all(process.place.kind(path) == kind for path, kind in before):
                process.status = status
                return status
        at, traces = len(looks), process.traces()
        process.status = status = process.within(body)
        if process.traces() == traces:
            silent.setdefault(state, []).append((tuple(dict.fromkeys(looks[at:])), status))
        return status

    return run


def _if(lexer: Lexer) -> Body:
    lexer.at += len(lexer.peek())  # if or elif
    condition = _list(lexer, "then")
    lexer.take("then")
    body = _list(lexer, "")
    other: Body | None = None
    if lexer.peek() == "elif":
        other = _if(lexer)
    else:
        if lexer.taken("else"):
            other = _list(lexer, "fi")
        lexer.take("fi")

    def run(process: Process) -> int:
        if condition(process) == 0:
            return body(process)
        if other is not None:
            return other(process)
        process.status = 0
        return 0

    return run


class _Broke(Exception):
    """`break`."""


class _Continued(Exception):
    """`continue`."""


def _loop(lexer: Lexer) -> Body:
    lexer.take("do")
    body = _list(lexer, "done")
    lexer.take("done")
    return body


def _while(lexer: Lexer) -> Body:
    lexer.take("while")
    condition = _list(lexer, "do")
    body = _loop(lexer)

    def run(process: Process) -> int:
        status = 0
        try:
            while condition(process) == 0:
                try:
                    status = body(process)
                except _Continued:
                    status = 0
        except _Broke:
            status = 0
        process.status = status
        return status

    return run


def _for(lexer: Lexer) -> Body:
    lexer.take("for")
    name = lexer.word().whole or ""
    operands = None
    if lexer.taken("in"):
        several = []
        while not lexer.sign():
            several.append(lexer.word().parts)
        operands = fields_of(several)
    lexer.taken(";")
    lexer.newlines()
    body = _loop(lexer)

    def run(process: Process) -> int:
        todo = list(process.positional) if operands is None else operands(process)
        status = 0
        try:
            for text in todo:
                process.variables[name] = text
                try:
                    status = body(process)
                except _Continued:
                    status = 0
        except _Broke:
            status = 0
        process.status = status
        return status

    return run


def broke(process: Process, arguments: Sequence[str]) -> int:
    """`break`."""
    if arguments:
        raise Unplayed("break N")
    raise _Broke


def continued(process: Process, arguments: Sequence[str]) -> int:
    """`continue`."""
    if arguments:
        raise Unplayed("continue N")
    raise _Continued


def _case(lexer: Lexer) -> Body:
    lexer.take("case")
    subject = text_of(lexer.word().parts)
    lexer.newlines()
    lexer.take("in")
    arms: list[tuple[list[Callable[[Process, str], bool]], Body]] = []
    lexer.newlines()
    while not lexer.taken("esac"):
        lexer.taken("(")
        patterns = [_matched(lexer.word())]
        while lexer.taken("|"):
            patterns.append(_matched(lexer.word()))
        lexer.take(")")
        arms.append((patterns, _list(lexer, ";;")))
        lexer.taken(";;")
        lexer.newlines()

    def run(process: Process) -> int:
        text = subject(process)
        for patterns, body in arms:
            for matches in patterns:
                if matches(process, text):
                    return body(process)
        process.status = 0
        return 0

    return run


def _matched(word: Word) -> Callable[[Process, str], bool]:
    shown, fixed = word.pattern(), word.name
    if fixed is not None:
        fixed_pattern: Any = shown(None)  # type: ignore[arg-type]
        if not re.search(r"[*?\[\\]", fixed_pattern):
            return lambda _, text: text == fixed
        match = pattern(fixed_pattern).fullmatch
        return lambda _, text: match(text) is not None
    return lambda process, text: pattern(shown(process)).fullmatch(text) is not None


_COMPOUND: dict[str, Callable[[Lexer], Body]] = {
    "{": _group, "(": _subshell, "if": _if, "while": _while, "for": _for, "case": _case,
}  # fmt: skip
