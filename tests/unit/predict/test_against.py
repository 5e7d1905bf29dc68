"""Predicted beside measured, its record, and the whole space ranked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iosonde.errors import UsageError
from iosonde.loads.named import declare_load
from iosonde.predict.against import forecast, measured, order, require_same_stack
from iosonde.predict.search import Question, ranking, search
from iosonde.predict.time import Time
from iosonde.predict.what_if import SettingValues
from iosonde.records.load import Target, TargetKind
from iosonde.records.prediction import Forecast
from iosonde.records.printed import StoredExtra, TextLocation
from iosonde.records.run import Run, RunState
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Capture
from iosonde.report import FORMATS
from iosonde.stack.file import understand
from iosonde.store import open_store
from iosonde.store.packed import pack
from iosonde.verbs.schema import schema
from tests.sample import sample_run
from tests.unit.measure.build import loop, trial
from tests.unit.predict.discovered_stacks import layer

ROOT = Path(__file__).parents[3]
SAID = Time(100.0, 409600.0, 0.01, (90.0, 120.0), 1, "d1", {"d1": 1.0})


def of(figures: Mapping[str, float], ident: str = "t") -> Forecast | None:
    return forecast(trial([loop(0, figures)], ident=ident), "r", "s", SAID, {"d1": "7k2-sata"})


def test_both_directions_count_together() -> None:
    loops = [
        loop(0, {
            "read.iops": 60.0, "read.bandwidth": 6e5, "read.latency.mean": 0.01,
            "write.iops": 20.0, "write.bandwidth": 2e5, "write.latency.mean": 0.03,
        }),
        loop(1, {"read.iops": 100.0, "read.bandwidth": 1e6, "read.latency.mean": 0.02}),
        loop(2, {}),
    ]  # fmt: skip
    values = measured(trial(loops))
    assert values == pytest.approx({"iops": 90, "bandwidth": 9e5, "latency_mean": 0.0175})
    assert measured(trial([])) == {}


def test_how_far_off_and_whether_within_the_band() -> None:
    inside, outside = of({"write.iops": 110.0}), of({"write.iops": 80.0})
    assert inside is not None
    assert outside is not None
    assert inside.inside
    assert not outside.inside
    assert outside.off("iops") == pytest.approx(0.25)
    assert outside.off("latency_mean") is None
    assert of({}) is None


def test_the_order_is_kendalls() -> None:
    def pair(predicted: float, seen: float) -> Forecast:
        return Forecast("t", "r", "s", 0.0, {"iops": predicted}, {"iops": seen}, (0, 1))

    rising = [pair(1, 10), pair(2, 20), pair(3, 30)]
    assert order(rising) == 1
    assert order([*rising, pair(4, 5)]) == 0  # three pairs agree, three do not
    assert order(rising[:1]) is None
    assert order([pair(1, 10), pair(1, 20)]) is None


def test_the_record_is_kept_with_the_run_and_shown_in_its_report(tmp_path: Path) -> None:
    predicted = of({"write.iops": 80.0})
    assert predicted is not None
    store = open_store(str(tmp_path / "store.sqlite"))
    try:
        run = store.begin("s", {}, created=0.0, owner="")
        store.add_imported(
            run.id, [pack((), [StoredExtra(TextLocation("s.yaml", 1, 1), predicted)])]
        )
        (kept,) = store.evidence(run.id)
    finally:
        store.close()
    assert kept.what == predicted
    sample = sample_run()
    sheet = RunSheet(sample.run, sample.trials, forecasts=(predicted,))
    for name in ("html", "markdown"):
        text = FORMATS.load(name)().serialize([sheet]).decode()
        assert "Predicted and measured" in text
        assert "0 of 1 measured rates" in text
        assert "+25.0 %" in text
        assert "Predicted and measured" not in FORMATS.load(name)().serialize([sample]).decode()


STACK = """
stack: s
hosts: {n: {at: local}}
layers:
  d1: {kind: disk, host: n, path: /dev/x1, size: 1 GiB}
  d2: {kind: disk, host: n, path: /dev/x2, size: 1 GiB}
  d3: {kind: disk, host: n, path: /dev/x3, size: 1 GiB}
  d4: {kind: disk, host: n, path: /dev/x4, size: 1 GiB}
  r: {kind: md, level: 5, chunk_size: 64k, of: [d1, d2, d3, d4]}
