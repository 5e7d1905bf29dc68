"""Paragraphs without a command above them that look like an output: kept as they are printed.

Lines of a daemon's log, rows that somebody cut out of a table, checksums, a warning of a checker.
What makes them an output is what they are made of: more figures, paths and names with signs in
them than plain words, no little words of prose, nothing that a compiler, a mailer or a shell reads.
Nothing is concluded from them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import dedent

from iosonde.text.figures import has_digit
from iosonde.text.log_lines import log_prefix
from iosonde.text.programs import NO_FIGURES, is_program
from iosonde.text.prose import is_sentence
from iosonde.text.shell import called, is_prompt, program_of

_MOST = 60  # lines
_LONGEST = 400  # characters of a line
_LOOKED = 240  # characters of a line that say of what kind it is
_FEW = 3  # lines, parts of a line
_CELLS = 6  # parts of a row
_FENCED = 0.3  # of the lines of a fenced block may be written by somebody
_LONGEST_FENCED = 1000  # characters of a line
_STRANGE = 0.25  # of the lines may be of another kind
_FOREIGN = 0.2  # of the letters
_LETTERS = 0.4  # of the signs of a paragraph are letters or figures; fewer in a drawing
_SMALL = 0.08  # of all parts may be little words
_LITTLE = frozenset({
    "a", "all", "also", "an", "and", "any", "are", "as", "be", "been", "both", "but", "by", "can",
    "could", "did", "do", "does", "for", "get", "had", "has", "have", "he", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "like", "may", "me", "might", "more", "my", "of", "on",
    "only", "or", "our", "please", "same", "should", "so", "some", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "us", "use",
    "very", "was", "way", "we", "well", "were", "what", "when", "where", "which", "while", "who",
    "why", "will", "with", "would", "you", "your",
})  # fmt: skip
_EDGES = "([<{\"'*_.,;:!?)]>}…。"
_JOINTS = re.compile(r"['/’-]")
_NUMBER = re.compile(r"[(\"']?\d{1,4}(?:st|nd|rd|th)?[.,;:)?\"']*")
"""A number as prose has them, too."""
_BEGINS = re.compile(
    r"\s*+(?:"
    + "|".join((
        r"[{}]|[\"'][\w.-]+[\"']\s?:",  # JSON
        r"//|/\*|\*\s|[a-z]{2,8}\s+%[a-z]",  # source code, also of assemblers
        r"(?:if|for|while|until|case|switch|return|static|struct|else|elif|then|fi|done|esac|goto"
        r"|void|int|unsigned|const|enum|typedef|extern|do|try|def|class|import|union|function"
        r"|local|export)\b",
        r"(?:0x)?[0-9a-f]{1,16}(?: <[^<>]{1,80}>)?:\s+(?:(?:[0-9a-f]{2}\s){1,15}|[a-z]{2,8}\s+\S)",
        r">?\s?\d{1,5}\t|[0-9a-f]{12,16} .{1,50} \d{4}-\d\d-\d\d ",  # numbered source
        r"\S{1,120}\s{1,80}\|\s{1,8}(?:\d{1,9} [-+]*|Bin )|\d{1,9} files? changed",  # patches
        r"(?:create|delete|rename|copy|new|deleted|old|similarity) (?:file )?(?:mode|index)",
        r"[-+]\S*[A-Za-z]|[<>] |\d{1,9}(?:,\d{1,9})?[acd]\d{1,9}(?:,\d{1,9})?$",  # lines of patches
        r"v\d{1,2}\b|\[ ?(?:PATCH|Upstream)|git@",
        r"[-+*•]\s|\(?[0-9a-zA-Z]{1,3}[.)]\s|\[(?:\d{1,3}|[A-Z])\]:?(?:\s|$)",  # points, notes
        r"!\[[^\]]{0,80}\]\(|\$\$|\(parted\) |\W?>>>? ",  # pictures, formulas, other prompts
        r"_{20,}|-- ?$|</?[a-z]{1,10}>|[\w.+/$~-]{44,}$",  # ends of mails, tags, base64
        r"[#❯%] ?[a-z./]|# #|\[?[\w.@()-]{1,60}[: ]?[\w.:~/-]{0,40}\]? ?[$#](?: |$)",  # prompts
        r"[A-Za-z_]\w{1,30}=(?:[\"'`$(/]\S*)?$",  # a variable of a script
    ))
    + ")"
)  # fmt: skip
"""How lines begin that a compiler, a mailer or a shell reads."""
_HOLDS = re.compile(
    r"\$[A-Za-z_({]|&&|\|\||->\w|[\w)] == |!= |[?:+]=|\w\(\);?$|=\"|;\s*//"
    r"|^\s*(?:-> |[#$] )|(?:[;{}]|\*/|\\)$"
    r"|\blist \*\(|https?:/"
    r"|\d{4}[-/]\d{1,2}[-/]\d{1,2} \d{1,2}:\d\d.{0,80}:$|\d{1,2}/\d{1,2}/\d{4} .{1,80}:$"
    r"|<[^\s<>@]{1,60}@[^\s<>]{1,60}>.{0,40}[:：]$|写道[:：]$"  # who wrote what is quoted
)
"""What they hold."""
_FIELD = re.compile(
    r"\s*+(?:from|to|cc|bcc|subject|date|sent|message-id|reply-to|received|[\w-]{1,40}-by"
    r"|mime-version|content-[\w-]{1,40}|in-reply-to|references|fixes|links?|closes|user-agent"
    r"|(?:x|list|prerequisite)-[\w-]{1,40}|base-commit|change-id|tel|phone|mobile|fax|e-?mail"
    r"|depends-on|git|url"
    r"|web|bugzilla|cves?|blog|irc|pgp|gpg|tree|branch|head|baseline|repo|commit"
    r"|hi|hello|dear|hey|thanks?|regards|cheers|best|sincerely|kind|acked|nack|ditto|and"
    r"|on\b.{1,200}\bwrote)\b[\s:,.!]",
    re.IGNORECASE,
)
"""Fields of mails and of commits, greetings."""
_WRITTEN = re.compile(
    r"\s*+(?:[\])]|#(?! (?:HELP|TYPE) )|-{1,3}(?:\s|$)|<[/\w!]|[\w.-]{1,60}:\s*$"
    r"|(?:apiVersion|kind|metadata|spec|name|image|namespace|labels|type|args|command|env):"
    r"|(?:from|var|let)\b|[A-Za-z_]\w{1,30}=\S*$|[-+][^\d\s])"
    r"|.*(?:[;{}]|\*/|\\|\\n)$"
)
"""What else a person writes in a fenced block: files of settings, scripts, source code."""
_PATCH = ("@@ ", "diff --git ", "index ", "+++ ")
_APART = re.compile(r"[-=*#~+| _]{3,}|[\[<(]?(?:\.{2,}|…|snip|cut|omitted)\b.{0,20}", re.IGNORECASE)
"""What is drawn between lines, and what a person writes where lines were."""
_FIGURE = re.compile(r"[\d:.,]+|[0-9a-f]+")
_CALLED = NO_FIGURES | {
    "blkdiscard", "dd", "exportfs", "kpartx", "losetup", "modprobe", "rmmod", "sleep", "sudo",
    "sync", "truncate", "umount",
}  # fmt: skip
"""Programs that a line of a script begins with, beside those whose output is known."""
_CALL = re.compile(
    r"\s*(?:sudo )?[a-z][\w.+-]{1,30}(?: [a-z][\w-]{1,20}){0,2}(?: -{1,2}[A-Za-z][\w=,./-]{0,80})"
    r"(?:[^|:]|:(?! )|\|(?=[ ]))*|[^|]{1,200} >{1,2} ?[/~$]\S{1,200}"
)
"""What has the form of a command: small words, then an option; or it writes to a file."""
_OPERAND = re.compile(r"\s*\S+ (?:[a-z/.$-]|\d+ >)")
_TECHNICAL = {"introduced": 0.35, "several": 0.5, "alone": 0.65}
"""Of the parts of a paragraph, how many are no plain words: the less speaks for it, the more."""


def loose_lines(lines: Sequence[str], *, introduced: bool) -> list[str] | None:
    """The lines of a paragraph that looks like an output, without what all are indented by.

    Args:
        lines: clean ones that belong together, none of them blank.
        introduced: the line above ends with a colon, or the paragraph is a part of something read.

    Returns:
        None where it is prose, source code, a patch, commands, the head of a mail or its end.
    """
    has_figure = any(map(has_digit, lines))
    if len(lines) > _MOST or max(map(len, lines)) > _LONGEST or not has_figure:
        return None
    own = [line for line in lines if not _APART.fullmatch(line.strip())]
    is_output = _is_technical(lines, introduced) or _are_cells(own)
    if any(line.startswith(_PATCH) for line in lines) or not is_output:
        return None
    strange = sum(_is_strange(line) for line in own)
    if strange > _STRANGE * len(own) or _is_drawn(lines):
        return None
    return dedent("\n".join(lines)).split("\n")


def fenced_lines(lines: Sequence[str]) -> list[str] | None:
    """The lines of a block that somebody fenced off as an output, or as what else a machine says.

    Args:
        lines: clean ones, blank ones among them.

    Returns:
        None where most of it is a script, source code, a patch or prose, or it holds no figure.
    """
    own = [line for line in lines if line.strip()]
    has_figure = any(map(has_digit, own))
    if not has_figure or len(own) > _MOST or max(map(len, own)) > _LONGEST_FENCED:
        return None
    others = sum(_is_written(line) or _is_call(line) for line in own)
    if others > _FENCED * len(own) or any(line.startswith(_PATCH) for line in own):
        return None
    if _FIGURE.fullmatch("".join(part for line in own for part in line.split())):
        return None
    return dedent("\n".join(own)).split("\n")


def _is_written(line: str) -> bool:
    """Whether a person wrote a line: prose, source code, a field of a mail."""
    looked = line[:_LOOKED]
    if (is_sentence(looked) and ": " not in looked) or _is_foreign(looked):
        return True
    return any(pattern.match(looked) for pattern in (_WRITTEN, _BEGINS, _FIELD))


def _is_technical(lines: Sequence[str], introduced: bool) -> bool:
    """Whether the parts of lines are figures, paths and names with signs rather than prose."""
    parts = [part for line in lines for part in line.split()]
    if (len(parts) < _FEW and not introduced) or _FIGURE.fullmatch("".join(parts)):
        return False
    small = sum(part.lower().strip(".,;:!?()\"'") in _LITTLE for part in parts)
    if small > _SMALL * len(parts) + introduced:
        return False
    indented = all(line[0] in " \t" for line in lines)
    sort = "several" if len(lines) > 1 else "alone"
    are_rows = len(lines) >= _FEW and not small and all(map(has_digit, lines))
    least = _TECHNICAL["introduced" if introduced or indented or are_rows else sort]
    plain = sum(
        _is_plain(part) or (small > 0 and _NUMBER.fullmatch(part) is not None) for part in parts
    )
    return len(parts) - plain >= least * len(parts)


def _are_cells(lines: Sequence[str]) -> bool:
    """Whether lines are rows of a table: as many parts in each, a figure, and no little word."""
    rows = [line.split() for line in lines]
    if len(rows) < _FEW or len({len(row) for row in rows}) > 1 or len(rows[0]) < _CELLS:
        return False
    small = any(part.lower().strip(".,;:!?()\"'") in _LITTLE for row in rows for part in row)
    return not small and all(map(has_digit, lines))


def _is_plain(part: str) -> bool:
    """Whether a part of a line is one of prose: a word, words with a joint, a name in capitals."""
    bare = part.strip(_EDGES)
    if bare.isalpha():
        return not bare.isascii() or bare[1:].islower() or bare.isupper()
    return not bare.startswith("/") and all(
        piece.isalpha() or not piece for piece in _JOINTS.split(bare)
    )


def _is_drawn(lines: Sequence[str]) -> bool:
    """Whether lines are a drawing: hardly a letter or a figure in them. A rule is none."""
    own = [line for line in lines if line.strip(" -=")]
    signs = [char for line in own for char in line if not char.isspace()]
    return sum(map(str.isalnum, signs)) < _LETTERS * len(signs)


def _is_strange(line: str) -> bool:
    """Whether a line is for a compiler, a mailer or a shell to read."""
    if log_prefix(line) is not None:
        return False
    looked = line[:_LOOKED]
    if not line.isascii() and _is_foreign(looked):
        return True
    if _BEGINS.match(looked) or _FIELD.match(looked) or _HOLDS.search(looked):
        return True
    return _is_call(line)


def _is_foreign(line: str) -> bool:
    """Whether a line is prose in a language that has other letters."""
    letters = [char for char in line if char.isalpha()]
    return sum(not char.isascii() for char in letters) > _FOREIGN * len(letters)


def _is_call(line: str) -> bool:
    """Whether a line is a command, at a prompt or without."""
    name = program_of(line)
    is_call = (name in _CALLED or is_program(name)) and _OPERAND.match(line) and ": " not in line
    return bool(is_call or _CALL.fullmatch(line)) or is_prompt(line) or called(line)
