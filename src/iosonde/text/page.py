"""The text of an HTML page, line for line as a reader sees it, with the line of its source."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser

_BREAKS = frozenset({
    "address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer", "form",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "tr", "ul",
})  # fmt: skip
_CELLS = frozenset({"td", "th"})
_UNSEEN = frozenset({"script", "style", "template", "head"})
_UNFINISHED = 100  # tags and comments that nothing ends, after which a page is no page any more
_GUTTERS = frozenset({
    "gutter", "rouge-gutter", "lineno", "linenos", "linenodiv", "lnt", "crayon-nums",
    "hljs-ln-numbers",
})  # fmt: skip
"""Classes of what holds the numbers of a block's lines beside it: SyntaxHighlighter and Hexo,
Rouge, Pygments, Chroma, Crayon, highlight.js. A number that stands alone is no output."""
_NUMBERED = frozenset({"td", "div", "span", "pre"})
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}


def text_of_page(data: bytes, _name: str = "") -> tuple[bytes, Sequence[int]]:
    """The text, and the line of the source where each of its lines began.

    Headings begin with number signs and cells of a table are divided by bars, as in Markdown.
    """
    reader = _Reader()
    reader.feed(data.decode(errors="replace"))
    reader.end()
    reader.end_line()
    return "\n".join(reader.lines).encode(), reader.numbers


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.numbers = array("I")
        self._line: list[str] = []
        self._text = False  # whether anything but blanks is in it
        self._began = 1
        self._kept = 0  # depth of <pre>
        self._unseen = 0
        self._gutter = ""  # the tag that holds numbers of lines, where the page is within one
        self._nested = 0  # of the same tag within it

    def end(self) -> None:
        """The page is complete: of a tag or comment that is not, go on after its first ">".

        HTMLParser.close does so as well, but looks through all the rest of the page for each of
        them (CVE-2025-6069): after some, what is left is text.
        """
        for _ in range(_UNFINISHED):
            end = self.rawdata.find(">") + 1
            if not end:
                break
            self.updatepos(0, end)
            cut, rest = self.rawdata[:end], self.rawdata[end:]
            self.rawdata = ""
            self.handle_data(unescape(cut))
            self.feed(rest)
        rest, self.rawdata = self.rawdata, ""
        if rest:
            self.handle_data(unescape(rest))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._is_beside(tag, attrs):
            return
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _BREAKS:
            self.end_line()
            self._add(_HEADINGS.get(tag, ""))
            self._kept += tag == "pre"
        elif tag in _CELLS and self._text:
            self._add(" | ")

    def _is_beside(self, tag: str, attrs: list[tuple[str, str | None]]) -> bool:
        """Whether a tag begins or belongs to a column of numbers of lines."""
        if self._gutter == "td" == tag:
            self._gutter = ""  # its end may be left out
        if self._gutter:
            self._nested += tag == self._gutter
            return True
        classes = next((text for name, text in attrs if name == "class"), None)
        if classes and tag in _NUMBERED and not _GUTTERS.isdisjoint(classes.split()):
            self._gutter, self._nested = tag, 0
        return bool(self._gutter)

    def handle_endtag(self, tag: str) -> None:
        if self._gutter:
            if tag == self._gutter and self._nested:
                self._nested -= 1
            elif tag == self._gutter or tag in {"table", "body"}:
                self._gutter = ""
            return
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif tag in _BREAKS and tag != "br":
            self.end_line()
            self._kept = max(self._kept - (tag == "pre"), 0)

    def handle_data(self, data: str) -> None:
        if self._unseen or self._gutter:
            return
        if not self._kept:
            visible_text = " ".join(data.split())
            if visible_text:
                self._begin()
                before = " " if data[0].isspace() and self._text else ""
                self._add(before + visible_text + (" " if data[-1].isspace() else ""))
            return
        for place, part in enumerate(data.split("\n")):
            if place:
                self.end_line(keep_blank=True)
                self._began = self.getpos()[0] + place
            elif part:
                self._begin()
            self._add(part)

    def end_line(self, *, keep_blank: bool = False) -> None:
        """The line is complete; a blank one counts only inside <pre>."""
        text = "".join(self._line).rstrip()
        if text or keep_blank:
            self.lines.append(text)
            self.numbers.append(self._began)
        self._line.clear()
        self._text = False

    def _begin(self) -> None:
        if not self._text:
            self._began = self.getpos()[0]

    def _add(self, part: str) -> None:
        self._line.append(part)
        self._text = self._text or bool(part.strip())
