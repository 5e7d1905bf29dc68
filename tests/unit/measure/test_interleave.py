"""Studies in turns: what the arms are, in which order they come, and which loops are pairs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import ValidationError

from iosonde.errors import UsageError
from iosonde.measure.comparison import compare
from iosonde.measure.in_turns import command_in_turns, paired_loops, split
from iosonde.measure.interleave import spread
from iosonde.measure.plan import Plan, make_plan, plan_again
from iosonde.measure.sheet import sheet
from iosonde.measure.study import Study
from iosonde.measure.turns import blocks, order
from iosonde.records.run import Run, RunState
from tests.unit.measure import build

SETTINGS = ["sda.scheduler=none", "sda.scheduler=bfq"]


def planned(arms: object, **keys: object) -> Plan:
    return make_plan(Study.model_validate({"interleave": arms, **keys}), where="test")


@pytest.mark.parametrize(
    ("arms", "kind"),
    [
        (["/mnt/a", "/mnt/b"], "targets"),
        (["./a", "db1:/mnt/b"], "targets"),
        (["/mnt/a.x=1", "/mnt/b.x=2"], "targets"),
        ([{"path": "/mnt/a", "name": "fast"}, "/mnt/b"], "targets"),
        (["latency", "iops"], "loads"),
        (["fio --name=a --rw=read --size=1m", {"load": "latency", "bs": "8k"}], "loads"),
        (SETTINGS, "settings"),
        (["loop:loop0.nr_requests=4", {"sda.scheduler": "none", "sda.rotational": False}],
         "settings"),
        (["ext4:/.atime=noatime", "ext4:/.atime=relatime"], "settings"),
    ],
)  # fmt: skip
def test_arms_are_known_by_their_form(arms: list[object], kind: str) -> None:
    assert spread({"interleave": arms})["interleave"]["of"] == kind


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ({"interleave": ["/a", "latency"]}, "not one of the targets and one of the loads"),
        ({"interleave": ["/a"]}, "takes two"),
        ({"interleave": "/a"}, "takes two"),
        ({"interleave": [SETTINGS[0]] * 2}, "are the same settings"),
        ({"interleave": ["/a", "/b"], "targets": "/c"}, "leave out `targets`"),
        ({"interleave": ["/a", "/b"], "until": {"steady": True}}, "`until` and `require` end each"),
        ({"interleave": ["/a", "/b"], "simultaneous": True}, "not `simultaneous`"),
    ],
)
def test_what_cannot_be_taken_in_turns_is_refused(keys: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Study.model_validate({"loads": ["latency"], **keys})


def test_loads_of_two_engines_and_lists_are_refused() -> None:
    with pytest.raises(UsageError, match="lists make 3"):
        planned(["latency", {"load": "iops", "iodepth": [1, 2]}], targets="/a")
    with pytest.raises(UsageError, match="two loads of one engine"):
        planned(["latency", "hdparm -t"], targets="/a")


def test_a_pass_has_each_pair_together_and_the_next_one_reverses_it() -> None:
    load = {"fio": {"rw": "randread", "size": "1m", "bs": ["4k", "64k"]}}
    plan = planned(SETTINGS, targets=["/a", "/b"], loads=[load, "latency"])
    every = blocks(plan.rounds)
    assert [len(block) for block in every] == [4, 4, 2, 2]
    passes = [[part[0] for part in order(every[0], 1, number)] for number in range(8)]
    for taken in passes:
        assert [planned_trial.pair for planned_trial in taken[::2]] == [
            planned_trial.pair for planned_trial in taken[1::2]
        ]
    assert passes[1] == passes[0][::-1]
    assert len({taken[0].arm for taken in passes}) == 2  # by lot which one begins


@pytest.mark.parametrize("arms", [["/a", "/b"], ["latency", "iops"], SETTINGS])
def test_a_stored_plan_has_the_same_arms(arms: list[str]) -> None:
    keys: dict[str, object] = {"targets": "/a", "loads": ["latency"]}
    keys.pop({"/a": "targets", "latency": "loads"}.get(arms[0], ""), None)
    plan = planned(arms, **keys)
    again = plan_again(json.loads(json.dumps(plan.document())))
    assert again.rounds == plan.rounds
    assert [part[0].arm for part in again.rounds] == arms
    assert len({part[0].pair for part in again.rounds}) == 1


def interleaved(a: list[float], b: list[float]) -> Run:
    """A B, B A … of rates, a minute each."""
    plan = planned(["/a", "/b"], loads=["latency"])
    trials = []
    for place, (part, rates) in enumerate(zip(plan.rounds, (a, b), strict=True)):
        moments = [1e9 + 60.0 * (2 * index + (place ^ (index % 2))) for index in range(len(rates))]
        loops = [
            build.loop(index, {"read.iops": rate}, started=moments[index])
            for index, rate in enumerate(rates)
        ]
        probe = part[0].probe.name
        trials.append(build.trial(loops, ident=part[0].id, probe=probe, name="latency"))
    return Run("r1", "study", plan.document(), 1e9, RunState.FINISHED, tuple(trials))


def test_a_drift_hides_nothing_from_arms_and_all_from_runs() -> None:
    """5 % and a fall of 2 % a loop; the scatter is 0.2 %."""
    scatter = [1.002, 0.999, 1.001, 0.998, 1.0]
    moments = [[2 * index + (place ^ (index % 2)) for index in range(5)] for place in range(2)]
    a, b = (
        [1000 * 0.98**moment * share for moment, share in zip(moments[place], scatter, strict=True)]
        for place in range(2)
    )
    run = interleaved(a, [rate * 1.05 for rate in b])
    (answer,) = compare(split(sheet(run))).answers
    verdict = answer.judgement.verdict
    assert verdict.outcome.value == "better"
    assert verdict.change == pytest.approx(0.05, abs=0.003)
    assert (verdict.baseline, verdict.candidate) == ("r1//a", "r1//b")
    assert answer.circumstances.a_first == (True, False, True, False, True)
    assert verdict.change is not None
    assert answer.figures[1] / answer.figures[0] == pytest.approx(1 + verdict.change)
    apart = sheet(replace(run, plan={}))
    run_sheet, other = (replace(apart, trials=(trial,)) for trial in apart.trials)
    (plain,) = compare([run_sheet, other]).answers
    assert plain.judgement.verdict.outcome.value == "undecided"


def test_only_loops_of_both_are_pairs_and_few_decide_nothing() -> None:
    run = interleaved([1000, 1001, 999, 1000], [2000, 2001, 1999])
    a, b, a_first = paired_loops(*run.trials)
    assert (len(a.loops), len(b.loops), a_first) == (3, 3, (True, False, True))
    (answer,) = compare(split(sheet(run))).answers
    assert answer.judgement.verdict.outcome.value == "undecided"
    assert answer.judgement.verdict.more_loops == 1
    assert answer.judgement.reason.startswith("in turns, two pairs in each order")
    whole = interleaved([1000, 1001, 999, 1000], [2000, 2001, 1999, 2000])
    assert compare(split(sheet(whole))).answers[0].judgement.verdict.outcome.value == "better"


def test_other_runs_have_no_arms() -> None:
    run = interleaved([1000] * 4, [2000] * 4)
    assert split(sheet(replace(run, plan={}))) == []
    assert split(sheet(replace(run, plan={"study": {"targets": []}}))) == []


@pytest.mark.parametrize(
    ("changed", "settings", "arguments"),
    [
        ({"path": "/b", "name": "/b"}, {}, ["--interleave", "/a", "/b", "--load", "latency"]),
        ({"path": "/b", "name": "/b", "host": "db1"}, {},
         ["--interleave", "/a", "db1:/b", "--load", "latency"]),
        ({}, {"node1/disk:sda.scheduler": ("none", "bfq")},
         ["--interleave", "disk:sda.scheduler=none", "disk:sda.scheduler=bfq", "--target", "/a",
          "--load", "latency"]),
        ({}, {"a.b": (1, 2), "a.c": (1, 2)}, []),
        ({}, {}, []),
        ({"name": "elsewhere"}, {"a.b": (1, 2)}, []),
    ],
)  # fmt: skip
def test_the_command_that_repeats_two_runs_in_turns(
    changed: dict[str, str], settings: dict[str, tuple[object, ...]], arguments: list[str]
) -> None:
    def run(**target: str) -> Run:
        place = {"path": "/a", "name": "/a", "host": "local", **target}
        study: dict[str, object] = {"targets": [place], "loads": ["latency"], "seconds": 5.0}
        return Run("r", "s", {"study": study}, 0.0, RunState.FINISHED)  # type: ignore[dict-item]

    probes = ("/a", "/a" if changed.get("name") == "elsewhere" else changed.get("name", "/a"))
    trials = [build.trial([], name="latency", probe=probe) for probe in probes]
    names = command_in_turns(
        (run(), run(**changed)),
        (trials[0], trials[1]),
        settings,  # type: ignore[arg-type]
    )
    assert list(names) == (["iosonde", "run", *arguments, "--seconds", "5"] if arguments else [])
