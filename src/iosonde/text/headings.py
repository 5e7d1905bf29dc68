"""The heading above an output: what a person calls it.

A heading is marked (Markdown, wiki, underlined) and holds up to the next; or it is a title: a short
line that stands alone near an output, and holds while nothing but outputs and commands follows. A
title that is missed leaves an output its own name, a wrong one is invented: in doubt there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from iosonde.text.cursor import prompt_in
from iosonde.text.document import Document
from iosonde.text.prose import is_sentence

_MARKED = re.compile(
    r"\s*(?:#{1,6}\s+(?P<a>\S.*?)\s*#*|(?P<m>={2,6})\s*(?P<b>\w[^=]*?(?:=[^=]+?)?)\s*(?P=m)"
    r"|#{1,6}\[(?P<c>[A-Z][^\[\]]{2,70})\])\s*"
)
_COMMAND = re.compile(r"\s-{1,2}[A-Za-z]|/(?:dev|proc|sys|etc)/")  # after the prompt of root
_CALL = re.compile(
    r"\s*#\s+(?:cat|cd|cp|dmesg|echo|getconf|grep|ls|lsmod|lspci|mkdir|modprobe|rm|sudo|umount"
    r"|uname)(?:\s|$)"
)
_DRAWN = re.compile(r"<--|# CONFIG_")
"""A head that collectl draws, or what a configuration of the kernel leaves out."""
_ROW = re.compile(r"\s*#\s{1,2}\d{1,2}\s{2,}\S")
"""Of smartctl's log of self-tests: `# 1  Short offline       Completed without error`."""
_UNDERLINE = re.compile(r"\s*(?:={4,}|-{4,})\s*")
_TITLE = re.compile(r"[A-Z0-9][^=|;:{}<>\[\]$@\\]{2,69}")
_COMMENT = re.compile(r"\s*#(?: |$)")
_LOWER = re.compile(r"\s*# [^A-Z0-9*_`]")
"""A command of root's, or a comment; in Markdown the first heading of a page is rarely so."""
_PARAGRAPH = re.compile(r".{74,}[.!?:)\"'…]\s*")
"""A paragraph that nobody wrapped, as pages that were copied have them."""
_NUMBER = re.compile(r"\d{1,2}[.)] ")
_SENTENCES = re.compile(r"[.?!]\s+\S|\w'(?:t|m|ve|re|ll|d)\b")
_COLUMNS = re.compile(r"\S {3,}\S|\S {2,}\S.* {2,}\S")
_TREE = re.compile(r"\d+ director(?:y|ies), \d+ files?")
_SAID = frozenset({
    "i", "we", "you", "he", "me", "us", "my", "our", "your", "please", "cannot", "could", "did",
    "do", "does", "should", "will", "would", "kindly",
})  # fmt: skip
"""Words with which a person speaks to another, not of what stands below."""
_GOES_ON = frozenset({
    "and", "but", "done", "done,", "hence", "however", "if", "it", "or", "otherwise", "so", "that",
    "then", "there", "these", "this", "those", "trying", "while",
})  # fmt: skip
"""Words with which a sentence begins that goes on from another."""
_BARE = frozenset({
    "after", "baseline", "before", "buffered", "client", "default", "defaults", "direct", "guest",
    "host", "local", "new", "old", "original", "patched", "random", "raw", "read", "reads",
    "remote", "result", "results", "sequential", "server", "setup", "stock", "tuned", "unpatched",
    "untuned", "write", "writes",
})  # fmt: skip
"""Single words that are a title in a mail, where others are a name below it."""
_DECODED = frozenset({"All code", "Code starting with the faulting instruction"})
"""What scripts/decodecode of Linux underlines."""
_APART = 2
"""Lines of prose between outputs that a title reaches over."""
_WORD = re.compile(r"[^\W\d_]{2}")
_FAR = 12
"""Lines of prose between a title and its first output."""
_FIGURE = re.compile(r"\d{4,}|\d\.\d|%")
_GREETING = re.compile(
    r"\W{0,4}(?:hi|hello|hey|dear|hallo|bonjour|hola|greetings|good (?:morning|day|evening))\b"
    r"(?:\W{1,3}\w{1,30}){0,4}\W{0,8}",
    re.IGNORECASE,
)
_END_OF_LETTER = re.compile(
    r"\W{0,4}(?:(?:(?:\w{1,20} ){0,3}(?:thanks|thank you|thx|regards|cheers|wishes)|sincerely"
    r"|cordialement|(?:\w{1,20} ){0,2}gr(?:u|ü)(?:ß|ss)en?)\b(?:\W{1,3}\w{1,30}){0,4}"
    r"|sent from my\b.{0,40}|-- ?)\W{0,8}",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"(?:\W{0,4}(?:On|Am|Le|El|Op|Il|Den|At)\b[^\n]{6,200}|[^\n@]{0,80}@[\w.-]{3,80}>\s)"
    r"\b(?:wrote|writes|said|schrieb[^\n]{0,60}|écrit|escribió|schreef|skrev|scritto)\s?:\s*"
)
"""What mail programs put above the mail that is answered; what stands above it is not of that."""
_OPEN = frozenset({
    "an", "and", "as", "at", "by", "for", "from", "is", "of", "or", "that", "the", "to", "which",
    "with",
})  # fmt: skip
"""Words that a heading does not end with, and a wrapped line of prose often does."""
_END_OF_INPUT = frozenset({"EOF", "EOM", "EOT", "END"})
_WRAPPED = 60  # characters that a line of prose has at least, with the word that had no place in it
_NAME = re.compile(r"\s*[A-ZÀ-Ý][\w.'-]*(?: [A-ZÀ-Ý][\w.'-]*){0,3}\s*")
_STEP = 1 << 20  # bytes of a long text at once
_EMPHASIS = re.compile(r"^[*_`\s]+|[*_`\s]+$")


