"""What each layer costs."""

from __future__ import annotations

import jsonschema
import pytest

from iosonde.contract import as_json
from iosonde.errors import UsageError
from iosonde.explain.judge import findings
from iosonde.explain.waterfall import waterfalls
from iosonde.records.evidence import EvidenceSet, TrialEvidence
from iosonde.report.waterfall import notes_of, rows_of
from iosonde.report.waterfall_chart import waterfall_figure
from iosonde.verbs.schema import schema
from tests.unit.explain.cases import case_of, loop_tester_page, network_page, trial


def stack() -> EvidenceSet:
    below = {"write.iops": [1000.0, 1010, 990], "write.latency.mean": [1.0e-3, 0.99e-3, 1.01e-3]}
    above = {"write.iops": [500.0, 505, 495], "write.latency.mean": [2.0e-3, 1.98e-3, 2.02e-3]}
    return EvidenceSet(
        trials=(
            trial(above, label="file system", stands_on=(("xfs", "a"), ("md", "b"), ("disk", "c"))),
            trial(below, label="disk", stands_on=(("disk", "c"),)),
        )
    )


def test_own_trials_stand_in_the_order_of_the_layers_and_have_intervals() -> None:
    (fall,) = waterfalls(stack())
    disk, files = fall.steps
    assert (disk.label, files.label) == ("disk", "file system")
    assert disk.kept is None
    assert files.kept is not None
    assert files.kept.change == pytest.approx(-0.5)
    low, high = files.kept.interval or (0.0, 0.0)
    assert low < -0.5 < high < -0.45
    assert files.latency_added is not None
    assert files.latency_added.change == pytest.approx(1e-3)
    assert files.latency_added.interval is not None
    assert not list(notes_of(fall))


def test_imported_trials_stand_in_the_order_asked_for() -> None:
    case = case_of(network_page())
    falls = waterfalls(case, findings(case), ["Result 2", "Result 3", "Result 4"])
    fio = next(fall for fall in falls if fall.headline == "write.iops")
    assert [step.rate for step in fio.steps] == pytest.approx([88_600, 77_800, 76_200])
    added = [step.latency_added.change if step.latency_added else None for step in fio.steps]
    assert added == [None, pytest.approx(1.11e-6), pytest.approx(0.57e-6)]
    assert all(step.latency_added.interval is None for step in fio.steps if step.latency_added)
    assert {step.doubt for step in fio.steps} == {"page-cache"}
    assert len(list(notes_of(fio))) == 2
    hdparm = next(fall for fall in falls if fall.headline != "write.iops")
    assert {step.doubt for step in hdparm.steps} == {""}


def test_without_an_order_the_text_gives_it() -> None:
    case = case_of(network_page())
    assert sorted(len(fall.steps) for fall in waterfalls(case)) == [8, 8]


def test_a_label_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="label of no trial"):
        waterfalls(stack(), (), ["floppy"])


def test_one_place_is_no_waterfall() -> None:
    assert waterfalls(EvidenceSet(trials=stack().trials[:1])) == ()


def test_table_and_chart_say_the_same() -> None:
    (fall,) = waterfalls(stack())
    rows = list(rows_of(fall))
    assert rows[0][2] == "–"
    assert rows[1][2].startswith("50.0 % (")
    assert rows[1][5].startswith("+1 ms")
    assert "2 probe points" in waterfall_figure(fall).alt


def test_each_step_is_held_against_the_base_too() -> None:
    case = case_of(network_page())
    fall = next(
        waterfall for waterfall in waterfalls(case, (), ["Result 2", "Result 3", "Result 4"])
        if waterfall.headline == "write.iops"
    )  # fmt: skip
    first, _, last = fall.steps
    assert first.latency_over_base is None
    assert last.latency_over_base is not None
    assert last.latency_over_base.change == pytest.approx(1.68e-6)
    assert last.of_base is not None
    assert last.of_base.change == pytest.approx(76_200 / 88_600 - 1)
    assert last.cpu_over_base is not None
    # of the I/Os that fio counted; the rates here are rounded to three digits
    assert last.cpu_over_base.change == pytest.approx(0.4583 / 76_200 - 0.4406 / 88_600, rel=0.01)


def test_settings_swept_at_one_place_are_no_waterfall() -> None:
    assert waterfalls(case_of(loop_tester_page())) == ()
    swept = tuple(
        trial({"write.iops": [rate] * 3}, label=f"{rate}", target="/dev/md0") for rate in (1.0, 2.0)
    )
    assert waterfalls(EvidenceSet(trials=swept)) == ()
    assert len(waterfalls(EvidenceSet(trials=swept), (), ["1.0", "2.0"])) == 1


