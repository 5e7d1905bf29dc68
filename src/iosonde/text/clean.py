"""Lines as the tool printed them, from lines as somebody passed them on.

Taken off: colours, quote marks of mail, code fences, escapes of Markdown, tags and entities of HTML
that were copied along, typographic quotes and dashes, quoted-printable.

Source:
    RFC 2045 section 6.7 (quoted-printable); RFC 3676 section 4.5 (quote marks); CommonMark 0.31,
    2.4 (backslash escapes) and 4.5 (fences); ECMA-48 8.3.117 (colours); ECMA-35 14.1 (character
    sets); xterm's ctlseqs, Operating System Commands.
"""

from __future__ import annotations

import html
import quopri
import re
from collections.abc import Sequence

_COLOUR = re.compile(
    r"\x1b(?:\[[0-9;?]*[A-Za-z]"  # colours, the cursor
    r"|[()][A-Z0-9]"  # character sets, as `tput sgr0` prints them
    r"|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)"  # titles, links
    r"|[=>78])"
)
_ESCAPE = re.compile(r"\\([_*\[\]<>#`~|-])")
_FENCE = re.compile(
    r"[ \t]*(?:(?:```+|~~~+)[\w+-]*[ \t]*|```+[ \t]*(?:\{[^`{}]{1,200}\}[ \t]*"
    r"|(?:bash|console|ini|log|output|plain(?:text)?|powershell|sh|shell(?:-session)?|te?xt|yaml)"
    r"(?:[ \t]{1,4}|(?=\{))[^`]{1,200}))"
)
_TILDES = re.compile(r"~{4,70}")
_TITLE = re.compile(r"\w[^=|;:{}<>\[\]$@\\]{3,69}")
_QUOTED = re.compile(r"[ \t]*(?:>(?!=\d)(?:[ \t]{1,12}(?=>)|[ \t]?))+")
_BARRED = re.compile(r"\|(?: (?! {0,3}[\d.]{1,6}th=\[)[^|]*)?")  # not fio's percentiles
_BARS = 3  # lines
_TAG = re.compile(
    r"</?(?:pre|code|b|i|em|strong|br|p|div|span|tt|samp|kbd|td|tr|li|ul|ol|a|u|font|small|big"
    r"|blockquote|center|hr|table|tbody|th|details|summary)(?=[\s/>{])[^<>]*>",
    re.IGNORECASE,
)
"""No headings: where one stands, an output has ended. Behind the name of a tag stands no part of an
address (`<p.smith@example.org>`)."""
_ENTITY = re.compile(r"&(?:gt|lt|amp|quot|nbsp|#\d{1,5}|#x[0-9a-f]{1,4});", re.IGNORECASE)
_BLANKS = re.compile(r"[\u00a0\r\n]")
_BOLD = re.compile(r"^([ \t]*)\*\*(?=\S)((?:(?!\*\*)[^\n]){1,400})(?<=\S)\*\*[ \t]*$", re.MULTILINE)
"""A line that is bold as a whole, as some mark the lines of an output."""
_SPAN = re.compile(r"\*\*(?<![\w*/\\]\*\*)(?=[^\s*/])([^*\n]{1,200}+)(?<=[^\s*/])\*\*(?![\w*])")
"""A part of a line that is bold: `read: **IOPS=99**`. Powers, globs, pointers and arguments of
Python (`2**30`, `**/*.c`, `char **a, **b`, `f(**a, **b)`) have no such pair."""
_REMARK = re.compile(
    r"(?<=\S)(?:[ \t]{1,40}(?:<={2,4}|<-{2,4}|←{1,3})(?![=-])[ \t]*"
    r"|[ \t]{2,40}<[=-][ \t]+)(?=\S)[^\n]*$",
    re.MULTILINE,
)
"""What an author wrote behind an arrow that points at the line: `64K   <== too small`."""
_CODE = re.compile(
    r"^([ \t]*)`(?!`)([^`\n]{1,400}(?:\n[^`\n]{0,400}){1,60})(?<!`)`[ \t]*$", re.MULTILINE
)
"""Lines between two single backticks, as some mark an output."""
_FOOTNOTE = re.compile(r"(?<=[^\s*])[ \t]{2,40}\*{2,6}\d{0,2}[ \t]*$", re.MULTILINE)
"""The mark of an author's note below: `28.79TiB   ****1`."""
_COMMENTED = re.compile(
    r"^([ \t]*[A-Z][A-Za-z ]{2,30}:[ \t]+\S(?:(?!  #)[^\n]){0,80}?)[ \t]{2,40}#[ \t]+[A-Za-z]"
    r"[^\n]*$",
    re.MULTILINE,
)
"""What an author wrote behind a value of a list: `Total to scrub:   248GiB   # wrong`."""
_ALIGNED = 3  # gaps of several blanks: no prompt, no setting in a file
_COLUMNS = re.compile(r"[ \t]{2,}")
_REMARKED = re.compile(r"[ \t]#(?:[ \t]+(?=[^\W\d_])|(?=[^\x00-\x7f]))")
"""The names of columns (`#PV`) have no blank behind their sign."""
_EXPLAINED = re.compile(
    r"(?<=[^\s#/])[ \t]{1,40}(?:#{1,3}|//)[ \t]{0,4}[^\n#/\"'\u2e80-\uffef]{0,24}"
    r"[\u2e80-\u9fff\uac00-\ud7af\uff01-\uff60][^\n\"']*$",
    re.MULTILINE,
)
"""A comment in Chinese, Japanese or Korean behind a line: `zroot  67.5G  2.20G   # 还没有变`. No
tool prints a number sign and then such letters."""
_LABEL = re.compile(
    r"Output(?:(?=[A-Z/●├\[])(?![A-Z]\w*[:=])| (?=Filesystem\s|● )"
    r"|(?=total \d|(?:sd|vd|xvd)[a-z]\d{0,3}\s|nvme\dn\d|(?:bash|cat|dd|df|du|e2fsck|fio|fsck|ls"
    r"|mdadm|mke2fs|mkfs|mount|ping|resize2fs|rsync|sudo|tar|umount)(?:\.\w{2,8})?: [\w/'\"]))"
)
"""The label above a block of a tutorial, which a page's text has in the block's first line: the
line is one that a tool begins its output with, and no name of somebody's (`OutputDir: x`)."""
_DEEP = 200  # characters before a label that are looked at
_DASHES = re.compile(
    r"(?<=[\s(])[–—](?=[A-Za-z])"
)  # an option's dashes, made one by a word processor
_SMART = {
    "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " ", "\u2009": " ", "\u202f": " ",
    "\u00ad": "", "\u200b": "", "\ufeff": "",
}  # fmt: skip
_SOFT = re.compile(rb"^[^\n]{60,75}[^=\n]=\r?$", re.MULTILINE)
_BARE = re.compile(rb"=(?!\r?\n|[0-9A-F]{2})")
_LONGEST = 1 << 13
"""Characters of a line that are kept. /proc/interrupts of 700 processors has so many; of what tools
print only JSON without line ends is longer. Many patterns take the square of it in time."""
_JSON = '":'


