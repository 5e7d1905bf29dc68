"""Columns of line numbers beside code on web pages, which no reader takes for an output."""

from __future__ import annotations

import pytest

from iosonde.text.page import text_of_page

HEXO = (
    '<table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span>'
    '<br></pre></td><td class="code"><pre><code># df<br>tmpfs 0<br></code></pre></td></tr></table>'
)
ROUGE = (
    '<table><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td>'
    '<td class="rouge-code"><pre># df\ntmpfs 0\n</pre></td></tr></tbody></table>'
)
SPANS = '<pre><span class="lnt">1\n</span># df\n<span class="lnt">2\n</span>tmpfs 0\n</pre>'
NESTED = (
    '<div class="gutter"><div class="number1">1</div><div>2</div></div><p># df</p><p>tmpfs 0</p>'
)
OPEN = "<table><tr><td class=gutter>1<td># df<tr><td class=gutter>2<td>tmpfs 0</table>"


def lines(page: str) -> list[str]:
    return [line for line in text_of_page(page.encode())[0].decode().split("\n") if line]


@pytest.mark.parametrize("page", [HEXO, ROUGE, SPANS, NESTED, OPEN])
def test_numbers_of_lines_are_left_out(page: str) -> None:
    assert lines(f"<p>See:</p>{page}<p>So it is.</p>") == ["See:", "# df", "tmpfs 0", "So it is."]


def test_code_with_numbers_of_lines_is_left_in() -> None:
    """Prism marks the whole block so, not its numbers."""
    assert lines('<pre class="line-numbers"># df\ntmpfs 0</pre>') == ["# df", "tmpfs 0"]


def test_a_column_that_nothing_ends_is_not_the_rest_of_the_page() -> None:
    page = '<table><tr><td class="gutter">1</table><p>The rest.</p>'
    assert lines(page) == ["The rest."]