def test_loads_that_differ_have_a_waterfall_each() -> None:
    trials = tuple(
        trial({"write.iops": [1000.0, 1001]}, label=f"{size} {place}", target=place,
              options={"bs": size, "rw": "randwrite"})
        for size in (4096, 65536) for place in ("/dev/sda", "/dev/md0")
    )  # fmt: skip
    subjects = [fall.subject for fall in waterfalls(EvidenceSet(trials=trials))]
    assert subjects == [
        "fio (randwrite, bs 4 KiB) of page, in the order of the text",
        "fio (randwrite, bs 64 KiB) of page, in the order of the text",
    ]


@pytest.mark.parametrize("page", [True, False])
def test_the_document_has_its_published_form(page: bool) -> None:
    case = case_of(network_page()) if page else stack()
    documents = as_json(waterfalls(case))
    assert documents
    whole = {"schema": "iosonde.explain/1", "findings": [], "waterfall": documents}
    jsonschema.validate(whole, schema("explain"))


def test_the_chart_shows_intervals_where_there_are_any() -> None:
    (fall,) = waterfalls(stack())
    assert "rule" in str(waterfall_figure(fall).chart.to_dict())
    single = waterfalls(case_of(network_page()))[0]
    assert "rule" not in str(waterfall_figure(single).chart.to_dict())


def test_a_layer_that_is_faster_than_what_it_stands_on_is_noted() -> None:
    low, high = ({"write.iops": [rate, 1.01 * rate, 0.99 * rate]} for rate in (1000.0, 5000.0))
    case = EvidenceSet(
        trials=(
            trial(low, label="disk", stands_on=(("disk", "c"),)),
            trial(high, label="loop", stands_on=(("ext4", "a"), ("loop", "b"), ("disk", "c"))),
        )
    )
    (fall,) = waterfalls(case)
    (note,) = notes_of(fall)
    assert note.startswith("“loop”: faster than the step before")


def test_of_a_load_that_syncs_the_latency_is_that_of_its_syncs() -> None:
    def step(label: str, sync: float, **more: object) -> object:
        figures = {"write.iops": [1 / sync] * 3, "write.latency.mean": [4e-5] * 3,
                   "sync.latency.mean": [sync, sync * 1.01, sync * 0.99]}  # fmt: skip
        return trial(figures, label=label, **more)  # type: ignore[arg-type]

    disk = step("disk", 6e-4, stands_on=(("disk", "c"),))
    files = step("file system", 9e-4, stands_on=(("xfs", "a"), ("disk", "c")))
    (fall,) = waterfalls(EvidenceSet(trials=(disk, files)))  # type: ignore[arg-type]
    assert fall.timed == "sync.latency.mean"
    assert [waterfall_step.latency for waterfall_step in fall.steps] == pytest.approx([6e-4, 9e-4])
    assert any("syncs" in note for note in notes_of(fall))
    assert "syncs" in waterfall_figure(fall).title
    (plain,) = waterfalls(stack())
    assert plain.timed == "write.latency.mean"
    assert not any("syncs" in note for note in notes_of(plain))


def test_branches_are_compared_only_along_the_path_of_a_request() -> None:
    figures = {"write.iops": [1000.0, 1010.0, 990.0]}

    def at(label: str, *path: str) -> TrialEvidence:
        kinds = tuple((name.split("/")[1].split(":")[0], name.split(":")[1]) for name in path)
        return trial(figures, label=label, stands_on=kinds, path=path)

    left = ("s1/md:md0", "s1/disk:vda", "s1/disk:vdb")
    right = ("s2/md:md0", "s2/disk:vda", "s2/disk:vdb")
    case = EvidenceSet(
        trials=(
            at("a1", *left[1:2]), at("a2", *left[2:]), at("b1", *right[1:2]),
            at("ra", *left), at("rb", *right),
            at("fs", "s1/xfs:/m", "s1/drbd:drbd0", *left, *right),
        )
    )  # fmt: skip
    steps = [[step.label for step in fall.steps] for fall in waterfalls(case)]
    assert steps == [["a1", "ra", "fs"], ["b1", "rb"]]
    (alone,) = waterfalls(EvidenceSet(trials=case.trials[:1] + case.trials[3:4]))
    assert ", up to" not in alone.subject


def test_siblings_alone_make_no_waterfall() -> None:
    figures = {"write.iops": [1000.0, 1010.0, 990.0]}
    disks = (trial(figures, label="a", stands_on=(("disk", "a"),)),
             trial(figures, label="b", stands_on=(("disk", "b"),)))  # fmt: skip
    assert waterfalls(EvidenceSet(trials=disks)) == ()
