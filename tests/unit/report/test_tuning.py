"""A campaign as HTML and as Markdown."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from iosonde import units
from iosonde.records.campaign import Varied
from iosonde.records.campaign_sheet import CampaignSheet
from iosonde.records.stack import Scalar
from iosonde.report import FORMATS
from iosonde.report.blocks import Cells, clock, interval, show_value
from iosonde.report.tuning import campaign_sections
from tests.campaigns import READ_AHEAD, REQUESTS, SCHEDULER, campaign_sheet, simulated
from tests.unit.tune.test_sheet import with_refusal

HEADINGS = (
    "Before and after", "Apply and make permanent", "Setting by setting", "All candidates",
    "Effects and interactions", "Search path",
    "Not tried", "Cost",
)  # fmt: skip


def written(sheet: CampaignSheet, name: str) -> str:
    return FORMATS.load(name)().serialize([sheet]).decode()


@pytest.fixture(scope="module")
def won() -> CampaignSheet:
    return campaign_sheet(simulated("race"))


class Balanced(HTMLParser):
    """Every element that is opened is closed, in order."""

    void = frozenset({"meta", "br", "img", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("strategy", ["race", "sweep", "grid", "model", "staged"])
def test_every_strategys_campaign_is_a_whole_page(strategy: str) -> None:
    sheet = campaign_sheet(simulated(strategy, (SCHEDULER, REQUESTS, READ_AHEAD)))
    page = written(sheet, "html")
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert page.count("<script>") == 1
    for heading in HEADINGS:
        assert f"<h2>{heading}</h2>" in page
    text = written(sheet, "markdown")
    for heading in HEADINGS:
        assert f"\n## {heading}\n" in text


def test_the_answer_stands_first_and_its_figures_are_the_verdicts(won: CampaignSheet) -> None:
    assert won.tuning is not None
    result = won.tuning.campaign.result
    assert result is not None
    assert result.gain is not None
    assert result.gain.change is not None
    page, text = written(won, "html"), written(won, "markdown")
    for name in (page, text):
        assert units.show_change(result.gain.change) in name
        assert interval(result.gain.interval) in name
    assert page.index('class="answer good"') < page.index("<h2>")
    assert text.splitlines()[2].startswith("**Best: disk.scheduler=none, disk.nr")
    assert ": read IOPS +" in text.splitlines()[2]
    assert "iosonde set disk.scheduler=none disk.nr_requests=128" in text
    assert "iosonde persist local --study loop" in page


def test_markdowns_tables_have_as_many_cells_in_every_row(won: CampaignSheet) -> None:
    width = 0
    for line in written(won, "markdown").splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        assert width in {0, cells}, line
        width = cells


def test_each_setting_has_its_table_with_value_result_and_note(won: CampaignSheet) -> None:
    text = written(won, "markdown")
    part = text[text.index("### disk.scheduler") : text.index("### disk.nr")]
    assert "| value | result | ± 95 % | loops | change | interval | verdict | note |" in part
    assert re.search(r"\| \*\*none\*\* \| \*\*19,600 IOPS\*\* .*better.*winner", part)
    assert re.search(r"\| mq-deadline \| 18,\d00 IOPS .*previous setting", part)
    assert re.search(r"\| bfq \| 1\d,\d00 IOPS .*−\d.*worse", part)


def test_plots_of_effects_path_and_proof_are_on_the_page(won: CampaignSheet) -> None:
    page = written(won, "html")
    for title in ("Main effect of disk.scheduler", "beyond what each does by itself",
                  "Each loop a mark", "Candidates left", "Fresh loops, in pairs"):  # fmt: skip
        assert title in page
    assert page.count("<svg ") >= 8


def test_where_nothing_is_better_there_is_nothing_to_keep() -> None:
    sheet = campaign_sheet(simulated("race", (SCHEDULER,), flat=True))
    text = written(sheet, "markdown")
    assert "**No difference worth having" in text
    assert "There is nothing to prove" in text
    assert "make permanent" not in text.lower()
    assert "All candidates" not in text, "one setting: its table is all there is"


def test_an_interrupted_campaign_says_so_and_claims_nothing() -> None:
    text = written(campaign_sheet(simulated("race", stop_after=12)), "markdown")
    assert "The campaign is not over: 12 measurements are kept" in text
    assert "Before and after" not in text
    assert "`iosonde tune --resume r1`" in text


def test_a_campaign_without_a_measurement_is_written_too() -> None:
    sheet = campaign_sheet(simulated("race", stop_after=0))
    assert "0 measurements are kept" in written(sheet, "html")
    assert "0 measurements are kept" in written(sheet, "markdown")


def test_what_could_not_be_tried_is_told_with_the_reason() -> None:
    sheet = campaign_sheet(with_refusal(simulated("race", (SCHEDULER,))))
    for name in ("html", "markdown"):
        message = written(sheet, name)
        assert "Invalid argument" in message
        assert "trades safety for speed" in message


def test_a_name_is_never_markup() -> None:
    wild = SCHEDULER.__class__("disk.<b>|x", ("a<i>", "b`"), "a<i>")
    sheet = campaign_sheet(simulated("race", (wild,), flat=True))
    page = written(sheet, "html")
    assert "<b>|x" not in page
    assert "a<i>" not in page
    row = next(line for line in written(sheet, "markdown").splitlines() if "disk." in line)
    assert "<b>" not in row.replace("\\<b\\>", "")


def test_less_is_better_reads_so() -> None:
    sheet = campaign_sheet(simulated("race", (SCHEDULER,), higher=False))
    text = written(sheet, "markdown")
    assert "minimise mean read latency" in text
    assert re.search(r"\*\*−\d.*better", text)


def test_every_row_is_as_long_as_its_head(won: CampaignSheet) -> None:
    assert won.tuning is not None
    tables = [section for section in campaign_sections(won) if isinstance(section, Cells)]
    assert len(tables) >= 9
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.head)}


def test_a_stages_winner_is_kept_not_beaten() -> None:
    upper = replace(READ_AHEAD, name="fs.read_ahead")
    text = written(campaign_sheet(simulated("staged", (SCHEDULER, upper))), "markdown")
    part = text[text.index("### disk.scheduler (stage disk)") : text.index("### fs.read")]
    assert re.search(r"\| none \|.*\| better \| kept \|", part)
    assert "fs.read\\_ahead=4 MiB" in text[text.index("## Search path") :]


def test_places_have_tables_of_their_own() -> None:
    upper = replace(READ_AHEAD, name="fs.read_ahead")
    sheet = campaign_sheet(simulated("staged", (SCHEDULER, upper), places={"disk": 3.0, "fs": 1.0}))
    text = written(sheet, "markdown")
    assert "| measured at | disk, fs |" in text
    assert "(stage disk, measured at disk)" in text
    disk, fs = text.index("### Measured at disk"), text.index("### Measured at fs")
    fast = re.compile(r"\b5\d,\d00 IOPS")  # three times 18,000 IOPS and more
    assert fast.search(text[disk:fs])
    assert not fast.search(text[fs : text.index("## Effects and interactions")])
    assert "A fit for each place" in text
    assert re.search(
        r"With fs\.read\\_ahead=128 KiB\.\s+\| disk\.scheduler \| result", text[disk:fs]
    )


def test_pictures_alone() -> None:
    small = campaign_sheet(simulated("race", (SCHEDULER,)))
    assert written(small, "svg").startswith("<svg")


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (9000, "B", "9000 B"), (131072, "B", "128 KiB"), (3389, "4 MiB", "3389 × 4 MiB"),
        (8000, "pages", "8000 pages"), (60, "%", "60 %"), (True, "B", "True"), (None, "B", "–"),
        ("none", "", "none"), (256, "", "256"),
    ],
)  # fmt: skip
def test_a_value_is_shown_as_whoever_set_it_knows_it(value: Scalar, unit: str, shown: str) -> None:
    assert show_value(Varied("a.b", (value,), value, unit=unit), value) == shown


def test_clock() -> None:
    assert (clock(48.2), clock(185), clock(58_560)) == ("48 s", "3 min 05 s", "16 h 16 min")
