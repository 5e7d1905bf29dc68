"""`multipathd show maps json`: a map as `multipath -ll` is read, and its paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "multipath-composed" / "maps.json").read_text()


def things(text: str) -> dict[tuple[str, str], dict[str, object]]:
    return {
        (subject.kind, subject.name): dict(subject.values)
        for state in states(text)
        for subject in state.subjects
    }


def test_a_map_has_the_names_that_the_text_has() -> None:
    values = things(TEXT)["multipath", "mpathq"]
    assert (values["paths"], values["active_paths"], values["failed_paths"]) == (2, 1, 1)
    assert (values["failed"], values["below"]) == ("sdr", "sdq sdr")
    assert values["path_states"] == "sdq active ready running, sdr failed faulty offline"
    assert (values["wwid"], values["product"]) == (
        "3600a0b80005ad1d700002dfc4d9f8e21", "HERON,Array 900",
    )  # fmt: skip
    assert values["queue_if_no_path"] is True
    assert (values["handler"], values["path_selector"]) == ("alua", "service-time")
    assert (values["group_states"], values["group_priorities"]) == ("active, enabled", "50, 10")
    assert (values["path_faults"], values["group_switches"], values["queue_timeouts"]) == (9, 4, 2)
    assert "action" not in values


def test_a_path_without_what_is_undefined() -> None:
    values = things(TEXT)["disk", "sdr"]
    assert (values["checker_state"], values["device_state"]) == ("faulty", "offline")
    assert (values["multipath"], values["prio"]) == ("mpathq", 10)
    assert "host_wwnn" not in values


def test_of_a_map_that_is_cut_off_nothing_is_counted() -> None:
    cut = things(TEXT[: TEXT.rindex('"dev_t"') - 20])["multipath", "mpathq"]
    assert (cut["active_paths"], cut["below"]) == (1, "sdq")
    assert not cut.keys() & {"paths", "failed_paths", "path_groups"}


def test_a_path_without_a_name_has_none() -> None:
    said = things(TEXT.replace('"dev" : "sdr",', ""))
    assert said["multipath", "mpathq"]["below"] == "sdq"
    assert not [name for _, name in said if "None" in name]


def test_one_map() -> None:
    text = TEXT.replace('"maps": [{', '"map":{').replace("   }]\n}\n", "   }\n}\n")
    assert things(text) == things(TEXT)


def test_every_shape_and_without_a_command() -> None:
    expected = things(TEXT)
    for shape, changed in mangled(TEXT):
        assert things(changed) == expected, shape
    assert things(TEXT.partition("\n")[2]) == expected


@pytest.mark.parametrize("text", [
    '{"major_version": 1, "minor_version": 2, "map": "of the town"}\n', 'see "path_groups"\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not states(text)