class HeadingsAbove(NamedTuple):
    """What stands above an output, up to the output before it.

    Args:
        marked: the nearest heading that is marked; empty where there is none.
        title: the nearest title, where no heading is nearer; else empty.
        is_apart: whether so much stands there that a title above it holds no longer.
    """

    marked: str
    title: str
    is_apart: bool


def headings_above(line: Callable[[int], str | None], first: int) -> HeadingsAbove:
    """The headings above a line; none is above the mail that is answered.

    Args:
        line: the line with an index, empty above the text, None where another output has it.
        first: index of the output's first line.
    """
    title, prose, has_short = "", 0, False
    for index in range(first - 1, -1, -1):
        text = line(index)
        if text is None:
            break
        if marked := _marked_at(line, index):
            return HeadingsAbove(marked, title, is_apart=True)
        if _ATTRIBUTION.fullmatch(text):
            return HeadingsAbove("", title, is_apart=True)
        if not _WORD.search(text) or prompt_in(text):
            continue
        if not title and prose <= _FAR and _is_title(line, index, first):
            title = _EMPHASIS.sub("", text)
        has_short |= _is_short(text) and line(index - 1) == ""
        prose += 1
    return HeadingsAbove("", title, has_short or prose > _APART)


def _marked_at(line: Callable[[int], str | None], index: int) -> str:
    """The words of a marked heading; empty where a line is none, or one of several comments."""
    text = line(index) or ""
    near = (line(index - 1) or "", line(index + 1) or "")
    if _UNDERLINE.fullmatch(near[1]) and _is_short(text):
        return "" if text in _DECODED else _EMPHASIS.sub("", text)
    heading = marked_heading(text)
    if heading and _COMMENT.match(text) and (
        any(map(_COMMENT.match, near)) or _speaks(heading.lower().split())
    ):  # fmt: skip
        return ""
    return heading


