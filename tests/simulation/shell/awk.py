"""Programs of awk as functions of Python: those parts of the language that scripts here use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from tests.simulation.shell.errors import Unplayed

Program: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, str]], tuple[str, int]]
"""Input, variables given by -v, the environment → what is printed, and the status."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<name>[A-Za-z_]\w*)
    |(?P<sign>\+\+|--|\+=|==|!=|<=|>=|&&|\|\||[-+*/%!<>=(){}\[\],;$?:])|(?P<line>\n))""",
    re.VERBOSE,
)
_NUMERIC = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "/": "/"}
_RESERVED = frozenset({
    "BEGIN", "END", "break", "continue", "delete", "do", "else", "exit", "for", "func", "function",
    "getline", "if", "in", "next", "nextfile", "print", "printf", "return", "while",
})  # fmt: skip

# An expression: its text in Python, and whether it is a number "n", a text "s", or, as fields are,
# whichever it looks like "u".
Typed: TypeAlias = tuple[str, str]


def number(value: Any) -> float | int:
    """The number that a value stands for."""
    if not isinstance(value, str):
        return value  # type: ignore[no-any-return]
    if value.isdecimal():
        return int(value)
    match = _NUMERIC.match(value)
    plain = float(match[0]) if match else 0.0
    return int(plain) if plain.is_integer() else plain


def text(value: Any) -> str:
    """How a value is printed."""
    if isinstance(value, str):
        return value
    if value != int(value):
        raise Unplayed(f"awk: the fraction {value}")
    return str(int(value))


def truth(value: Any) -> bool:
    """Whether a value that may look like a number counts as true."""
    if isinstance(value, str) and not _NUMERIC.fullmatch(value):
        return value != ""
    return number(value) != 0


def order(left: Any, right: Any) -> int:
    """-1, 0 or 1: as numbers where both look like such, else as texts."""
    if (not isinstance(left, str) or _NUMERIC.fullmatch(left)) and (
        not isinstance(right, str) or _NUMERIC.fullmatch(right)
    ):
        left, right = number(left), number(right)
    else:
        left, right = text(left), text(right)
    return int(left > right) - int(left < right)


class _Compiler:
    """Reads a program and writes the function."""

    def __init__(self, program: str) -> None:
        self.tokens = list(_tokens(program))
        self.at = 0
        self.lines: list[str] = []
        self.loops = 0
        self.place = ""
        self.scalars: dict[str, str] = {}
        self.arrays: dict[str, str] = {}

    # Tokens.

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise Unplayed(f"awk: {token!r} where {wanted or 'more'!r} was expected")
        self.at += 1
        return token

    def taken(self, *tokens: str) -> bool:
        if self.peek() in tokens and self.peek():
            self.at += 1
            return True
        return False

    def skip(self, *tokens: str) -> None:
        while self.taken(*tokens):
            pass

    # Statements.

    def emit(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def program(self) -> tuple[list[str], list[str], list[str]]:
        """The lines of BEGIN, of the rules, and of END."""
        parts: dict[str, list[str]] = {"BEGIN": [], "": [], "END": []}
        self.skip("\n", ";")
        while self.peek():
            self.place = self.take() if self.peek() in {"BEGIN", "END"} else ""
            self.lines = parts[self.place]
            depth = 2 if self.place == "" else 1
            if self.place == "" and self.peek() != "{":
                self.emit(depth, f"if {self.condition(self.expression())}:")
                depth += 1
            if self.peek() == "{":
                self.statement(depth)
            else:
                raise Unplayed("awk: a pattern without an action")
            self.skip("\n", ";")
        return parts["BEGIN"], parts[""], parts["END"]

    def statement(self, depth: int) -> None:
        token = self.peek()
        if self.taken("{"):
            self.emit(depth, "pass")
            self.skip("\n", ";")
            while not self.taken("}"):
                self.statement(depth)
                self.skip("\n", ";")
        elif token in {"if", "while", "for"}:
            self.at += 1
            self.take("(")
            getattr(self, f"_{token}")(depth)
        else:
            self._simple(depth)

    def _body(self, depth: int) -> None:
        self.skip("\n")
        self.loops += 1
        self.statement(depth)
        self.loops -= 1

    def _if(self, depth: int) -> None:
        self.emit(depth, f"if {self.condition(self.expression())}:")
        self.take(")")
        self.skip("\n")
        self.statement(depth + 1)
        mark = self.at
        self.skip("\n", ";")
        if self.taken("else"):
            self.skip("\n")
            self.emit(depth, "else:")
            self.statement(depth + 1)
        else:
            self.at = mark

    def _while(self, depth: int) -> None:
        self.emit(depth, f"while {self.condition(self.expression())}:")
        self.take(")")
        self._body(depth + 1)

    def _for(self, depth: int) -> None:
        if self.tokens[self.at + 1] == "in" and self.tokens[self.at + 3] == ")":
            name, _, array = self.take(), self.take(), self.take()
            self.array(array, "n")
            self.scalar(name, "u")
            self.emit(depth, f"for v_{name} in single(a_{array}):")
            self.take(")")
            self._body(depth + 1)
            return
        self.emit(depth, self.expression()[0])
        self.take(";")
        self.emit(depth, f"while {self.condition(self.expression())}:")
        self.take(";")
        step = self.expression()[0]
        self.take(")")
        self._body(depth + 1)
        self.emit(depth + 1, step)

    def _simple(self, depth: int) -> None:
        if self.taken("next"):
            if self.loops or self.place:
                raise Unplayed("awk: next within a loop")
            self.emit(depth, "continue")
        elif self.taken("exit"):
            if self.peek() not in {"", ";", "\n", "}"}:
                self.emit(depth, f"status = int({self.number(self.expression())})")
            if self.place == "END":
                self.emit(depth, "return ''.join(out), status")
            elif self.loops or self.place == "BEGIN":
                raise Unplayed("awk: exit within a loop")
            else:
                self.emit(depth, "break")
        elif self.taken("print"):
            ended = self.peek() in {"", ";", "\n", "}"}
            printed = "line" if ended else self.text(self.expression())
            while self.taken(","):
                printed += f" + ' ' + {self.text(self.expression())}"
            self.emit(depth, f"out.append({printed} + '\\n')")
        elif self.taken("delete"):
            name = self.take()
            self.array(name, "n")
            self.take("[")
            self.emit(depth, f"a_{name}.pop({self.text(self.expression())}, None)")
            self.take("]")
        else:
            self.emit(depth, self.expression()[0])

    # Expressions.

    def scalar(self, name: str, kind: str) -> str:
        self.scalars[name] = kind if self.scalars.get(name, kind) == kind else "u"
        return f"v_{name}"

    def array(self, name: str, kind: str) -> None:
        self.arrays[name] = kind if self.arrays.get(name, kind) == kind else "u"

    @staticmethod
    def number(value: Typed) -> str:
        return value[0] if value[1] == "n" else f"number({value[0]})"

    @staticmethod
    def text(value: Typed) -> str:
        return value[0] if value[1] == "s" else f"text({value[0]})"

    @staticmethod
    def condition(value: Typed) -> str:
        return value[0] if value[1] in {"n", "s"} else f"truth({value[0]})"

    def expression(self) -> Typed:
        left = self._or()
        if self.peek() in {"?", ">"}:
            raise Unplayed("awk: a choice or redirection")
        return left

    def _or(self) -> Typed:
        left = self._and()
        while self.taken("||"):
            left = f"({self.condition(left)} or {self.condition(self._and())})", "n"
        return left

    def _and(self) -> Typed:
        left = self._in()
        while self.taken("&&"):
            left = f"({self.condition(left)} and {self.condition(self._in())})", "n"
        return left

    def _in(self) -> Typed:
        left = self._comparison()
        while self.taken("in"):
            name = self.take()
            self.array(name, "n")
            left = f"({self.text(left)} in a_{name})", "n"
        return left

    def _comparison(self) -> Typed:
        left = self._concatenation()
        sign = self.peek()
        if sign not in {"==", "!=", "<", "<=", ">="}:
            return left
        self.at += 1
        right = self._concatenation()
        if "s" in {left[1], right[1]}:
            return f"({self.text(left)} {sign} {self.text(right)})", "n"
        if left[1] == right[1] == "n":
            return f"({left[0]} {sign} {right[0]})", "n"
        return f"(order({left[0]}, {right[0]}) {sign} 0)", "n"

    def _concatenation(self) -> Typed:
        left = self._sum()
        while self._begins():
            left = f"({self.text(left)} + {self.text(self._sum())})", "s"
        return left

    def _begins(self) -> bool:
        token = self.peek()
        return token != "" and token != "in" and (
            token[0] in '"$(!' or token[0].isalnum() or token[0] == "_"
        ) and token != "!="  # fmt: skip

    def _sum(self) -> Typed:
        left = self._unary()
        while self.peek() in {"+", "-"}:
            sign = self.take()
            left = f"({self.number(left)} {sign} {self.number(self._unary())})", "n"
        return left

    def _unary(self) -> Typed:
        if self.taken("!"):
            return f"(not {self.condition(self._unary())})", "n"
        if self.taken("++"):
            return self._changed(self._name(), "+ 1")
        return self._postfix()

    def _changed(self, target: tuple[str, str], by: str) -> Typed:
        """What a variable or an element is, after its change."""
        name, key = target
        if key:
            self.array(name, "n")
            return f"setitem(a_{name}, {key}, number(a_{name}.get({key}, 0)) {by})", "n"
        return f"({self.scalar(name, 'n')} := number(v_{name}) {by})", "n"

    def _name(self) -> tuple[str, str]:
        name, key = self.take(), ""
        if self.taken("["):
            key = self.text(self.expression())
            self.take("]")
        return name, key

    def _postfix(self) -> Typed:
        token = self.take()
        if token == "(":
            inner = self.expression()
            self.take(")")
            return f"({inner[0]})", inner[1]
        if token == "$":
            field = self._unary_field()
            return field, "u"
        if token[0] == '"':
            return repr(re.sub(r"\\(.)", lambda match: _ESCAPES[match[1]], token[1:-1])), "s"
        if token.isdecimal():
            return token, "n"
        if not (token[0].isalpha() or token[0] == "_") or token in _RESERVED:
            raise Unplayed(f"awk: {token!r}")
        if token in {"FS", "NR", "NF"}:
            return {"FS": ("separator", "s"), "NR": ("row", "n"), "NF": ("count", "n")}[token]
        if self.peek() == "(":
            return self._call(token)
        self.at -= 1
        return self._variable()

    def _unary_field(self) -> str:
        token = self.take()
        if not token.isdecimal():
            raise Unplayed("awk: a field by a computed number")
        at = int(token)
        return "line" if at == 0 else f"(fields[{at - 1}] if count > {at - 1} else '')"

    def _call(self, name: str) -> Typed:
        self.take("(")
        arguments = [self.expression()]
        while self.taken(","):
            arguments.append(self.expression())
        self.take(")")
        if name == "length" and len(arguments) == 1:
            return f"len({self.text(arguments[0])})", "n"
        if name == "index" and len(arguments) == 2:
            whole, part = (self.text(argument) for argument in arguments)
            return f"({whole}.find({part}) + 1)", "n"
        raise Unplayed(f"awk: the function {name}")

    def _variable(self) -> Typed:
        name, key = self._name()
        if name == "ENVIRON":
            return f"environment.get({key}, '')", "u"
        sign = self.peek()
        if sign == "=":
            self.at += 1
            value, kind = self.expression()
            if key:
                self.array(name, kind)
                return f"setitem(a_{name}, {key}, {value})", kind
            return f"({self.scalar(name, kind)} := {value})", kind
        if sign == "+=":
            self.at += 1
            return self._changed((name, key), f"+ {self.number(self.expression())}")
        if sign in {"++", "--"}:
            self.at += 1
            by = "+ 1" if sign == "++" else "- 1"
            back = "-" if sign == "++" else "+"
            return f"({self._changed((name, key), by)[0]} {back} 1)", "n"
        if key:
            # To ask for an element makes it; of its kind are all that are assigned to.
            self.arrays.setdefault(name, "n")
            return f"a_{name}.setdefault({key}, z_{name})", "u"
        self.scalars.setdefault(name, "n")
        return f"v_{name}", "u"


def _tokens(program: str) -> Iterator[str]:
    at = 0
    program = program.strip()
    while at < len(program):
        if program[at] in " \t":
            at += 1
            continue
        if program[at] == "\n":
            yield "\n"
            at += 1
            continue
        match = _TOKEN.match(program, at)
        if match is None:
            raise Unplayed(f"awk: {program[at : at + 20]!r}")
        yield match[0].strip()
        at = match.end()


def _setitem(array: dict[str, Any], key: str, value: Any) -> Any:
    array[key] = value
    return value


def _single(array: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys of an array, in whose order nobody can rely."""
    if len(array) > 1:
        raise Unplayed("awk: an order of its own")
    return dict(array)