def clean(text: str) -> list[str]:
    """The clean lines of a block; the same number of lines as it has, each without end blanks."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", " ")
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if not text.isascii():
        text = _typed(text)
        if " #" in text or "\t#" in text or " //" in text:
            text = _EXPLAINED.sub("", text)
    text = _without_marks(text)
    lines = text.split("\n")
    if ">" in text:
        lines = [line[quote_marks(line) :] if ">" in line else line for line in lines]
    if "|" in text and ("\n|" in text or text.startswith("|") or "> |" in text):
        lines = _without_bars(lines)
    if ("`" in text and "```" in text) or ("~" in text and "~~~" in text):
        lines = _without_fences(lines)
    if len(text) > _LONGEST:
        lines = [line if _JSON in line[:_LONGEST] else line[:_LONGEST] for line in lines]
    return [line.rstrip() for line in lines]


def _without_marks(text: str) -> str:
    """The text without escapes, tags and entities, marks of bold and authors' arrows.

    A single character is looked for first: that is many times as quick as looking for two.
    """
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    if "<" in text and ("</" in text or "<br" in text or "<p" in text):
        text = _TAG.sub(lambda tag: "\n" * tag[0].count("\n"), text)
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    if "`" in text:
        text = _CODE.sub(r"\1\2", text)
    if "*" in text and "**" in text:
        text = _without(_FOOTNOTE, _SPAN.sub(r"\1", _BOLD.sub(r"\1\2", text)), "*")
    if "#" in text and (" #" in text or "\t#" in text):
        text = _without_comments(text)
    if "<" in text and ("<=" in text or "<-" in text):
        text = _without(_REMARK, text, "<")
    if "Output" in text:
        text = _LABEL.sub(_unlabelled, text)
    if "←" in text:
        text = _without(_REMARK, text, "←")
    return text


def _without_comments(text: str) -> str:
    """The text without what an author wrote behind number signs."""
    text = _COMMENTED.sub(r"\1", text) if "  #" in text or "\t#" in text else text
    return "\n".join(map(_without_remark, text.split("\n"))) if " #" in text else text


def _without_remark(line: str) -> str:
    """A row of aligned columns without what an author wrote behind a number sign."""
    match = _REMARKED.search(line) if " #" in line else None
    row = line[: match.start()].rstrip() if match else ""
    return row if len(_COLUMNS.findall(row.strip())) >= _ALIGNED else line


def _without_fences(lines: list[str]) -> list[str]:
    return [
        "" if _FENCE.fullmatch(line) and not is_underline(lines, at) else line
        for at, line in enumerate(lines)
    ]


def is_underline(lines: Sequence[str], at: int) -> bool:
    """Whether tildes are as long as the words above them, which they underline as a title.

    A fence has a partner of its length below it, which underlines nothing.
    """
    line = lines[at].rstrip()
    if not _is_under(lines, at):
        return False
    below = (place for place in range(at + 1, len(lines)) if lines[place].rstrip() == line)
    return next((_is_under(lines, place) for place in below), True)


def _is_under(lines: Sequence[str], at: int) -> bool:
    line, above = lines[at].rstrip(), lines[at - 1].rstrip() if at else ""
    return len(line) == len(above) and bool(_TILDES.fullmatch(line) and _TITLE.fullmatch(above))


def _character(entity: re.Match[str]) -> str:
    """The character of an entity; a blank where that is a blank of another kind or ends a line."""
    return _BLANKS.sub(" ", html.unescape(entity[0]))


def _unlabelled(label: re.Match[str]) -> str:
    """Nothing for a label in the first line of a block; elsewhere the word stays.

    Looking at what stands above it in the pattern would look there from every character.
    """
    above = label.string[max(label.start() - _DEEP, 0) : label.start()].rstrip(" \t")
    return "" if not above or above.endswith(("\n\n", "```\n")) else label[0]


def _without(pattern: re.Pattern[str], text: str, sign: str) -> str:
    """The text without what a pattern has in its lines, which holds the sign.

    Such a pattern begins with blanks, of which every line has some and few lines have the sign.
    """
    lines = text.split("\n")
    return "\n".join([pattern.sub("", line) if sign in line else line for line in lines])


def _without_bars(lines: list[str]) -> list[str]:
    """The lines without bars at the beginning of three or more: some mails quote by them.

    A table has more bars in a line, a tree has branches.
    """
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _BARRED.fullmatch(lines[end]):
            end += 1
        if end - at >= _BARS:
            lines[at:end] = [line[2:] for line in lines[at:end]]
        at = max(end, at + 1)
    return lines


def _typed(text: str) -> str:
    """The same as one types it; str.translate takes ten times as long."""
    for sign, plain in _SMART.items():
        text = text.replace(sign, plain)
    return _DASHES.sub("--", text) if "–" in text or "—" in text else text


def quote_marks(line: str) -> int:
    """How many characters of a line are marks of quoting, with the blanks between them."""
    match = _QUOTED.match(line)
    return match.end() if match else 0


def quote_depth(line: str) -> int:
    """How often a mail has quoted a line on: its marks of quoting."""
    return line[: quote_marks(line)].count(">") if ">" in line else 0


def is_quoted_printable(data: bytes) -> bool:
    """Whether a text is written in it: with =3D, with =20 at line ends, or with soft breaks."""
    soft = b"=\n" in data or b"=\r\n" in data
    coded = b"=3D" in data
    if coded and (soft or b"quoted-printable" in data):
        return True
    coded = coded or b"=20\n" in data or b"=20\r\n" in data
    return (coded or bool(soft and _SOFT.search(data))) and not _BARE.search(data)


def is_decoded(data: bytes) -> bool:
    """Whether a text that was in it is no longer: it has bare equals signs and none that is coded.

    Archives show mails so, with the headers as they were.
    """
    coded = b"=3D" in data or b"=\n" in data or b"=\r\n" in data or b"=20\n" in data
    return not coded and _BARE.search(data) is not None


def from_quoted_printable(data: bytes) -> tuple[bytes, list[int]]:
    """The text meant, and for each of its lines the number of the line where it began.

    Some mail programs code line ends too (=0A) and break the lines elsewhere.
    """
    whole, numbers, goes_on = [], list[int](), False
    for number, line in enumerate(data.split(b"\n"), 1):
        if not goes_on:
            numbers.append(number)
        piece = quopri.decodestring(line)
        numbers += [number] * piece.count(b"\n")
        goes_on = line.rstrip(b"\r").endswith(b"=")
        if goes_on and piece.endswith(b"\n"):
            numbers[-1] = number + 1  # `=0A=`: what follows begins in the next line
        whole.append(piece if goes_on else piece + b"\n")
    text = b"".join(whole)
    return (text if goes_on else text[:-1]), numbers
