"""`iosonde trend` as a user runs it: the answer, the change, the exit code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended
from tests.fakes.sample_runs import nightly_runs
from tests.unit.measure import build

ROOT = Path(__file__).parents[2]
Command = Callable[..., Ended]
LEVELS = {"slower": (1.0, 0.95), "faster": (1.0, 1.05), "same": (1.0, 1.0), "back": (0.95, 1.0)}


@pytest.fixture
def runs(environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Twenty nights of each study; from the 14th on the rate is at its second level."""
    kept, ids = open_store(environment["IOSONDE_STORE"]), dict[str, list[str]]()
    for study, (first, second) in LEVELS.items():
        for night in range(20):
            run = kept.begin(study, {}, created=1e9 + 86400 * night, owner="", tags=("ci",))
            rate = 9800.0 * (second if night >= 13 else first) * (1 + 0.004 * (night * 7 % 5 - 2))
            loops = [
                build.loop(at, {"read.iops": rate * (1 + 0.002 * (at - 1))}) for at in range(3)
            ]
            kept.add_trial(run.id, build.trial(loops))
            failed = study == "same" and night == 19
            kept.finish(run.id, RunState.FAILED if failed else RunState.FINISHED)
            ids.setdefault(study, []).append(run.id)
    kept.close()
    return ids


def test_the_page_begins_with_the_answer_and_draws_each_series(
    iosonde: Command, runs: dict[str, list[str]], tmp_path: Path
) -> None:
    page = tmp_path / "trend.html"
    assert iosonde("trend", "--filter", "tag=ci", "--report", str(page)).status == 1
    text = page.read_text()
    assert "Worse: slower: read IOPS of certification" in text
    assert text.count("<svg role=") == len(LEVELS)
    assert f"{runs['slower'][13]}" in text


def test_a_worsening_is_the_answer_and_the_exit_code(
    iosonde: Command, runs: dict[str, list[str]]
) -> None:
    ended = iosonde("trend", "slower", "--json")
    jsonschema.validate(ended.json, schema("trend"))
    assert ended.status == 1
    (series,) = ended.json["series"]
    assert (series["metric"], len(series["points"])) == ("read.iops", 20)
    assert [point["run"] for point in series["points"]] == runs["slower"]
    (change,) = series["changes"]
    assert change["at"] == runs["slower"][13]
    assert change["change"] == pytest.approx(-0.05, abs=0.005)
    assert change["interval"][0] < change["change"] < change["interval"][1] < -0.03
    assert change["from"] == pytest.approx(9800, rel=0.005)
    assert change["to"] == pytest.approx(9310, rel=0.005)
    shown = iosonde("trend", "slower")
    first, _, label, bars, marks, row = shown.stdout.splitlines()
    assert first.startswith(
        "worse: slower: read IOPS of certification at scratch on node1 since run "
    )
    assert runs["slower"][13] in first
    assert label.endswith(", 20 runs")
    assert marks.index("^") == bars.index(bars.strip()) + 13
    assert row.endswith(", worse")
    assert max(map(len, shown.stdout.splitlines())) <= 120


def test_better_equal_and_small_is_no_failure(iosonde: Command, runs: dict[str, list[str]]) -> None:
    for study in ("faster", "back"):
        ended = iosonde("trend", study)
        assert (ended.status, ended.stdout[:24]) == (0, "changed in 1 of 1 series")
    ended = iosonde("trend", "same")
    assert (ended.status, ended.stdout.splitlines()[0]) == (0, "no change of level in 19 runs")
    assert iosonde("trend", "slower", "--margin", "6%").status == 0
    ended = iosonde("trend", "slower", "--filter", "since=2001-09-24")
    assert (ended.status, "at least 6" in ended.stdout) == (0, True)
    assert iosonde("trend", "slower", "--limit", "6").status == 0


def test_what_there_is_no_trend_of(iosonde: Command, runs: dict[str, list[str]]) -> None:
    for row, message in (
        ((), "say which runs"), (("nosuch",), "no finished run of 'nosuch' fits"),
        (("slower", "--metric", "write.iops"), "no run has the metric 'write.iops'"),
        (("--filter", "tag=none"), "no finished run fits"),
    ):  # fmt: skip
        ended = iosonde("trend", *row)
        assert (ended.status, ended.stdout) == (2, ""), row
        assert message in ended.stderr
    several = iosonde("trend", "--filter", "tag=ci", "--filter", "study=s*", "--json")
    values = {document["study"]: len(document["changes"]) for document in several.json["series"]}
    assert (several.status, values) == (1, {"slower": 1, "same": 0})


def test_the_page_of_the_docs_shows_what_is_printed(
    iosonde: Command, environment: dict[str, str]
) -> None:
    """Its run is named anew each time."""
    kept = open_store(environment["IOSONDE_STORE"])
    nightly_runs(kept, "nightly")
    kept.close()
    page = (ROOT / "docs" / "use" / "trend.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```console\n\$ iosonde trend nightly\n(.*?)```", page, flags=re.DOTALL)
    environment |= {"TZ": "UTC", "COLUMNS": "80"}
    ended = iosonde("trend", "nightly")
    name = re.compile(r"\brun \w{8}\b")
    assert name.sub("run RUN", ended.stdout) == name.sub("run RUN", shown)
    assert ended.status == 1