def marked_between(document: Document, start: int, below: tuple[int, int], lines: range) -> str:
    """The last heading of Markdown in a part of a document that no parser looked at.

    Args:
        document: to look at.
        start: offset from which on.
        below: number and offset of a line at or below its end.
        lines: numbers of those that no output has.
    """
    data, (number, offset) = document.data, below
    end = offset
    while end > start:
        at = data.rfind(b"\n#", start, end) + 1
        if at == 0 and (start > 0 or data[:1] != b"#"):
            break
        parts = range(at, offset, _STEP)
        own = number - sum(data[low : min(low + _STEP, offset)].count(b"\n") for low in parts)
        if own in lines:
            near = data[max(at - 200, 0) : at + 400].decode(errors="replace").split("\n")
            here = data[max(at - 200, 0) : at].count(b"\n")
            return _marked_at(dict(enumerate(near)).get, here)
        if own < lines.start or at == 0:
            break
        end = at
    return ""


def _is_of_letter(line: Callable[[int], str | None], index: int) -> bool:
    """Whether a line greets, thanks or ends a letter, or is the name below such an end."""
    text = line(index) or ""
    if _GREETING.fullmatch(text) or _END_OF_LETTER.fullmatch(text):
        return True
    if not _NAME.fullmatch(text):
        return False
    above = line(index - 1)
    if above is not None and not above.strip():
        above = line(index - 2)
    return bool(above and _END_OF_LETTER.fullmatch(above))


def marked_heading(line: str) -> str:
    """The words of a line that Markdown or a wiki marks as a heading; empty where it is none."""
    marked = _MARKED.fullmatch(line)
    if marked is None or _LOWER.match(line):
        return ""
    if _COMMAND.search(line) or _CALL.match(line) or _ROW.match(line) or _DRAWN.search(line):
        return ""
    return _EMPHASIS.sub("", marked["a"] or marked["b"] or marked["c"])


def _is_short(text: str) -> bool:
    """Whether a line may be a heading by its words."""
    parts = text.split()
    return 1 <= len(parts) <= 9 and _TITLE.fullmatch(text.strip()) is not None


def _is_title(line: Callable[[int], str | None], index: int, first: int) -> bool:
    """Whether a line is a title: short, no sentence and no part of one, and it stands alone."""
    text, above, below = line(index) or "", line(index - 1), line(index + 1) or ""
    if not _is_short(text) or above is None or not _may_name(text):
        return False
    is_page = _PARAGRAPH.fullmatch(above) is not None
    if (above.strip() and not is_page) or _is_of_letter(line, index):
        return False
    is_last = index + 1 == first
    if not is_last and (below[:1].islower() or _is_wrapped(text, below)):
        return False
    if len(text.split()) > 1 or is_page:
        return True
    is_name = text.istitle() and text.lower() not in _BARE
    return not is_name and first - index <= 2 + (not below)


def _may_name(text: str) -> bool:
    """Whether a line is no sentence, no row of a table, and nothing that ends or opens a text."""
    parts = text.lower().split()
    if text.startswith((" ", "\t")) or text.rstrip().endswith((".", ",", "?", "--")):
        return False
    if text.endswith("!") and len(parts) > 3:
        return False
    words = _NUMBER.sub("", text, count=1)
    if _FIGURE.search(text) or _SENTENCES.search(words) or _COLUMNS.search(text):
        return False
    if _TREE.fullmatch(text) or text in _END_OF_INPUT | _DECODED or parts[-1] in _OPEN:
        return False
    if words.count('"') % 2 or words.count("(") != words.count(")"):
        return False
    return not _speaks(parts)


def _speaks(words: Sequence[str]) -> bool:
    """Whether somebody speaks to another in a line, or goes on from one before."""
    return words[0] in _GOES_ON or not _SAID.isdisjoint(words)


def _is_wrapped(text: str, below: str) -> bool:
    """Whether prose goes on below a line, whose next word had no place in it."""
    parts = below.split(maxsplit=1)
    return bool(parts) and len(text) + 1 + len(parts[0]) >= _WRAPPED and is_sentence(below)
