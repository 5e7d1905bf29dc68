"""Studies of tune: what they say, and complaints with their line."""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.tune.campaign.declare import RACE_UP_TO, understand

STUDY = """\
study: disk
targets: /dev/sda
load: {load: latency, size: 64m}
vary:
  sda.scheduler: [none, mq-deadline]
  sda.nr_requests: {from: 32, to: 256, count: 4, ratio: true}
  eth1.mtu: {values: [1500, 9000], also: target/eth1.mtu}
goal: {minimise: read.latency.p99, margin: 2%}
subject to: [safe, "cpu.system <= 0.5"]
allow: sda.write_cache=write through
budget: 4 min
loop: 3s
"""


def test_a_study_is_understood() -> None:
    study = understand(STUDY, "x.yaml").study
    assert [values.listed() for values in study.vary.values()] == [
        ["none", "mq-deadline"], [32, 64, 128, 256], [1500, 9000],
    ]  # fmt: skip
    assert study.vary["eth1.mtu"].also == ["target/eth1.mtu"]
    assert (study.goal.metric, study.goal.maximise, study.goal.margin) == (
        "read.latency.p99", None, 0.02,
    )  # fmt: skip
    assert (study.budget, study.loop, study.settle) == (240, 3, 1)
    assert study.limits == ["safe", "cpu.system <= 0.5"]
    plain = study.plain()
    assert (plain.seconds, plain.loads, plain.targets[0].path) == (3, study.loads, "/dev/sda")


def test_the_strategy_hangs_on_the_field_unless_it_is_named() -> None:
    study = understand(STUDY, "x.yaml").study
    assert study.strategy_for(RACE_UP_TO) == "race"
    assert study.strategy_for(RACE_UP_TO + 1) == "model"
    assert understand(STUDY + "strategy: sweep\n", "x").study.strategy_for(999) == "sweep"


def test_several_places_are_for_stages() -> None:
    text = STUDY.replace("targets: /dev/sda", "stack: s.yaml\nat: [disk, fs]")
    with pytest.raises(UsageError, match="`strategy: staged`, which measures each stage"):
        understand(text, "x.yaml")
    assert understand(text + "strategy: staged\n", "x").study.at == ["disk", "fs"]
    with pytest.raises(UsageError, match="one target"):
        understand(STUDY.replace("/dev/sda", "[/dev/sda, /dev/sdb]") + "strategy: staged\n", "x")


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("loop: 3s", "lop: 3s", 12, "no key 'lop'"),
        ("0.5", "half", 9, "not a share"),
        ("minimise: read.latency.p99", "minimise: speed", 8, "not a metric"),
        ("minimise: read.latency.p99", "margin: 1%", 8, ""),
        ("[none, mq-deadline]", "[none, none]", 5, "twice"),
        ("[none, mq-deadline]", "[]", 5, "list of values"),
        ("count: 4", "count: 1", 6, "greater than or equal to 2"),
        ("from: 32, ", "", 6, "a range needs"),
        ("from: 32", "from: 512", 6, "no 4 values lie between"),
        ("budget: 4 min", "strategy: luck", 11, "known: sweep, grid, race"),
        ("/dev/sda", "[/dev/sda, /dev/sdb]", 0, "one target"),
        ("load: {", "loads: [latency, iops]\nignored: {", 0, "no key"),
        ("loop: 3s", "seconds: 3s", 0, "`loop` here"),
        ("loop: 3s", "until: {steady: true}", 0, "for `iosonde run`"),
        ("loop: 3s", "exclude: [{sda.nomerges: 2}]", 0, "not varied"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, line: int, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        understand(STUDY.replace(old, new), "x.yaml")
    assert said in raised.value.message + raised.value.hint
    if line:
        assert raised.value.where == f"x.yaml:{line}"
