"""`iosonde baseline`, and runs that are compared with one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import jsonschema
import pytest

from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended
from tests.unit.measure import build

Command = Callable[..., Ended]


@pytest.fixture
def runs(environment: Mapping[str, str]) -> list[str]:
    """Two runs alike, and one that is 10 % slower."""
    kept, ids = open_store(environment["IOSONDE_STORE"]), []
    for place, speed in enumerate((1e8, 1e8, 0.9e8)):
        run = kept.begin("nightly", {}, created=1e9 + place, owner="", name=f"n{place}")
        kept.add_trial(
            run.id, build.trial(build.speeds([speed * (1 + 0.001 * loop) for loop in range(5)]))
        )
        kept.finish(run.id, RunState.FINISHED)
        ids.append(run.id)
    kept.close()
    return ids


@pytest.mark.slow
def test_runs_are_compared_with_a_baseline(iosonde: Command, runs: list[str]) -> None:
    ended = iosonde("baseline", "set", "good", "n0", "--json")
    jsonschema.validate(ended.json, schema("baseline"))
    assert [(baseline["name"], baseline["run"]) for baseline in ended.json["baselines"]] == [
        ("good", runs[0])
    ]
    ended = iosonde("compare", "--baseline", "good", "--gate", "write.bandwidth:5")
    assert ended.status == 1
    assert ended.stdout.startswith(f"{runs[2]} against {runs[0]}: write bandwidth worse")
    assert f"next: iosonde report {runs[0]} last" in ended.stdout
    ended = iosonde("compare", "n1", "--baseline", "good", "--json")
    assert ended.json["verdicts"][0]["verdict"] == "equivalent"
    assert iosonde("baseline", "set", "good").status == 0
    assert iosonde("baseline", "--json").json["baselines"][0]["run"] == runs[2]


def test_a_baseline_stays_until_it_is_one_no_more(iosonde: Command, runs: list[str]) -> None:
    assert iosonde("baseline", "set", "good", "n0").status == 0
    ended = iosonde("rm", "n0", "n1")
    assert (ended.status, "is the baseline good" in ended.stderr) == (2, True)
    pruned = iosonde("prune", "--filter", "study=nightly", "--yes", "--json").json
    assert [run["name"] for run in pruned["runs"]] == ["n1", "n2"]
    assert pruned["kept"][0]["reason"] == "is the baseline good"
    assert iosonde("baseline", "remove", "good").stdout.splitlines() == [
        "baseline good is removed",
        "no baselines; `iosonde baseline set NAME RUN` makes one",
    ]
    assert iosonde("rm", "n0").status == 0


@pytest.mark.slow
def test_what_is_no_baseline(iosonde: Command, runs: list[str]) -> None:
    for row, message in (
        (("baseline", "set"), "say which baseline"), (("baseline", "sit", "x"), "expected set"),
        (("baseline", "set", "a/b"), "is not a valid name"),
        (("baseline", "set", "x", "nosuch"), "there is no run 'nosuch'"),
        (("baseline", "remove", "x"), "there is no baseline 'x'"),
        (("baseline", "remove", "x", "y"), "one baseline is removed at a time"),
        (("baseline", "list", "x"), "takes no name"),
        (("compare", "--baseline", "x"), "there is no baseline 'x'"),
        (("compare",), "say which runs"),
    ):  # fmt: skip
        ended = iosonde(*row)
        assert (ended.status, ended.stdout) == (2, ""), row
        assert message in ended.stderr, row
