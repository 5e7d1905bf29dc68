"""The heading above an output: what a person calls it."""

from __future__ import annotations

import re
from collections.abc import Callable

from iosonde.text.document import Document
from iosonde.text.prose import is_sentence

_MARKED = re.compile(
    r"\s*(?:#{1,6}\s+(?P<a>\S.*?)\s*#*|(?P<m>={2,6})\s*(?P<b>\w.*?)\s*(?P=m)"
    r"|#{1,6}\[(?P<c>[A-Z][^\[\]]{2,70})\])\s*"
)
_COMMAND = re.compile(r"\s-{1,2}[A-Za-z]|/(?:dev|proc|sys|etc)/")  # after the prompt of root
_CALL = re.compile(
    r"\s*#\s+(?:cat|cd|cp|dmesg|echo|getconf|grep|ls|lsmod|lspci|mkdir|modprobe|rm|sudo|umount"
    r"|uname)(?:\s|$)"
)
_ROW = re.compile(r"\s*#\s{1,2}\d{1,2}\s{2,}\S")
"""Of smartctl's log of self-tests: `# 1  Short offline       Completed without error`."""
_UNDERLINE = re.compile(r"\s*(?:={4,}|-{4,})\s*")
_TITLE = re.compile(r"[A-Z0-9][^=|;:{}<>\[\]$@\\]{2,69}")
_ENDED = re.compile(r"[.!?:)\"'…]\s*$|^\s*$")
_FIGURE = re.compile(r"\d{3,}|\d\.\d|%")
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


def heading_above(line: Callable[[int], str | None], first: int) -> str:
    """The nearest heading above a line.

    A heading is marked (Markdown, wiki, underlined), or a short line that begins with a capital,
    has no end of a sentence, and neither goes on a paragraph nor begins one. None is above the mail
    that is answered.

    Args:
        line: the line with an index, None outside of what may be looked at.
        first: index of the output's first line.

    Returns:
        Its words; empty where there is none.
    """
    for index in range(first - 1, -1, -1):
        text = line(index)
        if text is None:
            break
        if marked := marked_heading(text):
            return marked
        if _ATTRIBUTION.fullmatch(text):
            break
        if _is_title(text, line(index - 1), line(index + 1)) and not _is_of_letter(line, index):
            return _EMPHASIS.sub("", text)
    return ""


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
            return marked_heading(data[at : at + 200].split(b"\n")[0].decode(errors="replace"))
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
    no_heading = _COMMAND.search(line) or _CALL.match(line) or _ROW.match(line)
    if marked is None or no_heading or "<--" in line:
        return ""  # root's command, or a head that collectl draws
    return _EMPHASIS.sub("", marked["a"] or marked["b"] or marked["c"])


def _is_title(text: str, before: str | None, after: str | None) -> bool:
    parts = text.split()
    if not 1 <= len(parts) <= 9 or not _TITLE.fullmatch(text.strip()):
        return False
    if after and _UNDERLINE.fullmatch(after):
        return True
    ended = text.rstrip().endswith((".", ",", "?")) or (text.endswith("!") and len(parts) > 3)
    if ended or _FIGURE.search(text) or text.startswith((" ", "\t")) or text in _END_OF_INPUT:
        return False
    if parts[-1] in _OPEN or _is_wrapped(text, after or ""):
        return False
    return before is None or bool(_ENDED.search(before))


def _is_wrapped(text: str, below: str) -> bool:
    """Whether prose goes on below a line, whose next word had no place in it."""
    parts = below.split(maxsplit=1)
    return bool(parts) and len(text) + 1 + len(parts[0]) >= _WRAPPED and is_sentence(below)
