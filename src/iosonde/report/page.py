"""The one page: first screen, contents, sections, appendix. What is on it is said in blocks."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from iosonde import units
from iosonde.report.blocks import Badge, Block, Number, Pictures, StripLayer, Title, Tone
from iosonde.report.charts import Figure, svg
from iosonde.visible import visible

METHOD = (
    "Figures are means over the loops with the 95 % confidence interval of the mean; percentiles "
    "under “all loops” are of all I/Os together."
)
_LEFT_OUT = re.compile(
    r' (?:font-family|pointer-events|aria-hidden|font-weight)="[^"]*"| opacity="1"'
    r'|<path class="(?:fore|back)ground"[^>]*/>|<rect [^>]*fill="white"/>'
)
_PLACES = re.compile(r' (?:d|transform|[xy]2)="[^"]*"')
_LONG = re.compile(r"(\d+\.\d)\d{2,}")


@dataclass(frozen=True, slots=True)
class PageHead:
    """What the first screen of a page shows; see `Page`."""

    answer: str
    tone: Tone
    badges: tuple[Badge, ...]
    numbers: tuple[Number, ...]
    chips: tuple[tuple[str, str], ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """All that a page shows.

    Args:
        about: what it is of: run, date, host.
        answer: one sentence with its certainty; what is between backticks is code.
        tone: of the answer.
        chips: what changed, or what was set: name and value.
        stack: levels of the stack from the top.
        figures: of the first screen.
        appendix: what is not printed.
        method: how figures were got, in a sentence.
    """

    title: str
    about: tuple[str, ...]
    answer: str
    tone: Tone = Tone.PLAIN
    badges: tuple[Badge, ...] = ()
    numbers: tuple[Number, ...] = ()
    chips: tuple[tuple[str, str], ...] = ()
    stack: tuple[tuple[StripLayer, ...], ...] = ()
    figures: tuple[Figure, ...] = ()
    blocks: tuple[Block, ...] = ()
    appendix: tuple[Block, ...] = ()
    method: str = METHOD

    def drawn(self) -> Iterator[Figure]:
        """All figures in their order."""
        yield from self.figures
        for block in (*self.blocks, *self.appendix):
            if isinstance(block, Pictures):
                yield from block.figures


def moment(seconds: float) -> str:
    """A time of day as pages show it: `2026-11-24 02:13 UTC`."""
    return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(seconds))


def render(page: Page) -> bytes:
    """One HTML file: no font, no picture and no script from elsewhere."""
    environment = _environment()
    script = _packaged("page.js")
    text = environment.get_template("page.html").render(
        page=page, written=moment(time.time()), style=Markup(_packaged("page.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        sections=list(_sections(page.blocks)), appendix=list(_sections(page.appendix)),
    )  # fmt: skip
    return visible(text, lines=True).encode()


def _packaged(name: str) -> str:
    return files("iosonde.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("iosonde.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"picture": _picture, "prose": _prose, "figure": units.show_evidence}
    environment.tests["of"] = lambda block, name: type(block).__name__ == name
    return environment


def _sections(blocks: tuple[Block, ...]) -> Iterator[tuple[Title, tuple[Block, ...]]]:
    """Blocks by their headings of level 2; those before the first have none."""
    starts = [
        at for at, block in enumerate(blocks) if isinstance(block, Title) and block.level == 2
    ]
    if blocks and starts[:1] != [0]:
        yield Title(""), blocks[: starts[0] if starts else None]
    for start, end in pairwise([*starts, len(blocks)]):
        title = blocks[start]
        if isinstance(title, Title):
            yield title, blocks[start + 1 : end]


def _picture(figure: Figure) -> Markup:
    """The chart as SVG, without what the page's style says of all charts."""
    drawn = _PLACES.sub(
        lambda match: _LONG.sub(r"\1", match[0]), _LEFT_OUT.sub("", svg(figure.chart))
    )
    label = Markup('<svg role="img" aria-label="{}" ').format(figure.alt)
    return label + Markup(drawn.removeprefix("<svg "))  # noqa: S704  (vl-convert escapes texts)


def _prose(text: str) -> Markup:
    """A sentence; what is between backticks is code."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704