devices: {disk: "limits:iops=200"}
"""


def question(tmp_path: Path) -> Question:
    file = tmp_path / "s.yaml"
    file.write_text(STACK)
    text = "fio --name=x --rw=randwrite --bs=4k --direct=1 --iodepth=32 --ioengine=libaio"
    return Question(file, "", declare_load(text, where="test", directory=Path()), {}, None, 200)


def test_the_whole_space_is_ranked_with_what_cannot_be(tmp_path: Path) -> None:
    combinations = search(question(tmp_path), [SettingValues("r", "level", ("6", "10", "0", "3"))])
    assert [combination.settings["r.level"] for combination in combinations] == [
        "0",
        "10",
        "6",
        "3",
    ]
    document = ranking(combinations, "x").to_json()
    jsonschema.validate(document, schema("prior"))
    assert [record["rank"] for record in document["ranking"]] == [1, 2, 3]
    assert len(document["without"]) == 1


@pytest.mark.slow
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one CPU")
def test_other_processes_find_the_same(tmp_path: Path) -> None:
    changes = [
        SettingValues("r", "level", ("0", "5", "6", "10")),
        SettingValues("r", "chunk_size", ("16k", "64k", "128k", "256k", "512k")),
    ]
    asked = question(tmp_path)
    alone, shared = search(asked, changes, workers=1), search(asked, changes, workers=2)
    assert alone == shared
    assert len(alone) == 20


def test_a_space_can_be_too_large(tmp_path: Path) -> None:
    values = tuple(f"{number}k" for number in range(400))
    changes = [
        SettingValues("r", "chunk_size", values),
        SettingValues("r", "stripe_cache_size", values),
    ]
    with pytest.raises(UsageError, match="160000 combinations"):
        search(question(tmp_path), changes)


# ── of another stack ──────────────────────────────────────────────────────────────────────────

FOUR = "[a, b, c, d]"


def declared_as(level: int, chunk: str = "64k", name: str = "mine", members: str = FOUR) -> Any:
    disks = [
        f"  {label}: {{kind: disk, host: h, size: 1 GiB, path: /dev/{label}}}" for label in "abcd"
    ]
    array = f"  r: {{kind: md, level: {level}, chunk_size: {chunk}, of: {members}}}"
    text = [f"stack: {name}", "hosts: {h: {at: local}}", "layers:", *disks, array]
    return understand("\n".join(text), "s.yaml")


def held(
    declared: Any, *, level: str = "raid5", at: str = "r", array: bool = True, host: str = "h",
    **study: Any,
) -> None:  # fmt: skip
    """A trial on an array of four disks (or on a bare disk) is held against a declared stack."""
    disks = tuple(layer("disk", name, ()) for name in "abcd")
    below = tuple(f"disk:{name}" for name in "abcd")
    facts: dict[str, Any] = {"level": level, "raid_disks": 4, "chunk_size": 65536}
    md = layer("md", "md0", below, **facts)
    capture = Capture(0.0, (), (md, *disks) if array else disks)
    target = Target("h", "/dev/md0" if array else "/dev/a", TargetKind.DEVICE)
    sample = replace(trial([loop(0, {})]), host=host, probe=at, target=target, capture=capture)
    run = Run("run", "s", {"study": study}, 0.0, RunState.FINISHED, (sample,))
    require_same_stack(run, sample, declared.site("r"), declared)


def test_a_run_of_the_same_stack_is_held_against_it() -> None:
    held(declared_as(5))
    held(declared_as(5), at="/dev/md0")
    held(declared_as(5), stack="/elsewhere/s.yaml")
    held(declared_as(1), level="raid1")  # whose chunk means nothing
    held(declared_as(5), stack="/s.yaml", host="lab:mine/h")


@pytest.mark.parametrize(
    ("declared", "more", "why"),
    [
        (declared_as(10), {}, "there was raid5 of 4 members, chunks of 65536 bytes, not raid10"),
        (declared_as(5, "512k"), {}, "not raid5 of 4 members, chunks of 524288 bytes"),
        (declared_as(5, members="[a, b, c]"), {}, "not raid5 of 3 members"),
        (declared_as(5), {"array": False}, "there was none of"),
        (declared_as(5), {"at": "lv", "stack": "/s.yaml"}, "measured at the layer 'lv'"),
        (declared_as(5), {"host": "lab:other/h", "stack": "/s.yaml"}, "of the stack 'other'"),
    ],
)
def test_a_run_of_another_stack_is_refused(declared: Any, more: Any, why: str) -> None:
    with pytest.raises(UsageError, match="was not measured on r of mine") as problem:
        held(declared, **more)
    assert why in problem.value.message
