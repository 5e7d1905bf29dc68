"""The store that commands find: fixed figures, campaigns over simulated devices, imported texts."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.store.store import Store
from iosonde.units import MIB
from tests import campaigns
from tests.characterisation.in_process import run, surroundings
from tests.sample import sample_run
from tests.unit.measure import build
from tests.unit.measure.loop_tester import PASSES

TEXTS = {
    "page": "tests/outputs/fio-3.19-page/eight-results.txt",
    "tester": "tests/outputs/hap-fio-tester/strip-sizes.txt",
    "iozone": "tests/outputs/iozone-3.489/operations.txt",
    "host": "tests/outputs/uml-md-lvm/all.txt",
}
ROOT = Path(__file__).parents[2]


def prepare(folder: Path) -> dict[str, str]:
    """Make the store in a folder; name in the table of cases → id of the run."""
    linked(folder)
    with surroundings(folder, seed="stored"):
        store = open_store()
        try:
            ids = {**tuning_session(store), **_sample(store), **_campaigns(store)}
        finally:
            store.close()
    names = set(ids.values())
    for name, file in TEXTS.items():
        assert run(["import", file], folder).status == 0, file
        with surroundings(folder):
            store = open_store()
            (new,) = {line.id for line in store.runs()} - names
            store.close()
        names.add(new)
        ids[name] = new
    return ids


def linked(folder: Path) -> None:
    """The inputs below a folder, so that all paths are relative and of the same length anywhere."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("docs", "examples", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "inputs").symlink_to(ROOT / "tests/characterisation/inputs")


def tuning_session(store: Store) -> dict[str, str]:
    """A published tuning session: two nodes, five loops each."""
    ids = {}
    for place, (name, nodes) in enumerate(PASSES.items()):
        made = store.begin(name, {}, created=1.7e9 + 1000 * place, owner="")
        for host, passes in zip(("node1", "node2"), nodes, strict=True):
            loops = [
                build.loop(index, {"write.bandwidth": speed * MIB}, started=1.7e9 + 61 * index)
                for index, speed in enumerate(passes)
            ]
            store.add_trial(made.id, build.trial(loops, host=host, ident=host))
        store.finish(made.id, RunState.FINISHED)
        ids[name.replace(" ", "-")] = made.id
    return ids


def _sample(store: Store) -> dict[str, str]:
    """Runs with series, histograms and captures: whole, of one loop, failed, and empty."""
    ids: dict[str, str] = {}
    for name, loops, state in (
        ("sample", 5, RunState.FINISHED), ("once", 1, RunState.FINISHED),
        ("failed", 2, RunState.FAILED), ("empty", 0, RunState.INTERRUPTED),
    ):  # fmt: skip
        made = store.begin(f"{name} | study", {}, created=1.71e9 + len(ids), owner="")
        for trial in sample_run(loops).run.trials:
            store.add_trial(made.id, trial)
        store.finish(made.id, state)
        ids[name] = made.id
    return ids


def _campaigns(store: Store) -> dict[str, str]:
    small = (campaigns.SCHEDULER,)
    return {
        "race": campaigns.stored(store, campaigns.simulated("race", small, budget=300.0), "race"),
        "sweep": campaigns.stored(store, campaigns.simulated("sweep", budget=300.0), "sweep"),
        "model": campaigns.stored(store, campaigns.simulated("model", budget=300.0), "model"),
        "flat": campaigns.stored(
            store, campaigns.simulated("race", small, budget=200.0, flat=True), "flat"
        ),
        "cut": campaigns.stored(store, campaigns.simulated("race", small, stop_after=7), "cut"),
    }
