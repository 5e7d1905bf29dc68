"""Whether a line of a text is the title of what stands below it, though nothing marks it.

A title that is missed leaves an output its own name, a wrong one is invented: in doubt it is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from iosonde.text.prose import is_sentence
from iosonde.text.written_between import is_repetition

_TITLE = re.compile(r"[A-Z0-9][^=|;:{}<>\[\]$@\\]{2,69}")
_PARAGRAPH = re.compile(r".{74,}[.!?:)\"'…]\s*")
"""A paragraph that nobody wrapped, as pages that were copied have them."""
_NUMBER = re.compile(r"\d{1,2}[.)] ")
_UNDER = re.compile(r"\s*(?:={4,}|-{4,})\s*")
FIGURES = re.compile(r"\s*\d[\d.,%\s-]*")
"""A row below a rule: what stands above the rule are the names of its columns."""
_RULE = re.compile(r"\s*(?:={4}|-{4})[=-]{0,60} ?\w")
"""What begins a part of an output: `=====Discovery Log Entry 0======`."""
_SENTENCES = re.compile(r"[.?!]\s+\S|\w'(?:t|m|ve|re|ll|d)\b")
_COLUMNS = re.compile(r"\S {3,}\S|\S {2,}\S.* {2,}\S")
_TREE = re.compile(r"\d+ director(?:y|ies), \d+ files?")
_FIGURE = re.compile(r"\d{4,}|\d\.\d|%")
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
    "after", "baseline", "before", "buffered", "client", "default", "defaults", "direct",
    "host", "local", "new", "old", "original", "patched", "random", "raw", "read", "reads",
    "remote", "result", "results", "sequential", "server", "setup", "stock", "tuned", "unpatched",
    "untuned", "write", "writes",
})  # fmt: skip
"""Single words that are a title in a mail, where others are a name below it."""
DECODED = frozenset({"All code", "Code starting with the faulting instruction"})
"""What scripts/decodecode of Linux underlines."""
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
_NAME = re.compile(r"\s*[A-ZÀ-Ý][\w.'-]*(?: [A-ZÀ-Ý][\w.'-]*){0,3}\s*")
_OPEN = frozenset({
    "an", "and", "as", "at", "by", "for", "from", "is", "of", "or", "that", "the", "to", "which",
    "with",
})  # fmt: skip
"""Words that a heading does not end with, and a wrapped line of prose often does."""
_END_OF_INPUT = frozenset({"EOF", "EOM", "EOT", "END"})
_ECHOED = 4  # words of a line between two outputs that is no part of either
_WRAPPED = 60  # characters that a line of prose has at least, with the word that had no place in it


def is_title(line: Callable[[int], str | None], index: int, first: int) -> bool:
    """Whether a line is a title: short, no sentence and no part of one, and it stands alone.

    Args:
        line: the line with an index, empty above the text, None where another output has it.
        index: of the line.
        first: index of the output's first line.
    """
    text, above, below = line(index) or "", line(index - 1), line(index + 1) or ""
    if not is_short(text) or not _may_name(text) or is_repetition(text):
        return False
    if above is None:
        # A script's echo before each of its runs stands between two outputs without a blank line.
        return index + 1 == first and len(text.split()) >= _ECHOED
    is_page = _PARAGRAPH.fullmatch(above) is not None
    if (above.strip() and not is_page) or _is_of_letter(line, index):
        return False
    if _begins_more(text, below, line(index + 2) or ""):
        return False
    is_last = index + 1 == first
    goes_on = not is_last and (below[:1].islower() or _is_wrapped(text, below))
    if goes_on or len(text.split()) > 1 or is_page:
        return not goes_on
    is_name = text.istitle() and text.lower() not in _BARE
    return not is_name and first - index <= 2 + (not below)


def is_short(text: str) -> bool:
    """Whether a line has so few words as a heading, and no signs that none has."""
    parts = text.split()
    return 1 <= len(parts) <= 9 and _TITLE.fullmatch(text.strip()) is not None


def _may_name(text: str) -> bool:
    """Whether a line is no sentence, no row of a table, and nothing that ends or opens a text."""
    parts = text.lower().split()
    if text.startswith((" ", "\t")) or text.rstrip().endswith((".", ",", "?", "--")):
        return False
    if text.endswith("!") and len(parts) > 3:
        return False
    unnumbered = _NUMBER.sub("", text, count=1)
    if _FIGURE.search(text) or _SENTENCES.search(unnumbered) or _COLUMNS.search(text):
        return False
    if _TREE.fullmatch(text) or text in _END_OF_INPUT | DECODED or parts[-1] in _OPEN:
        return False
    if unnumbered.count('"') % 2 or unnumbered.count("(") != unnumbered.count(")"):
        return False
    return not speaks(parts)


def speaks(parts: Sequence[str]) -> bool:
    """Whether somebody speaks to another in a line, or goes on from one before."""
    return parts[0] in _GOES_ON or not _SAID.isdisjoint(parts)


def _begins_more(text: str, below: str, next_below: str) -> bool:
    """Whether a line is the first one of an output, of a list, or of a table."""
    if _RULE.match(below) or (_NUMBER.match(text) and _NUMBER.match(below)):
        return True
    return _UNDER.fullmatch(below) is not None and FIGURES.fullmatch(next_below) is not None


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


def _is_wrapped(text: str, below: str) -> bool:
    """Whether prose goes on below a line, whose next word had no place in it."""
    parts = below.split(maxsplit=1)
    return bool(parts) and len(text) + 1 + len(parts[0]) >= _WRAPPED and is_sentence(below)
