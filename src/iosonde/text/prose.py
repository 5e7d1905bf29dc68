"""Whether a line is prose of a person or something that a program printed."""

from __future__ import annotations

import re

_GAP = re.compile(r"[ \t]{2,}|\t")
_LINE = 240  # characters that are looked at
_SENTENCE = frozenset({
    "a", "all", "an", "and", "are", "as", "be", "but", "by", "from", "had", "has", "have", "i",
    "if", "in", "is", "it", "my", "not", "of", "on", "our", "that", "the", "this", "to", "was",
    "we", "were", "with", "you", "your",
    "auf", "das", "der", "die", "ein", "eine", "für", "haben", "ich", "ist", "mit", "nicht", "oder",
    "sich", "sind", "und", "von", "welche", "wird", "zum",
    "avec", "dans", "est", "les", "pas", "pour", "que", "qui", "sont", "une",
    "con", "del", "está", "los", "para", "por", "una",
    "che", "della", "il", "per", "sono",
    "com", "não", "são", "uma",
    "dla", "jest", "nie", "się", "że",
    "bạn", "bằng", "các", "của", "cho", "được", "để", "không", "khi", "là", "một", "này", "như",
    "những", "sau", "sẽ", "trên", "trong", "và", "vào", "với",
    "в", "для", "и", "из", "как", "на", "не", "он", "по", "с", "что", "это",
})  # fmt: skip
"""Little words of English, German, French, Spanish, Italian, Portuguese, Polish, Vietnamese and
Russian."""


def is_sentence(line: str) -> bool:
    """Whether a line is prose of a person: words with blanks between, some of them little ones."""
    parts = line.split()
    if not line.isascii() and max(line[:_LINE]) > "\u2e7f":  # Chinese, Japanese, Korean
        return True
    if len(parts) < 4 or _GAP.search(line.strip()):
        return False
    small = (part for part in parts if part.lower().strip(".,;:!?()\"'") in _SENTENCE)
    if next(small, None) is None:
        return False
    return line.rstrip().endswith((".", ",", ":", "?", "!")) or next(small, None) is not None
