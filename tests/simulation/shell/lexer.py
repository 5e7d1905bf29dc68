"""The shell's text, cut into words and signs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from tests.simulation.shell.arithmetic import arithmetic
from tests.simulation.shell.errors import Unplayed
from tests.simulation.shell.expansion import Part, Text, quoted, text_of, without

if TYPE_CHECKING:
    from tests.simulation.shell.process import Process

Body: TypeAlias = "Callable[[Process], int]"

_SIGNS = (";;", "&&", "||", ">>", ">&", "<&", ";", "&", "|", "(", ")", "<", ">", "\n")
_ENDS = frozenset(" \t\n;&|()<>")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@#?$!*-]")


class Word:
    """A word: its parts, the same as a pattern, and its text if that is plain and unquoted."""

    __slots__ = ("name", "parts", "patterns", "whole")

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.patterns: list[Part] = []
        self.whole: str | None = ""
        """The text, where nothing in it is quoted or substituted; as for reserved words."""
        self.name: str | None = ""
        """The text, where nothing in it is substituted."""

    def letters(self, text: str, *, quote: bool) -> None:
        """Add text that stands there as it is."""
        names = not quote and len(text) > 1 and any(sign in text for sign in "*?[")
        # Where names of files may come of it, it is refused when it is expanded.
        self.parts.append(((lambda _: text), True) if names or text == "*" else text)
        self.patterns.append(quoted(text) if quote else text)
        self.whole = None if quote or self.whole is None else self.whole + text
        self.name = None if self.name is None else self.name + text

    def value(self, get: Text, *, quote: bool) -> None:
        """Add what is substituted."""
        self.parts.append((get, not quote))
        self.patterns.append(((lambda process: quoted(get(process))) if quote else get, False))
        self.whole = self.name = None

    def every(self) -> None:
        """Add "$@"."""
        self.parts.append(None)
        self.whole = self.name = None

    def pattern(self) -> Text:
        """The pattern, as a text in which what was quoted is so by backslashes."""
        return text_of(self.patterns)


class Lexer:
    """Reads words and signs, one after the other; `body` is what reads the commands in `$(`."""

    def __init__(self, text: str, body: Callable[[Lexer, str], Body]) -> None:
        self.text, self.at, self._body = text, 0, body

    def blanks(self) -> None:
        """Skip blanks and comments."""
        text = self.text
        while self.at < len(text):
            sign = text[self.at]
            if sign in " \t":
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif sign == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    def sign(self) -> str:
        """The sign that comes next, which stays; "": a word or the end."""
        self.blanks()
        return next((sign for sign in _SIGNS if self.text.startswith(sign, self.at)), "")

    def peek(self) -> str:
        """The sign or plain word that comes next, which stays; "": another word, or the end."""
        sign = self.sign()
        if sign:
            return sign
        start = self.at
        match = re.compile(r"[^\s;&|()<>\"'`$\\]+").match(self.text, start)
        if match and (match.end() == len(self.text) or self.text[match.end()] in _ENDS):
            return match[0]
        return ""

    def take(self, wanted: str) -> None:
        """Pass over a sign or plain word."""
        if self.peek() != wanted:
            self.wrong(wanted)
        self.at += len(wanted)

    def taken(self, *wanted: str) -> bool:
        """Whether one of them came next, and was passed over."""
        token = self.peek()
        if token in wanted and token:
            self.at += len(token)
            return True
        return False

    def ended(self) -> bool:
        """Whether a word would end here."""
        return self.at >= len(self.text) or self.text[self.at] in _ENDS

    def wrong(self, what: str) -> None:
        """Say that the text is not understood.

        Raises:
            Unplayed: always.
        """
        raise Unplayed(f"the shell: {what} was expected at {self.text[self.at : self.at + 30]!r}")

    def newlines(self) -> None:
        """Skip the ends of lines."""
        while self.taken("\n"):
            pass

    def word(self) -> Word:
        """The next word."""
        self.blanks()
        word, text = Word(), self.text
        start = self.at
        while self.at < len(text) and text[self.at] not in _ENDS:
            self._piece(word, "")
        if self.at == start:
            self.wrong("a word")
        return word

    def _piece(self, word: Word, within: str) -> None:
        """One part of a word; `within` is the closing sign of a parameter's word."""
        text, sign = self.text, self.text[self.at]
        if sign == "'":
            end = text.index("'", self.at + 1)
            word.letters(text[self.at + 1 : end], quote=True)
            self.at = end + 1
        elif sign == '"':
            self.at += 1
            self._double(word)
        elif sign == "\\":
            word.letters(text[self.at + 1], quote=True)
            self.at += 2
        elif sign == "$":
            self._dollar(word, quote=False)
        elif sign == "`":
            self.wrong("no backquote")
        else:
            end = self.at + 1
            stops = "'\"\\$`" + within
            while end < len(text) and text[end] not in stops and (within or text[end] not in _ENDS):
                end += 1
            word.letters(text[self.at : end], quote=False)
            self.at = end

    def _double(self, word: Word) -> None:
        text = self.text
        if text[self.at] == '"':
            word.letters("", quote=True)
        while text[self.at] != '"':
            sign = text[self.at]
            if sign == "\\" and text[self.at + 1] in '$`"\\\n':
                word.letters("" if text[self.at + 1] == "\n" else text[self.at + 1], quote=True)
                self.at += 2
            elif sign == "$":
                self._dollar(word, quote=True)
            else:
                end = self.at + 1
                while text[end] not in '"$`\\':
                    end += 1
                word.letters(text[self.at : end], quote=True)
                self.at = end
        self.at += 1

    def _dollar(self, word: Word, *, quote: bool) -> None:
        text = self.text
        if text.startswith("$((", self.at):
            self.at += 3
            end = self._matching()
            word.value(arithmetic(text[self.at : end]), quote=quote)
            self.at = end + 2
            return
        if text.startswith("$(", self.at):
            self.at += 2
            body = self._body(self, ")")
            self.take(")")
            word.value(lambda process: process.output(body), quote=quote)
            return
        braced = text.startswith("${", self.at)
        start = self.at + 1 + braced
        if braced and text[start] == "#" and text[start + 1] != "}":
            self.wrong("no length")
        match = _NAME.match(text, start)
        if match is None:
            word.letters("$", quote=quote)
            self.at += 1
            return
        self.at = match.end()
        if match[0] == "@" and quote and not braced:
            word.every()
            return
        get = parameter(match[0])
        if braced:
            get = self._operation(match[0], get)
        word.value(get, quote=quote)

    def _matching(self) -> int:
        depth, at = 0, self.at
        while depth or not self.text.startswith("))", at):
            depth += {"(": 1, ")": -1}.get(self.text[at], 0)
            at += 1
        return at

    def _operation(self, name: str, get: Text) -> Text:
        """What stands between a parameter's name and `}`."""
        text = self.text
        if text[self.at] == "}":
            self.at += 1
            return get
        sign = next(
            (choice for choice in (":-", "##", "%%", "#", "%") if text.startswith(choice, self.at)),
            "",
        )
        if not sign:
            self.wrong("a known operation")
        self.at += len(sign)
        word = Word()
        while text[self.at] != "}":
            self._piece(word, "}")
        self.at += 1
        if sign == ":-":
            other = text_of(word.parts)
            return lambda process: get(process) or other(process)
        taken = word.pattern()
        return lambda process: without(get(process), sign, taken(process))


def parameter(name: str) -> Text:
    """The value of a parameter."""
    if name.isdecimal():
        at = int(name) - 1
        if at < 0:
            return lambda process: process.name
        return lambda process: process.positional[at] if len(process.positional) > at else ""
    if name in {"@", "*"}:
        return lambda process: " ".join(process.positional)
    if name == "#":
        return lambda process: str(len(process.positional))
    if name == "?":
        return lambda process: str(process.status)
    if name == "$":
        from tests.simulation.shell.place import PID

        return lambda _: PID
    if name in {"!", "-"}:
        raise Unplayed(f"the parameter {name}")
    return lambda process: process.variables.get(name, "")
