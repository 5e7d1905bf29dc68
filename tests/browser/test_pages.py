"""Every page of the gallery in Debian's Chromium: widths, dark, paper, without script, for all."""

from __future__ import annotations

import io
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright
from pypdf import PdfReader

from iosonde.report.html import HtmlFormat
from tests.sample import sample_comparison, sample_run
from tests.unit.report.test_curves import curve
from tools.gallery import PAGES, write

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

WIDTHS = {1440: 900, 768: 1024, 390: 844}
MOST_BYTES, MOST_SECONDS = 1_500_000, 3.0
MOST_SHEETS = 8
"""Of paper, for the longest page, a campaign's."""


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery")
    write(folder)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium: tools/system-packages test")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


class Watched:
    """A page open in the browser, with all that it complained of and asked for."""

    def __init__(self, browser: Browser, file: Path, *, width: int = 1440, scheme: str = "light",
                 script: bool = True) -> None:  # fmt: skip
        self.context = browser.new_context(
            viewport={"width": width, "height": WIDTHS[width]}, java_script_enabled=script,
            color_scheme="dark" if scheme == "dark" else "light",
        )  # fmt: skip
        self.page: Page = self.context.new_page()
        self.file = file
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *error: object) -> None:
        self.context.close()


@pytest.fixture(scope="module", params=PAGES)
def opened(browser: Browser, gallery: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A page at its widest, for tests that only look at it: opening it takes the longest."""
    with Watched(browser, gallery / f"{request.param}.html") as watched:
        yield watched


def _is_quiet_alone_and_fits(watched: Watched, width: int) -> None:
    page = watched.page
    assert watched.complaints == []
    assert watched.requests == [watched.file.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".answer").is_visible()
    small = page.evaluate(
        "[...document.querySelectorAll('figure svg')].map(svg => "
        "svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
    )
    assert min(small, default=1.0) * 12 >= 8, "labels of 12 px are read at this width"


def test_a_page_is_quiet_alone_and_its_first_screen_is_a_slide(opened: Watched) -> None:
    _is_quiet_alone_and_fits(opened, 1440)
    bottom = opened.page.evaluate("document.querySelector('.slide').getBoundingClientRect().bottom")
    assert bottom <= 900


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [width for width in WIDTHS if width != 1440])
def test_a_page_is_quiet_alone_and_no_wider_than_the_window(
    browser: Browser, gallery: Path, name: str, width: int
) -> None:
    with Watched(browser, gallery / f"{name}.html", width=width) as watched:
        _is_quiet_alone_and_fits(watched, width)


_COLOURS = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": ["cat.color"]}}
"""Axe's rules of colours alone, the only thing that dark changes of a page."""


def _serious(watched: Watched, **options: dict[str, Any]) -> list[tuple[str, str]]:
    """Rules that are broken, each with the first element that breaks it."""
    return [
        (record["id"], record["nodes"][0]["html"][:200])
        for record in Axe().run(watched.page, **options).response["violations"]
        if record["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_for_all(browser: Browser, gallery: Path, name: str) -> None:
    with Watched(browser, gallery / f"{name}.html") as watched:
        watched.page.evaluate(
            "document.querySelectorAll('details').forEach(one => one.open = true)"
        )
        assert _serious(watched) == []
        watched.page.emulate_media(color_scheme="dark")
        assert _serious(watched, options=_COLOURS) == []


def test_a_word_of_a_colour_that_is_not_read_is_found(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        "<!doctype html><html lang=en><title>a</title><style>p { color: #000; background: #fff }"
        "@media (prefers-color-scheme: dark) { p { color: #777; background: #666 } }</style>"
        "<main><h1>a title</h1><p>some text</p></main>"
    )
    with Watched(browser, file) as watched:
        assert _serious(watched) == []
        watched.page.emulate_media(color_scheme="dark")
        ((rule, _),) = _serious(watched, options=_COLOURS)
    assert rule == "color-contrast"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_matrix_is_for_all_and_its_cells_are_read(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
    file = tmp_path / "matrix.html"
    run = replace(sample_run(), curves=(curve(4096), curve(65536)))
    file.write_bytes(HtmlFormat().serialize([run]))
    for width in WIDTHS:
        with Watched(browser, file, width=width, scheme=scheme) as watched:
            assert watched.complaints == []
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
            assert _serious(watched) == []
            inks = (
                watched.page.locator("figure")
                .nth(1)
                .locator(".mark-text.role-mark text")
                .evaluate_all("all => all.map(one => getComputedStyle(one).fill)")
            )
            cells = (
                watched.page.locator("figure")
                .nth(1)
                .locator(".mark-rect.role-mark path")
                .evaluate_all("all => all.map(one => getComputedStyle(one).fill)")
            )
        assert len(inks) == len(cells) == 10
        for ink, cell in zip(inks, cells, strict=True):
            low, high = sorted((_luminance(ink), _luminance(cell)))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, cell)


def _luminance(colour: str) -> float:
    """Of "rgb(1, 2, 3)". Source: WCAG 2.1, relative luminance."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
              for part in parts]  # fmt: skip
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_of_charts_are_read_on_their_ground(
    browser: Browser, gallery: Path, scheme: str
) -> None:
    for name in ("run", "comparison", "tune", "trace"):
        with Watched(browser, gallery / f"{name}.html", scheme=scheme) as watched:
            ground = watched.page.locator("figure").first.evaluate(
                "one => getComputedStyle(one).backgroundColor"
            )
            record = watched.page.locator(".role-axis text, .role-legend text").evaluate_all(
                "all => [...new Set(all.map(one => getComputedStyle(one).fill))]"
            )
        assert record
        for colour in record:
            low, high = sorted((_luminance(colour), _luminance(ground)))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (name, colour, ground)


def test_the_first_screen_is_one_sheet_of_paper(opened: Watched) -> None:
    title = opened.page.locator("h1").inner_text()
    heading = opened.page.locator("main h2").first.inner_text()
    sheets = PdfReader(io.BytesIO(opened.page.pdf(prefer_css_page_size=True))).pages
    texts = [" ".join(normalize("NFKC", sheet.extract_text()).split()) for sheet in sheets]
    assert title.split()[0] in texts[0]
    assert heading not in texts[0]
    if heading != "Appendix":
        assert texts[1].startswith(heading.split()[0]), "the second sheet begins with the sections"
    assert len(sheets) <= MOST_SHEETS
    assert "Appendix" not in texts[-1], "the appendix is not printed"
    assert "scrolls sideways" not in " ".join(texts), "paper does not scroll"


def test_no_heading_is_printed_without_anything_below_it(opened: Watched) -> None:
    opened.page.emulate_media(media="print")
    try:
        printed = opened.page.locator("main > section:visible").evaluate_all(
            "all => all.map(one => [one.querySelector('h2')?.innerText ?? '', "
            "[...one.children].filter(part => part.tagName != 'H2' && part.offsetHeight).length])"
        )
    finally:
        opened.page.emulate_media(media="null")
    assert [title for title, parts in printed if not parts] == []


def test_all_is_there_without_script(browser: Browser, opened: Watched) -> None:
    with Watched(browser, opened.file, script=False) as plain:
        assert plain.page.locator(".sort, .filter, .tip").count() == 0
        tables = [watched.page.locator("td").all_text_contents() for watched in (opened, plain)]
        assert tables[0] == tables[1]
        assert plain.page.locator("svg[role=img]").count() == opened.file.read_text().count("<svg")
        assert all(
            plain.page.locator("svg[role=img]").evaluate_all("all => all.map(one => one.ariaLabel)")
        )


def test_a_table_is_sorted_by_its_figures(browser: Browser, gallery: Path) -> None:
    with Watched(browser, gallery / "import.html") as watched:
        table = watched.page.locator("table").first
        means = table.locator("td[data-label=mean]")
        before = means.all_text_contents()
        table.locator("th", has_text="mean").get_by_role("button").click()
        after = means.all_text_contents()
        assert after != before
        assert sorted(after) == sorted(before)
        figures = [float(text.replace(",", "")) for text in after]
        assert figures == sorted(figures)
        assert table.locator("th[aria-sort=ascending]").count() == 1


def test_a_mark_says_its_value_and_findings_are_filtered(browser: Browser, gallery: Path) -> None:
    with Watched(browser, gallery / "import.html") as watched:
        page = watched.page
        bar = page.locator("svg .role-mark [aria-label*='Result 2']").first
        bar.hover()
        assert "2.25 GiB/s" in page.locator(".tip").inner_text()
        page.locator(".filter button", has_text="error").click()
        shown = page.locator(".finding:visible")
        assert shown.count() == page.locator(".finding.error").count() >= 1


def test_a_wide_table_says_that_it_scrolls(browser: Browser, gallery: Path) -> None:
    with Watched(browser, gallery / "comparison.html", width=390) as watched:
        assert watched.page.locator(".scrolls:visible").count() >= 1
    with Watched(browser, gallery / "comparison.html") as watched:
        assert watched.page.locator(".scrolls:visible").count() == 0


def test_three_runs_are_small_and_soon_written() -> None:
    runs = [sample_run(5, run) for run in ("k7m2p9xw", "b", "c")]
    HtmlFormat().serialize(runs[:1])  # the renderer starts once a process
    started = time.process_time()  # on a machine that others use, too
    page = HtmlFormat().serialize(runs, replace(sample_comparison(), settings={}))
    assert time.process_time() - started < MOST_SECONDS
    assert len(page) < MOST_BYTES


def test_hostile_names_run_nothing(browser: Browser, tmp_path: Path) -> None:
    evil = "</title><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    run = sample_run(2)
    hostile = replace(
        run, run=replace(run.run, study=evil),
        trials=tuple(replace(trial, trial=replace(trial.trial, probe=evil, command=evil))
                     for trial in run.trials),
    )  # fmt: skip
    file = tmp_path / "page.html"
    file.write_bytes(HtmlFormat().serialize([hostile]))
    with Watched(browser, file) as watched:
        assert watched.complaints == []
        assert watched.requests == [file.as_uri()]
        assert watched.page.locator("h1").inner_text().startswith("</title><script>")
        assert watched.page.locator("img").count() == 0
        assert watched.page.locator("script").count() == 1


def test_no_word_of_a_chart_is_cut(opened: Watched) -> None:
    cut = opened.page.evaluate(
        "[...document.querySelectorAll('figure svg')].flatMap(svg => {"
        " const all = svg.getBoundingClientRect();"
        " return [...svg.querySelectorAll('text')].filter(text => text.textContent.trim()"
        "  && getComputedStyle(text).opacity !== '0').filter(text => {"
        "  const box = text.getBoundingClientRect();"
        "  return box.left < all.left - 1 || box.right > all.right + 1"
        "   || box.top < all.top - 1 || box.bottom > all.bottom + 1;"
        " }).map(text => text.textContent) })"
    )
    assert cut == []
