"""`iosonde trace` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from iosonde.verbs.schema import schema
from tests.cli.forked import Ended, call
from tests.unit.trace.sample import FORMATS, requests, text


def trace(*arguments: str | Path, given: bytes = b"") -> Ended:
    return call("trace", *arguments, stdin=given)


def test_describe_holds_to_its_schema(tmp_path: Path) -> None:
    names = []
    for fmt in FORMATS:
        (tmp_path / fmt).write_bytes(text(fmt, requests()))
        names.append(tmp_path / fmt)
    done = trace("describe", *names, "--json")
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, schema("trace"))
    assert done.status == 0
    assert [trace["format"] for trace in answer["traces"]] == list(FORMATS)
    assert {json.dumps(trace["reuse"]) for trace in answer["traces"]} == {
        json.dumps(answer["traces"][0]["reuse"])
    }, "the same requests are described alike in every format"


def test_the_text_names_what_matters() -> None:
    done = trace("describe", "-", given=text("msr", requests(2000)))
    message = done.stdout
    for word in ("reads of", "4 KiB", "follow", "LRU cache", "exact", "hm,1", "16 KiB", "p99"):
        assert word in message, message
    assert (done.status, done.stderr) == (0, "")


def test_bad_lines_are_counted_and_told() -> None:
    given = text("msr", requests(50)) + b"1281,hm,1,Read,5\n128166372003061629,hm,1,Re"
    done = trace("describe", "-", "--json", given=given)
    document = json.loads(done.stdout)["traces"][0]
    assert (document["bad"], document["requests"], document["lines"]) == (2, 50, 52)
    assert document["bad_first"][0]["place"] == 51
    ended = trace("describe", "-", given=given)
    assert "2 bad lines or records left out (first at 51: expected 7 columns" in ended.stderr


def test_convert_writes_what_polars_reads(tmp_path: Path) -> None:
    made = requests(1000)
    out = tmp_path / "x.parquet"
    done = trace("convert", "-", out, "--json", given=text("systor", made))
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, schema("trace"))
    assert answer["written"]["requests"] == 1000
    frame = pl.read_parquet(out)
    assert frame["offset"].to_list() == [request.offset for request in made]
    assert frame["op"].cast(pl.String).to_list() == [request.op for request in made]
    assert frame["time"].to_list() == [request.time * 1000 for request in made]
    assert list(tmp_path.iterdir()) == [out]


def test_a_page_without_anything_from_elsewhere(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert trace("describe", "-", "--html", page, given=text("msr", requests())).status == 0
    html = page.read_text()
    assert html.count("<svg") == 6
    for word in ("Miss ratio of an LRU cache (exact)", "Hot spots", "Time between requests"):
        assert word in html
    assert "src=" not in html
    assert 'href="http' not in html


@pytest.mark.parametrize(
    "arguments",
    [["draw"], ["describe"], ["describe", "/nowhere"], ["convert", "x"], ["convert", "x", "y.csv"],
     ["formats", "x"], ["describe", "-", "--block", "100"]],
)  # fmt: skip
def test_wrong_use_is_one_sentence(arguments: list[str]) -> None:
    done = trace(*arguments, "--json", given=text("msr", requests(3)))
    assert done.status == 2
    jsonschema.validate(json.loads(done.stdout), schema("error"))


def test_formats_are_listed() -> None:
    answer = json.loads(trace("formats", "--json").stdout)
    jsonschema.validate(answer, schema("trace"))
    assert {format_["name"] for format_ in answer["formats"]} == {*FORMATS, "blktrace"}
