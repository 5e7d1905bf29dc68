"""The console that shows text of others and never obeys it: every segment passes `visible`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from iosonde.visible import visible


class Screen(Console):
    """A console of rich for text of any origin.

    Plain strings are cleaned before they are laid out, so that columns fit; whatever else is
    rendered is cleaned in its segments. Control segments (cursor, title) are rich's own.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """A plain string as text that can be laid out."""
        return super().render_str(visible(text, lines=True), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of anything that can be printed."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
                continue
            text = visible(segment.text, lines=True)
            yield segment if text == segment.text else Segment(text, segment.style)
