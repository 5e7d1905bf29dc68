"""One suite for every store: SQLite in a file, PostgreSQL in a real server."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from iosonde.errors import StoreFailed, UsageError
from iosonde.records.campaign import CandidateEnd, Intent, Measurement, Result, StoredGoal, Varied
from iosonde.records.comparison import Outcome, Verdict
from iosonde.records.load import Histogram, Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, Metric, RunState, Series, Trial
from iosonde.records.stack import Capture, HostFacts, StackLayer
from iosonde.store import open_store
from iosonde.store.campaigns import PLAN_KEY, intent_document
from iosonde.store.owner import this_process
from iosonde.store.store import Store
from tests import postgresql


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    with postgresql.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "deep" / "store.sqlite")
    url: str = request.getfixturevalue("postgresql_url")
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return url


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    opened = open_store(place)
    yield opened
    opened.close()


def loop(index: int) -> Loop:
    return Loop(
        index=index,
        started=1000.5 + index,
        elapsed=60.25,
        result=LoadResult(
            metrics={"write.iops": 953.0 + index},
            units={"write.iops": "1/s"},
            histograms={"write": Histogram((1e-6, 2e-6), (3, 2**40))},
            device_io={"vda": {"writes": 12.0}},
            issued={"write": 2**40},
            faults=("host: µ unreachable",),
            tool_version="fio-3.33",
        ),
        raw=RawOutput(0, b"\x00\xff{}", "é".encode(), {"out.json": bytes(range(256))}),
        series=(Series("diskstats", "vda", "write.iops", "1/s", (1.0, 2.0), (5.0, None)),),
        background=("md0: resync 12 %",),
    )


TRIAL = Trial(
    id="t1",
    host="local",
    probe="scratch",
    target=Target("local", "/data/scratch", TargetKind.FILE),
    load=Load("fio", "certification", {"sections": [{"bs": "4M", "direct": 1, "x": None}]}),
    command="fio job.fio",
    capture=Capture(
        taken=999.0,
        hosts=(HostFacts("local", "6.1.0", 2, 2**34),),
        layers=(StackLayer("local/disk:vda", "disk", "local", "/dev/vda", 2**38,
                           settings={"scheduler": "none", "queue_depth": None}),),
        host_wide={"local.vm.dirty_ratio": 20},
    ),
    flags=("page-cache",),
)  # fmt: skip


def test_what_was_stored_comes_back_the_same(store: Store) -> None:
    run = store.begin("study", {"loops": 5, "targets": ["a"]}, created=7.0, owner=this_process())
    store.add_trial(run.id, TRIAL)
    store.add_loop(run.id, "t1", loop(0))
    store.add_loop(run.id, "t1", loop(1), parser_version=3)
    store.mark(run.id, "t1", flags=("page-cache", "first-loop"), faults=("cut",))
    store.finish(run.id, RunState.FINISHED)
    stored_run = store.load(run.id[:3])
    wanted = replace(
        TRIAL, loops=(loop(0), loop(1)), flags=("page-cache", "first-loop"), faults=("cut",)
    )
    assert stored_run.trials == (wanted,)
    assert (stored_run.state, stored_run.plan, stored_run.created) == (
        RunState.FINISHED,
        run.plan,
        7.0,
    )
    assert store.load("last") == stored_run


INTENT = Intent(
    "race", 3, ("local",),
    (Varied("sda.scheduler", ("none", "bfq"), "none"), Varied("sda.nr_requests", (64, 128), 128)),
    StoredGoal("read.iops", "1/s", budget=300.0, limits=("cpu.system <= 0.5",)),
)  # fmt: skip
MEASURED = Measurement(
    0, "search", {"sda.scheduler": "none", "sda.nr_requests": 64}, "t1", 0, "block 1", 5.0,
    change_seconds=0.25, spent=6.0, settle=1.0, seconds=5.0, figure=953.0, discarded=901.5,
    breaches=("cpu.system <= 0.5",), changed=("sda.nr_requests: 128 → 64",),
)  # fmt: skip
RESULT = Result(
    ending="winner", reason="all others are out", baseline={"sda.scheduler": "none"},
    pick={"sda.scheduler": "bfq"}, winner={"sda.scheduler": "bfq"}, confirmed=True,
    gain=Verdict("read.iops", "in force", "picked", Outcome.BETTER, 0.1, (0.05, 0.15)),
    sentence="better", search=100.0, proof=20.0, applied=False, rolled_back=True,
    equivalent=({"sda.scheduler": "bfq"},),
    candidates=(
        CandidateEnd({"sda.scheduler": "bfq"}, "alive", 1, 6.25,
                     Metric("read.iops", "1/s", (953.0,), 953.0, 953.0, None, None, None)),
    ),
)  # fmt: skip


def test_a_campaign_comes_back_the_same_with_its_loops(store: Store) -> None:
    run = store.begin("study", {PLAN_KEY: intent_document(INTENT)}, created=7.0, owner="")
    store.add_trial(run.id, TRIAL)
    store.add_measurement(run.id, MEASURED, loop(0))
    refused = replace(MEASURED, number=1, loop=None, figure=None, spent=None, reason="refused")
    store.add_measurement(run.id, refused)
    campaign = store.campaign(run.id)
    assert campaign is not None
    assert (campaign.intent, campaign.measurements, campaign.result) == (
        INTENT,
        (MEASURED, refused),
        None,
    )
    assert [candidate.state for candidate in campaign.candidates] == ["infeasible"]
    assert campaign.device_seconds == 6.5
    assert store.load(run.id).trials[0].loops == (loop(0),)
    store.add_result(run.id, RESULT)
    ended = store.campaign(run.id)
    assert ended is not None
    assert (ended.result, ended.candidates) == (RESULT, RESULT.candidates)
    assert store.campaign(store.begin("run", {}, created=8.0, owner="").id) is None


def test_runs_are_listed_newest_first_without_their_loops(store: Store) -> None:
    first = store.begin("one", {}, created=1.0, owner=this_process())
    second = store.begin("two", {}, created=2.0, owner=this_process())
    store.add_trial(first.id, replace(TRIAL, loops=(loop(0),)))
    newest, oldest = store.runs()
    assert (newest.id, newest.trials, newest.loops, newest.hosts) == (second.id, 0, 0, ())
    assert (oldest.id, oldest.trials, oldest.loops, oldest.hosts) == (first.id, 1, 1, ("local",))


def test_a_run_whose_process_is_gone_is_interrupted_and_can_be_resumed(store: Store) -> None:
    mine = this_process()
    machine, pid, _ticks = mine.rsplit(":", 2)
    run = store.begin("study", {}, created=1.0, owner=f"{machine}:{pid}:1")
    assert store.load(run.id).state is RunState.INTERRUPTED
    assert store.runs()[0].state is RunState.INTERRUPTED
    resumed = store.resume(run.id, owner=mine)
    assert resumed.state is RunState.RUNNING
    with pytest.raises(UsageError, match="is running, so there is nothing to resume"):
        store.resume(run.id, owner=mine)


def test_a_run_on_another_machine_is_believed_to_be_running(store: Store) -> None:
    run = store.begin("study", {}, created=1.0, owner="elsewhere/boot:1:1")
    assert store.load(run.id).state is RunState.RUNNING


def test_a_finished_run_cannot_be_resumed(store: Store) -> None:
    run = store.begin("study", {}, created=1.0, owner=this_process())
    store.finish(run.id, RunState.FINISHED)
    with pytest.raises(UsageError, match="is finished"):
        store.resume(run.id, owner=this_process())


def test_a_wrong_or_ambiguous_id_says_so(store: Store) -> None:
    with pytest.raises(UsageError, match="there is no run 'nope'"):
        store.load("nope")
    with pytest.raises(UsageError, match="there is no run ''"):
        store.load("")
    firsts = [store.begin("s", {}, created=1.0, owner="").id[0] for _ in range(60)]
    twice = max(firsts, key=firsts.count)  # 60 ids over 29 letters: some letter comes twice
    with pytest.raises(UsageError, match="fits several runs"):
        store.load(twice)


def test_a_deleted_run_takes_its_loops_with_it(store: Store, place: str) -> None:
    run = store.begin("study", {}, created=1.0, owner="")
    store.add_trial(run.id, replace(TRIAL, loops=(loop(0),)))
    store.delete(run.id)
    assert store.runs() == ()
    url = place.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url if "://" in url else f"sqlite:///{url}")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM loops")).scalar() == 0
    engine.dispose()


_MEASURING = (
    "from iosonde.store.owner import this_process; print(this_process(), flush=True); input()"
)


def test_a_run_is_not_deleted_while_another_process_measures_it(store: Store) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _MEASURING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        run = store.begin("study", {}, created=1.0, owner=other.stdout.readline().strip())
        with pytest.raises(UsageError, match="being measured"):
            store.delete(run.id)
        before = store.begin("study", {}, created=0.5, owner="")
        with pytest.raises(UsageError, match="being measured"):
            store.delete_all([before.id, run.id])
        assert [line.id for line in store.runs()] == [run.id, before.id]
        store.delete(before.id)
        other.stdin.close()
        other.wait()
    store.delete(run.id)
    assert store.runs() == ()


def test_a_process_deletes_a_run_of_its_own(store: Store) -> None:
    run = store.begin("study", {}, created=1.0, owner=this_process())
    store.delete(run.id)
    assert store.runs() == ()


def test_the_migrations_build_exactly_todays_tables(store: Store, place: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from iosonde.store.schema import TABLES

    url = place.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url if "://" in url else f"sqlite:///{url}")
    with engine.connect() as connection:
        assert "loops" in inspect(connection).get_table_names()
        assert compare_metadata(MigrationContext.configure(connection), TABLES) == []
    engine.dispose()


def test_a_store_of_a_newer_iosonde_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    open_store(str(place)).close()
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(UsageError, match="has schema 9999, this iosonde knows up to"):
        open_store(str(place))


def test_a_file_that_is_no_store_is_told_in_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("dear diary, " * 200)
    with pytest.raises(StoreFailed, match="not a database"):
        open_store(str(place))


def test_an_unknown_scheme_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="known: postgresql, sqlite"):
        open_store("mysql://localhost/x")


_WRITER = """
import sys
from tests.contract.test_stores import TRIAL, loop
from iosonde.store import open_store
from iosonde.store.campaigns import PLAN_KEY, intent_document
from iosonde.store.owner import this_process
store = open_store(sys.argv[1])
run = store.begin("study", {}, created=1.0, owner=this_process())
store.add_trial(run.id, TRIAL)
for index in range(10**6):
    store.add_loop(run.id, "t1", loop(index))
    print(index, flush=True)
