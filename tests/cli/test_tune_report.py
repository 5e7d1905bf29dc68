"""The report of a campaign that is in the store, as a user asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path

import pytest

from iosonde.records.campaign import Campaign
from iosonde.store import open_store
from tests.campaigns import simulated, stored
from tests.cli.conftest import Ended


def keep(environment: Mapping[str, str], campaign: Campaign) -> str:
    store = open_store(environment["IOSONDE_STORE"])
    try:
        return stored(store, campaign)
    finally:
        store.close()


@pytest.mark.slow
def test_a_stored_campaign_is_reported_as_page_and_as_text(
    iosonde: Callable[..., Ended], environment: Mapping[str, str], tmp_path: Path
) -> None:
    run = keep(environment, simulated("race"))
    done = iosonde("report", "last", "-o", "page.html", "--json")
    assert done.status == 0, done.stderr
    assert done.json["file"].endswith("page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Before and after" in page
    assert f"campaign {run}" in page
    appendix = page[page.index('<section id="appendix"') :]
    assert appendix.count("<h3>randread at disk ") == 2, "before and after are shown at length"
    assert 'ATTR{queue/scheduler}="none"' in unescape(page)
    done = iosonde("report", run, "--format", "markdown", "-o", "page.md")
    assert done.status == 0, done.stderr
    text = (tmp_path / "page.md").read_text()
    assert "iosonde persist local --study loop" in text
    assert 'ATTR{queue/scheduler}="none"' in text
    assert "udev has no rule for this file" in text
    done = iosonde("report", run, "--format", "png", "-o", "page.png")
    assert done.status == 0, done.stderr
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_an_interrupted_one_too(
    iosonde: Callable[..., Ended], environment: Mapping[str, str], tmp_path: Path
) -> None:
    keep(environment, simulated("race", stop_after=7))
    assert iosonde("report", "last", "-o", "page.md", "-f", "markdown").status == 0
    assert "7 measurements are kept" in (tmp_path / "page.md").read_text()


@pytest.mark.slow
def test_a_campaign_beside_a_plain_run(
    iosonde: Callable[..., Ended], environment: Mapping[str, str], tmp_path: Path
) -> None:
    """Two runs on one page: each as what it is, and the comparison as for any runs."""
    first = keep(environment, simulated("race", seed=1))
    second = keep(environment, simulated("race", seed=2))
    done = iosonde("report", first, second, "-o", "both.html")
    assert done.status == 0, done.stderr
    assert (tmp_path / "both.html").read_text().count("<h2>Before and after</h2>") == 2
