"""`iosonde compare` as a user runs it, over a store with runs in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import jsonschema
import pytest

from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.units import MIB
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended
from tests.unit.measure import build
from tests.unit.measure.loop_tester import PASSES

Command = Callable[..., Ended]


@pytest.fixture
def runs(environment: Mapping[str, str]) -> dict[str, str]:
    """The loop tester's session in the store: name of the setting → id of its run."""
    kept = open_store(environment["IOSONDE_STORE"])
    ids = {}
    for place, (name, nodes) in enumerate(PASSES.items()):
        run = kept.begin(name, {}, created=1e9 + place, owner="")
        for host, passes in zip(("node1", "node2"), nodes, strict=True):
            loops = [
                build.loop(
                    index, {"write.bandwidth": speed * MIB}, started=1e9 + 9e4 * place + 61 * index
                )
                for index, speed in enumerate(passes)
            ]
            kept.add_trial(run.id, build.trial(loops, host=host, ident=host))
        kept.finish(run.id, RunState.FINISHED)
        ids[name] = run.id
    kept.close()
    return ids


def test_the_object_is_as_published(iosonde: Command, runs: dict[str, str]) -> None:
    ended = iosonde("compare", runs["strip 512"], runs["strip 256"], runs["strip 1024"], "--json")
    assert (ended.status, ended.stderr) == (0, "")
    jsonschema.validate(ended.json, schema("compare"))
    rows = [(v["candidate"], v["trial"]["host"], v["verdict"]) for v in ended.json["verdicts"]]
    better, worse = runs["strip 256"], runs["strip 1024"]
    assert rows == [
        (better, "node1", "better"),
        (better, "node2", "better"),
        (worse, "node1", "worse"),
        (worse, "node2", "worse"),
    ]
    assert ended.json["verdicts"][0]["change"] == pytest.approx(0.0866, abs=0.001)
    assert ended.json["comparisons"] == 4
    assert ended.json["settings_differ"] == {}


def test_the_table_has_words_intervals_and_loops(iosonde: Command, runs: dict[str, str]) -> None:
    ended = iosonde("compare", runs["strip 512"], runs["strip 256"])
    assert ended.status == 0
    answer, _, _, node1, *_ = ended.stdout.splitlines()
    said = f"against {runs['strip 512']}: {runs['strip 256']} is better in 2 of 2 trials"
    assert answer == f"{said} (write bandwidth +8.0 … +8.6 %)"
    assert node1.split()[0] == "node1"
    assert "+8.6 %" in node1
    assert "1.28 GiB/s" in ended.stdout
    assert "intervals hold for all 2 comparisons together with 95 %; margin 2 %" in ended.stdout
    unsure = iosonde("compare", runs["repeat"], runs["cached"])
    assert "has no proven change in 2 of 2 trials" in unsure.stdout.splitlines()[0]
    assert "undecided: noise too large" in unsure.stdout
    assert "within-noise" in unsure.stdout


def test_a_gate_that_fails_is_exit_1(iosonde: Command, runs: dict[str, str]) -> None:
    sides = (runs["strip 256"], runs["strip 512"])
    failed = iosonde("compare", *sides, "--gate", "write.bandwidth:5")
    assert failed.status == 1
    assert "gate write.bandwidth 5 %, certification at scratch on node1: failed" in failed.stdout
    assert iosonde("compare", *sides, "--gate", "write.bandwidth:10%").status == 0
    assert iosonde("compare", *reversed(sides), "--gate", "write.bandwidth:0").status == 0


def test_an_undecided_gate_passes_with_a_warning(iosonde: Command, runs: dict[str, str]) -> None:
    ended = iosonde(
        "compare", runs["repeat"], runs["512e"], "--gate", "write.bandwidth:0", "--json"
    )
    assert ended.status == 0
    assert {gate["state"] for gate in ended.json["gates"]} == {"undecided"}
    assert "is not failed, but undecided: the spread of the loops is too wide" in ended.stderr


def test_one_trial_of_a_run_against_another(iosonde: Command, runs: dict[str, str]) -> None:
    run = runs["strip 64"]
    ended = iosonde("compare", f"{run}/node1", f"{run}/node2", "--margin", "5%", "--json")
    (verdict,) = ended.json["verdicts"]
    assert (verdict["baseline"], verdict["candidate"]) == (f"{run}/node1", f"{run}/node2")
    assert verdict["verdict"] == "equivalent"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["A"], "a comparison takes a baseline and at least one other run"),
        (["A", "nosuchrun"], "nosuchrun"),
        (["A", "B", "--metric", "write.iosp"], "--metric: no two trials that belong together"),
        (
            ["A", "B", "--margin", "200%"],
            "--margin: a margin lies between 0 and 100 %, not at 200%",
        ),
        (["A", "B", "--gate", "write.iops"], "--gate: 'write.iops' is not METRIC:PERCENT"),
        (["A/node7", "B/node1"], "'node7' names 0 trials of run"),
    ],
)
def test_wrong_use_is_one_sentence(
    iosonde: Command, runs: dict[str, str], arguments: list[str], said: str
) -> None:
    values = {"A": runs["strip 64"], "B": runs["strip 128"]}
    given = [values.get(a[0], a[0]) + a[1:] if a[0] in values else a for a in arguments]
    ended = iosonde("compare", *given)
    assert ended.status == 2
    assert said in ended.stderr
    assert ended.stdout == ""


def test_a_trial_that_failed_is_named_and_fails_its_gate(
    iosonde: Command, environment: Mapping[str, str]
) -> None:
    kept = open_store(environment["IOSONDE_STORE"])
    ids = []
    for place, hosts in enumerate((("n1", "n2"), ("n1",))):
        run = kept.begin("two targets", {}, created=1e9 + place, owner="")
        for host in hosts:
            loops = [build.loop(at, {"write.bandwidth": 1e9 + at}) for at in range(4)]
            kept.add_trial(run.id, build.trial(loops, host=host, ident=host))
        kept.finish(run.id, RunState.FINISHED)
        ids.append(run.id)
    kept.close()
    plain = iosonde("compare", *ids)
    assert plain.status == 0
    assert f"{ids[1]} has no such trial" in " ".join(plain.stderr.split())
    ended = iosonde("compare", *ids, "--gate", "write.bandwidth:5", "--json")
    assert ended.status == 1
    jsonschema.validate(ended.json, schema("compare"))
    assert [gate["state"] for gate in ended.json["gates"]] == ["passed", "missing"]
    assert ended.json["alone"][0]["trial"] == "certification at scratch on n2"