"""


@pytest.mark.parametrize(
    "delay",
    [0.031, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.0, 0.013, 0.057))],
)
def test_a_kill_at_any_moment_leaves_every_loop_that_was_reported(place: str, delay: float) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, place], stdout=subprocess.PIPE, env=dict(os.environ)
    )
    assert writer.stdout is not None
    for _ in range(3):
        writer.stdout.readline()
    time.sleep(delay)
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read().split()
    writer.stdout.close()
    writer.wait()
    reported = int(rest[-1]) + 1 if rest else 3
    store = open_store(place)
    run = store.load("last")
    store.close()
    assert run.state is RunState.INTERRUPTED
    stored = len(run.trials[0].loops)
    assert reported <= stored <= reported + 1
    assert run.trials[0].loops == tuple(loop(index) for index in range(stored))


def test_a_run_is_found_by_id_name_and_a_tag_of_its_own(store: Store) -> None:
    first = store.begin(
        "s", {}, created=1.0, owner=this_process(), name="mtu-1500", tags=("lab3", "quiet")
    )
    second = store.begin(
        "s", {}, created=2.0, owner=this_process(), name="mtu-9000", tags=("lab3",)
    )
    assert (first.name, first.tags) == ("mtu-1500", ("lab3", "quiet"))
    for wanted in (first.id, first.id[:7], "mtu-1500", "quiet"):
        assert store.load(wanted) == store.find(wanted) == first, wanted
    assert store.find("last") == second
    with pytest.raises(UsageError, match="'lab3' is a tag of several runs: ") as caught:
        store.find("lab3")
    assert f"{second.id} (mtu-9000), {first.id} (mtu-1500)" in caught.value.message
    with pytest.raises(UsageError, match="there is no run 'mtu-900'") as caught:
        store.find("mtu-900")
    assert caught.value.hint == "did you mean 'mtu-9000'?"
    with pytest.raises(UsageError, match="there is no run '%'"):
        store.find("%")
    store.delete("mtu-9000")
    assert store.find("lab3") == first
    assert [(line.name, line.tags) for line in store.runs()] == [("mtu-1500", ("lab3", "quiet"))]


def test_an_id_goes_before_a_name_and_a_name_before_a_tag(store: Store) -> None:
    first = store.begin("s", {}, created=1.0, owner=this_process(), name="base")
    second = store.begin("s", {}, created=2.0, owner=this_process(), tags=("base", first.id))
    assert store.find("base") == first
    assert store.find(first.id) == first
    for taken in ("base", second.id):
        with pytest.raises(UsageError, match="is taken by run"):
            store.begin("s", {}, created=3.0, owner=this_process(), name=taken)
        with pytest.raises(UsageError, match="is taken by run"):
            store.require_free_name(taken)
    assert len(store.runs()) == 2


def test_names_and_tags_are_changed_together_or_not_at_all(store: Store) -> None:
    run = store.begin("s", {}, created=1.0, owner=this_process(), name="a", tags=("x",))
    other = store.begin("s", {}, created=2.0, owner=this_process(), name="b")
    changed = store.label("a", name="c", add=("y", "x", "y"), remove=("x",))
    assert (changed.id, changed.name, changed.tags) == (run.id, "c", ("x", "y"))
    with pytest.raises(UsageError, match=r"has no tag 'z'") as caught:
        store.label("c", name="d", remove=("z",))
    assert caught.value.hint == "its tags: x, y"
    with pytest.raises(UsageError, match=f"the name 'b' is taken by run {other.id}"):
        store.label("c", name="b")
    assert store.find(run.id) == changed
    assert store.label("c", name="c") == changed
    assert store.label("c", name="").name == ""


def test_an_old_store_gets_names(place: str) -> None:
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    from iosonde.store import migrate

    url = place.replace("postgresql:", "postgresql+psycopg:")
    if "://" not in url:
        Path(place).parent.mkdir(parents=True)
        url = f"sqlite:///{url}"
    engine = create_engine(url)
    folder = str(migrate._PLACE)
    script = ScriptDirectory(folder, version_locations=[folder])
    environment = EnvironmentContext(
        Config(), script, fn=lambda revision, _: script._upgrade_revs("0003", revision)
    )
    with engine.begin() as connection, environment:
        environment.configure(connection=connection)
        environment.run_migrations()
        connection.execute(
            text("INSERT INTO runs VALUES ('abcdefgh', 'nightly', '{}', 1.0, 'finished', '')")
        )
    engine.dispose()
    store = open_store(place)
    old = store.load("last")
    assert (old.id, old.name, old.tags) == ("abcdefgh", "", ())
    assert store.label("abc", name="first", add=("kept",)).tags == ("kept",)
    assert store.load("first").study == "nightly"
    store.close()
