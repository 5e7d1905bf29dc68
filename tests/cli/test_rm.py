"""`iosonde rm` and `prune`: what goes, what stays, and who is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import jsonschema
import pytest

from iosonde.errors import UsageError
from iosonde.records.prediction import Forecast
from iosonde.records.printed import StoredExtra, TextLocation
from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.store.owner import this_process
from iosonde.store.packed import pack
from iosonde.store.store import Store
from iosonde.verbs import removal
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended

Command = Callable[..., Ended]
DAY = 86400.0


@pytest.fixture
def store(environment: Mapping[str, str]) -> Store:
    return open_store(environment["IOSONDE_STORE"])


@pytest.fixture
def runs(store: Store) -> dict[str, str]:
    """Two studies, a failed run, an old and a new calibration: name → id, the oldest first."""
    now, ids = time.time(), {}
    for age, name, study in (
        (60, "old", "nightly"), (50, "cal1", "calibration sda"), (40, "cal2", "calibration sda"),
        (30, "failed", "nightly"), (20, "other", "weekly"), (10, "new", "nightly"),
    ):  # fmt: skip
        run = store.begin(study, {}, created=now - age * DAY, owner="", name=name)
        store.finish(run.id, RunState.FAILED if name == "failed" else RunState.FINISHED)
        ids[name] = run.id
    return ids


def names(store: Store) -> list[str]:
    return [line.name for line in store.heads()[::-1]]


def test_rm_removes_all_or_none(iosonde: Command, store: Store, runs: dict[str, str]) -> None:
    ended = iosonde("rm", "old", "nosuch")
    assert (ended.status, ended.stdout) == (2, "")
    assert "there is no run 'nosuch'" in ended.stderr
    assert len(names(store)) == 6
    ended = iosonde("rm", "old", runs["new"], "old", "--json")
    jsonschema.validate(ended.json, schema("rm"))
    assert [run["id"] for run in ended.json["runs"]] == [runs["old"], runs["new"]]
    assert ended.json["removed"] is True
    assert names(store) == ["cal1", "cal2", "failed", "other"]
    assert iosonde("rm", "failed").stdout.startswith("1 run removed\n")


def test_what_is_measured_or_referred_to_stays(
    iosonde: Command, store: Store, runs: dict[str, str]
) -> None:
    forecast = Forecast("t1", "r5", "stack", 1.0, {}, {"iops": 1.0}, (0.0, 2.0),
                        {"disk": "calibration:sda"})  # fmt: skip
    place = TextLocation("stack.yaml", 1, 1)
    store.add_imported(runs["new"], [pack((), [StoredExtra(place, forecast)])])
    ended = iosonde("rm", "old", "cal2")
    assert (ended.status, len(names(store))) == (2, 6)
    assert f"is the calibration that a forecast in run {runs['new']} rests on" in ended.stderr
    assert iosonde("rm", "cal1").status == 0  # an older one of that name, which nobody reads
    going = store.begin("nightly", {}, created=1.0, owner=this_process(), name="going")
    ended = iosonde("rm", "old", "going")
    assert (ended.status, len(names(store))) == (2, 6)
    assert f"run {going.id} is being measured, so nothing was removed" in ended.stderr
    pruned = iosonde("prune", "--older-than", "5d", "--yes", "--json").json
    reasons = {record["name"]: record["reason"] for record in pruned["kept"]}
    assert set(reasons) == {"going", "cal2"}
    assert reasons["going"] == "is being measured"
    assert names(store) == ["going", "cal2"]
    store.finish(going.id, RunState.FINISHED)
    assert iosonde("rm", "cal2").status == 0  # what referred to it has gone


def test_prune_takes_what_all_conditions_fit(
    iosonde: Command, store: Store, runs: dict[str, str]
) -> None:
    def planned(*arguments: str) -> list[str]:
        document = iosonde("prune", *arguments, "--dry-run", "--json").json
        jsonschema.validate(document, schema("rm"))
        assert document["removed"] is False
        return [run["name"] for run in document["runs"]]

    assert planned("--keep", "1") == ["old", "cal1", "failed"]
    assert planned("--keep", "2") == ["old"]
    assert planned("--older-than", "35d") == ["old", "cal1"]  # the newest calibration stays
    assert planned("--older-than", "25d", "--filter", "study=night*") == ["old", "failed"]
    assert planned("--state", "failed") == ["failed"]
    assert planned("--state", "failed", "--older-than", "35d") == []
    assert planned("--filter", "host=x") == []
    assert len(names(store)) == 6
    assert iosonde("prune").status == 2
    assert "say which runs may go" in iosonde("prune").stderr
    assert iosonde("prune", "--state", "broken").status == 2


def test_nobody_is_asked_without_a_terminal(
    iosonde: Command, store: Store, runs: dict[str, str]
) -> None:
    ended = iosonde("prune", "--keep", "1")
    assert (ended.status, ended.stdout) == (2, "")
    assert "3 runs would be removed, and nobody can be asked without a terminal" in ended.stderr
    assert len(names(store)) == 6
    ended = iosonde("prune", "--keep", "1", "--yes")
    assert ended.stdout.splitlines()[0] == "3 runs removed"
    assert runs["old"] in ended.stdout
    assert names(store) == ["cal2", "other", "new"]
    assert iosonde("prune", "--keep", "1", "--yes").stdout == "nothing to remove\n"


def test_the_answer_decides(
    store: Store, runs: dict[str, str], environment: Mapping[str, str]
) -> None:
    place, shown = environment["IOSONDE_STORE"], []

    def agreed(planned: removal.RemovedRuns) -> bool:
        shown.append([run.name for run in planned.runs])
        return len(shown) > 1

    assert not removal.prune(keep=1, agreed=agreed, store=place).removed
    assert len(names(store)) == 6
    assert removal.prune(keep=1, agreed=agreed, store=place).removed
    assert shown == [["old", "cal1", "failed"]] * 2
    with pytest.raises(UsageError, match="neither an age nor a date"):
        removal.prune(older_than="long", store=place)
