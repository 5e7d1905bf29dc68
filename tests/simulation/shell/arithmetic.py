"""What stands in `$((` `))`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from tests.simulation.shell.errors import Unplayed

if TYPE_CHECKING:
    from tests.simulation.shell.process import Process

_TOKEN = re.compile(
    r"\s*(?:(0[xX][0-9a-fA-F]+|\d+)|\$?\{?([A-Za-z_]\w*|\d)|(<=|>=|==|!=|[-+*/%&|<>()]))"
)
_PARAMETER = re.compile(r"\$\{([A-Za-z_]\w*)([#%]+)([^}]*)\}|\$\{?([A-Za-z_]\w*|\d)\}?")


def arithmetic(text: str) -> Callable[[Process], str]:
    """The function that gives the value of an expression."""
    from tests.simulation.shell.expansion import without
    from tests.simulation.shell.lexer import parameter

    pieces: list[Callable[[Process], str]] = []
    last = 0

    def letters(piece: str) -> Callable[[Process], str]:
        return lambda _: piece

    def cut(name: str, sign: str, taken: str) -> Callable[[Process], str]:
        get = parameter(name)
        return lambda process: without(get(process), sign, taken)

    for match in _PARAMETER.finditer(text):
        pieces.append(letters(text[last : match.start()]))
        pieces.append(cut(match[1], match[2], match[3]) if match[1] else parameter(match[4]))
        last = match.end()
    pieces.append(letters(text[last:]))

    def value(process: Process) -> str:
        whole = "".join([get(process) for get in pieces])
        return str(_compiled(whole)(process))

    return value


def _number(text: str) -> int:
    if text[:2] in {"0x", "0X"}:
        return int(text, 16)
    return int(text, 8) if text[0] == "0" and len(text) > 1 else int(text)


@cache
def _compiled(text: str) -> Callable[[Process], int]:
    out, at = [], 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unplayed(f"the sum {text!r}")
        constant, name, sign = match.groups()
        if constant:
            out.append(str(_number(constant)))
        elif name:
            out.append(f"number(variables.get({name!r}) or '0')")
        else:
            out.append("//" if sign == "/" else sign)
        at = match.end()
    code = compile("".join(out), "<sum>", "eval")

    def value(process: Process) -> int:
        document = eval(code, {"number": _number, "variables": process.variables})
        if document < 0:  # quotients are rounded otherwise then
            raise Unplayed(f"the sum {text!r} is negative")
        return int(document)

    return value