@cache
def compiled(program: str, separator: str, given: tuple[str, ...]) -> Program:
    """The function that does what a program does.

    Args:
        program: its text.
        separator: what is between fields, one character; empty: blanks.
        given: the names of the variables that are given by -v.

    Raises:
        Unplayed: it has something that is not known here.
    """
    compiler = _Compiler(program)
    begin, rules, end = compiler.program()
    lines = ["def run(whole, variables, environment):", "    out, status = [], 0"]
    for name, kind in compiler.scalars.items():
        start = f"variables[{name!r}]" if name in given else "0" if kind == "n" else "''"
        lines.append(f"    v_{name} = {start}")
    for name, kind in compiler.arrays.items():
        lines.append(f"    a_{name}, z_{name} = {{}}, {'0' if kind == 'n' else repr('')}")
    lines += [f"    separator, row = {separator or ' '!r}, 0", *begin]
    if rules or end:
        lines += [
            "    rows = whole.split('\\n')",
            "    if not rows[-1]: rows.pop()",
            "    for row, line in enumerate(rows, 1):",
            f"        fields = line.split({separator!r})" if separator else
            "        fields = line.split()",
            "        count = len(fields) if line else 0",
            *rules,
        ]  # fmt: skip
    lines += [*end, "    return ''.join(out), status"]
    space: dict[str, Any] = {
        "number": number, "text": text, "truth": truth, "order": order, "setitem": _setitem,
        "single": _single,
    }  # fmt: skip
    exec("\n".join(lines), space)
    return space["run"]  # type: ignore[no-any-return]
