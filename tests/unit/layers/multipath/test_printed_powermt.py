"""PowerPath's devices. Oracle: the rows that a device has."""

from __future__ import annotations

from pathlib import Path

from iosonde.verbs.explain import explain
from tests.mangle import mangled, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "multipath-composed" / "powermt.txt"
TEXT = PLACE.read_text()


def test_a_device_and_its_paths_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (device,) = subjects_in(given)
        assert (device.kind, device.name) == ("multipath", "emcpowera"), shape
        assert (device.values["paths"], device.values["failed"]) == (2, "sdd"), shape
        assert (device.values["policy"], device.values["path_errors"]) == ("SymmOpt", 1), shape


def test_a_dead_path_is_said() -> None:
    assert [f.rule for f in explain(str(PLACE)).findings] == ["failed-paths"]


def test_what_is_none() -> None:
    assert not subjects_in("Pseudo name=emcpowera\nstate=alive; policy=SymmOpt; queued-IOs=0\n")
    assert not subjects_in("The Pseudo name=emcpowera is that of the LUN.\n")
