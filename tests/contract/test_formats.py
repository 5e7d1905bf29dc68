"""Every report format over the sample run, a run of one loop, and a run of none."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser

import polars
import pytest

from iosonde.errors import UsageError
from iosonde.records.sheet import RunSheet
from iosonde.report import FORMATS
from tests.sample import sample_comparison, sample_run


def written(name: str, run: RunSheet) -> bytes:
    return FORMATS.load(name)().serialize([run], sample_comparison())


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("loops", [5, 1])
def test_every_format_writes_runs_of_any_length(name: str, loops: int) -> None:
    assert len(written(name, sample_run(loops))) > 100


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"svg", "png"}))
def test_a_run_without_a_finished_loop_is_written_too(name: str) -> None:
    assert written(name, sample_run(0))


@pytest.mark.parametrize("name", ["svg", "png"])
def test_there_is_no_picture_of_nothing(name: str) -> None:
    with pytest.raises(UsageError, match="no finished loop to draw"):
        FORMATS.load(name)().serialize([sample_run(0)])


def test_the_run_document_keeps_the_contract() -> None:
    document = json.loads(written("json", sample_run()))
    assert document["schema"] == "iosonde.run/1"
    assert document["state"] == "finished"
    trial = document["trials"][0]
    assert {"id", "host", "probe", "target", "load", "metrics", "flags", "capture", "faults"} <= (
        trial.keys()
    )
    metric = trial["metrics"]["write.iops"]
    assert metric["unit"] == "1/s"
    assert len(metric["loops"]) == 5
    assert metric["ci95"][0] < metric["mean"] < metric["ci95"][1]


def test_with_one_loop_spread_is_null_not_zero() -> None:
    metric = json.loads(written("json", sample_run(1)))["trials"][0]["metrics"]["write.iops"]
    assert (metric["stdev"], metric["cv"], metric["ci95"]) == (None, None, None)


def test_csv_and_parquet_say_the_same_as_json() -> None:
    run = sample_run()
    metrics = json.loads(written("json", run))["trials"][1]["metrics"]
    rows = [
        row
        for row in csv.DictReader(io.StringIO(written("csv", run).decode()))
        if row["probe"] == "slow"
    ]
    frame = polars.read_parquet(io.BytesIO(written("parquet", run))).filter(probe="slow")
    assert {row["metric"] for row in rows} == set(metrics) == set(frame["metric"])
    for row in rows:
        wanted = metrics[row["metric"]]
        assert float(row["mean"]) == wanted["mean"]
        assert [float(row[f"loop_{n}"]) for n in range(1, 6)] == wanted["loops"]
        data_frame = frame.filter(metric=row["metric"])
        assert data_frame["mean"].item() == wanted["mean"]
        assert data_frame["values"].to_list() == [wanted["loops"]]


def test_a_csv_cell_is_never_a_formula() -> None:
    from dataclasses import replace

    run = sample_run(1)
    evil = replace(run, run=replace(run.run, study="=cmd|'/c calc'!A1"))
    row = next(csv.DictReader(io.StringIO(written("csv", evil).decode())))
    assert row["study"].startswith("'=")


def test_markdown_tables_hold_together() -> None:
    runs = [sample_run(), sample_run(5, "b")]
    text = FORMATS.load("markdown")().serialize(runs, sample_comparison()).decode()
    columns = 0
    for line in text.splitlines():
        number = line.replace("\\|", "").count("|") if line.startswith("|") else 0
        assert not columns or not number or number == columns, line
        columns = number
    assert "sample \\| study" in text


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [
            value or "" for name, value in attrs if name in {"href", "src", "xlink:href"}
        ]
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_stands_alone_and_escapes_what_devices_say() -> None:
    page = written("html", sample_run()).decode()
    reader = _Reader()
    reader.feed(page)
    assert reader.open == []
    assert [link for link in reader.links if not link.startswith("#")] == []
    assert page.count("<script>") == 1
    assert "default-src 'none'" in page
    assert "@import" not in page
    text = " ".join(reader.text)
    for choice in (
        "fast & wide",
        "<b>Spinner</b>",
        "resync 12 %",
        "the network was cut",
        "needs root",
    ):
        assert choice in text


def test_the_page_shows_every_figure_with_unit_and_spread() -> None:
    run = sample_run()
    page = written("html", run).decode()
    assert page.count("<svg") == page.count("</svg>") >= 5
    assert "95 % interval" in page
    assert "CV" in page
