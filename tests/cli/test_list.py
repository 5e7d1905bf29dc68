"""`iosonde list` as a user runs it: what runs reached, what changed, filters, JSON as a stream."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iosonde.cli.result import _answer
from iosonde.exact import json_text
from iosonde.measure.sheet import sheet
from iosonde.records.run import Run, RunState
from iosonde.records.stack import Capture, HostFacts, Scalar, StackLayer
from iosonde.store import open_reader, open_store
from iosonde.store.lines import EMPTY
from iosonde.store.owner import this_process
from iosonde.verbs.listing import list_runs
from iosonde.verbs.schema import schema
from iosonde.verbs.selection import parse_filter, parse_moment
from tests.cli.conftest import Ended
from tests.unit.measure import build

Command = Callable[..., Ended]


def capture(**settings: Scalar) -> Capture:
    """A host whose target stands on one disk."""
    disk = StackLayer("node1/disk:sda", "disk", "node1", "/dev/sda", 1, settings=settings)
    other = StackLayer("node1/disk:sdb", "disk", "node1", "/dev/sdb", 1, settings=settings)
    mount = StackLayer(
        "node1/xfs:scratch", "xfs", "node1", "/dev/sda", 1, (disk.id,), mount="/scratch"
    )
    return Capture(1.0, (HostFacts("node1", "6.1", 2, 1),), (mount, disk, other))


@pytest.fixture
def runs(environment: Mapping[str, str]) -> list[str]:
    """Three nights of a study with a setting changed, one failed night between, another study."""
    kept = open_store(environment["IOSONDE_STORE"])
    ids = []
    for day, (study, scheduler, state) in enumerate((
        ("nightly", "none", RunState.FINISHED), ("nightly", "none", RunState.FINISHED),
        ("nightly", "bfq", RunState.FAILED), ("other", "none", RunState.FINISHED),
        ("nightly", "mq-deadline", RunState.FINISHED),
    )):  # fmt: skip
        made = kept.begin(
            study, {}, created=1e9 + 86400 * day, owner="", name=f"n{day}",
            tags=("even",) if day % 2 == 0 else (),
        )  # fmt: skip
        loops = [build.loop(n, {"read.iops": 9700.0 + 100 * n + day}) for n in range(3)]
        kept.add_trial(made.id, build.trial(loops, capture=capture(scheduler=scheduler)))
        kept.finish(made.id, state)
        ids.append(made.id)
    kept.close()
    return ids


def test_the_newest_is_last_with_its_headline_and_what_changed(
    iosonde: Command, runs: list[str]
) -> None:
    ended = iosonde("list")
    heading, *rows = ended.stdout.splitlines()
    assert [row.split()[0] for row in rows] == runs
    assert heading.split()[:6] == ["run", "name", "when", "study", "target", "headline"]
    assert "read 9,800 IOPS ± 2.53 %" in rows[0]
    assert "  sda.scheduler none → mq-deadline" in rows[4]  # not against the failed run
    assert "sdb" not in ended.stdout  # the target does not stand on it
    assert "→" not in "".join(rows[:2])
    assert "failed" in rows[2]
    assert ended.stdout.count("finished") == 4
    assert ended.stderr == ""


@pytest.mark.parametrize(
    ("study", "headline"),
    [
        ({"simultaneous": True}, "read 400 IOPS "),  # 100 + 300 = 400 in both loops that all have
        ({"together": True}, "read 400 IOPS "),
        ({}, "read 100 IOPS "),  # one after the other: the slowest
        ({"interleave": ["b", "a"]}, "read 300 IOPS "),  # the baseline, which stands first
    ],
)
def test_of_several_targets_it_says_what_the_run_said(
    iosonde: Command, environment: Mapping[str, str], study: Mapping[str, Any], headline: str
) -> None:
    kept = open_store(environment["IOSONDE_STORE"])
    made = kept.begin("study", {"study": dict(study)}, created=1e9, owner="")
    for probe, rates in (("b", (250.0, 350.0)), ("a", (150.0, 50.0, 100.0))):
        loops = [build.loop(n, {"read.iops": rate}) for n, rate in enumerate(rates)]
        kept.add_trial(made.id, build.trial(loops, probe=probe, ident=probe))
    other = build.trial([build.loop(0, {"read.iops": 7.0})], name="other", ident="c")
    kept.add_trial(made.id, other)
    kept.finish(made.id, RunState.FINISHED)
    run = kept.load(made.id)
    kept.close()
    assert headline in iosonde("list").stdout
    if not study.get("interleave"):
        assert headline in str(_answer(sheet(run)))


def test_of_candidates_and_imported_results_it_says_the_first(
    iosonde: Command, environment: Mapping[str, str]
) -> None:
    kept = open_store(environment["IOSONDE_STORE"])
    plans: tuple[tuple[Any, str, str], ...]
    plans = (({"study": {}}, "/x", "/x"), ({}, "/x", "/y"))  # at one target; of no study
    for plan, *probes in plans:
        made = kept.begin("study", plan, created=1e9, owner="")
        for probe, rate in zip(probes, (300.0, 100.0), strict=True):
            loops = [build.loop(0, {"read.iops": rate})]
            kept.add_trial(made.id, build.trial(loops, probe=probe, ident=f"{rate}"))
        kept.finish(made.id, RunState.FINISHED)
    kept.close()
    assert iosonde("list").stdout.count("read 300 IOPS") == 2


def test_filters_order_and_limit(iosonde: Command, runs: list[str]) -> None:
    def listed(*arguments: str) -> list[str]:
        ended = iosonde("list", *arguments)
        assert ended.status == 0, ended.stderr
        return [row.split()[1] for row in ended.stdout.splitlines()[1:]]

    assert listed("--filter", "study=nightly") == ["n0", "n1", "n2", "n4"]
    assert listed("--filter", "study=night*,oth*", "--filter", "tag=even") == ["n0", "n2", "n4"]
    assert listed("--filter", "tag!=even") == ["n1", "n3"]
    assert listed("--filter", "state=failed,running") == ["n2"]
    assert listed("--filter", "host=node*", "--filter", "before=2001-09-10") == ["n0"]
    assert listed("--filter", "since=2001-09-12T00:00") == ["n3", "n4"]
    assert listed("--limit", "2") == ["n3", "n4"]
    assert listed("--sort", "-headline", "--limit", "3") == ["n4", "n3", "n2"]
    assert listed("--sort", "study")[-1] == "n3"
    assert "5 runs; the newest 2 are shown (--limit 0: all)" in iosonde(
        "list", "--limit", "2"
    ).stderr  # fmt: skip
    assert "no run fits the filters" in iosonde("list", "--filter", "name=x").stdout
    for pair, message in (
        (("--filter", "hots=a"), "did you mean 'host'?"),
        (("--filter", "study"), "KEY=VALUE such as study=nightly"),
        (("--filter", "state=finshed"), "one of running, finished"),
        (("--filter", "since!=7d"), "is not a condition"),
        (("--filter", "since=soon"), "neither an age nor a date"),
        (("--sort", "headlin"), "did you mean 'headline'?"),
    ):
        ended = iosonde("list", *pair)
        assert (ended.status, ended.stdout) == (2, "")
        assert message in ended.stderr, pair


def test_json_is_written_run_by_run_and_is_the_same_object(
    iosonde: Command, runs: list[str], environment: Mapping[str, str]
) -> None:
    ended = iosonde("list", "--json")
    jsonschema.validate(ended.json, schema("run"))
    assert [run["id"] for run in ended.json["runs"]] == runs[::-1]
    whole = list_runs(store=environment["IOSONDE_STORE"]).to_json()
    assert ended.stdout == json_text(whole) + "\n"
    lean = list_runs(store=environment["IOSONDE_STORE"], whole=True)
    assert {line.outline for line in lean.lines} == {EMPTY}  # as many may be ten thousand
    assert lean.to_json() == whole
    none = iosonde("list", "--json", "--filter", "name=x").stdout
    assert none == json_text({"schema": "iosonde.run/1", "runs": []}) + "\n"


def test_no_run_is_read_before_the_one_before_it_is_written(
    runs: list[str], environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from iosonde.store.sql import SqlStore

    loaded: list[str] = []
    load = SqlStore.load

    def noted(self: SqlStore, run: str) -> Run:
        loaded.append(run)
        return load(self, run)

    monkeypatch.setattr(SqlStore, "load", noted)
    for number, result in enumerate(list_runs(store=environment["IOSONDE_STORE"]).runs, 1):
        assert result.id == loaded[-1]
        assert len(loaded) == number


def test_a_list_of_finished_runs_reads_neither_plans_nor_loops(
    runs: list[str], environment: Mapping[str, str]
) -> None:
    place = environment["IOSONDE_STORE"]
    first = list_runs(store=place)  # keeps the settings beside the outlines
    with sqlite3.connect(place) as store:
        store.execute("UPDATE loops SET result = 'damaged', series = 'damaged'")
        store.execute("UPDATE trials SET capture = 'damaged'")
        store.execute("UPDATE runs SET plan = 'damaged'")
    store.close()
    again = list_runs(store=place)
    assert (again.lines, again.changes) == (first.lines, first.changes)
    assert [line.id for line in again.lines] == runs[::-1]


def test_outlines_of_old_runs_are_made_when_they_are_listed(
    runs: list[str], environment: Mapping[str, str]
) -> None:
    place = environment["IOSONDE_STORE"]
    before = list_runs(store=place).lines
    with sqlite3.connect(place) as store:
        store.execute("DELETE FROM outlines")
    store.close()
    assert list_runs(store=place, limit=2).lines == before[:2]
    assert list_runs(store=place).lines == before
    with sqlite3.connect(place) as store:
        assert store.execute("SELECT count(*) FROM outlines").fetchone() == (5,)
    store.close()


def test_a_run_that_goes_on_is_outlined_as_it_is_now(environment: Mapping[str, str]) -> None:
    place = environment["IOSONDE_STORE"]
    kept = open_store(place)
    run = kept.begin("s", {}, created=1.0, owner=this_process())
    kept.add_trial(run.id, build.trial(build.speeds([1e8])))
    assert list_runs(store=place).lines[0].loops == 1
    kept.add_loop(run.id, "t1", build.loop(1, {"write.bandwidth": 1.1e8}))
    (line,) = list_runs(store=place).lines
    assert (line.state, line.loops) == (RunState.RUNNING, 2)
    kept.finish(run.id, RunState.INTERRUPTED)
    assert kept.resume(run.id, owner=this_process()).state is RunState.RUNNING
    kept.add_loop(run.id, "t1", build.loop(2, {"write.bandwidth": 1.2e8}))
    kept.finish(run.id, RunState.FINISHED)
    kept.close()
    (line,) = list_runs(store=place).lines
    assert line.outline.headline is not None
    assert line.loops == 3
    assert line.outline.headline.mean == pytest.approx(1.1e8)


def test_what_reads_the_file_makes_and_follows_nothing(tmp_path: Path) -> None:
    assert open_reader(str(tmp_path / "none.sqlite")) is None
    (tmp_path / "text").write_text("no store")
    assert open_reader(str(tmp_path / "text")) is None
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
    assert open_reader("postgresql://nowhere/x") is None


def test_names_of_others_do_not_reach_the_terminal(
    iosonde: Command, environment: Mapping[str, str]
) -> None:
    kept = open_store(environment["IOSONDE_STORE"])
    made = kept.begin("a\x1b[2Jb\udce9\x00\nc", {}, created=1.0, owner="")
    kept.add_trial(made.id, build.trial(build.speeds([1.0]), probe="/x\x1b]0;y\x07"))
    kept.finish(made.id, RunState.FINISHED)
    kept.close()
    ended = iosonde("list")
    assert "\x1b" not in ended.stdout
    assert len(ended.stdout.splitlines()) == 2
    assert json.loads(iosonde("list", "--json").stdout)["runs"][0]["study"].startswith("a\x1b[2Jb")


def test_moments() -> None:
    assert parse_moment("90min", where="", now=10_000.0) == 4_600.0
    assert parse_moment("2w", where="", now=2e6) == 2e6 - 14 * 86400
    assert parse_filter(" study = a , b ").values == ("a", "b")
    assert parse_filter("study!=").excluded


def test_the_first_list_of_an_old_store_waits_for_no_library(
    runs: list[str], environment: Mapping[str, str]
) -> None:
    place = environment["IOSONDE_STORE"]
    with sqlite3.connect(place) as store:
        store.execute("DELETE FROM outlines")
    store.close()
    program = (
        "import sys; from iosonde.verbs.listing import list_runs; list_runs(store=sys.argv[1])\n"
        "print(*sorted({'sqlalchemy', 'pydantic'} & {*sys.modules}))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, place], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "\n"
    with sqlite3.connect(place) as store:  # and the next one computes nothing
        kept = store.execute("SELECT run FROM outlines WHERE settings IS NOT NULL").fetchall()
    store.close()
    assert {run for (run,) in kept} == {*runs} - {runs[3]}  # which none of its study precedes


def test_a_store_that_takes_nothing_is_listed_all_the_same(
    runs: list[str], environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = environment["IOSONDE_STORE"]
    before = list_runs(store=place)
    with sqlite3.connect(place) as store:
        store.execute("DELETE FROM outlines")
        store.execute(
            "CREATE TRIGGER full BEFORE INSERT ON outlines BEGIN SELECT RAISE(FAIL, 'full'); END"
        )
    store.close()
    monkeypatch.setattr("iosonde.verbs.listing.open_store", lambda *_, **__: pytest.fail("slow"))
    after = list_runs(store=place)
    assert (after.lines, after.changes) == (before.lines, before.changes)
    with sqlite3.connect(place) as store:
        assert store.execute("SELECT count(*) FROM outlines").fetchone() == (0,)
    store.close()
    assert len(runs) == 5
