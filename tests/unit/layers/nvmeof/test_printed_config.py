"""nvmetcli's config.json: ports, subsystems and namespaces by the names of its tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "nvmetcli-composed" / "config.json").read_text()
NQN = "nqn.2026-01.org.example:pond"


def things(text: str) -> dict[str, dict[str, object]]:
    return {
        subject.name: dict(subject.values) for state in states(text) for subject in state.subjects
    }


def test_a_port() -> None:
    port = things(TEXT)["port_7"]
    assert (port["trtype"], port["traddr"], port["trsvcid"]) == ("tcp", "192.0.2.21", 4421)
    assert (port["inline_data_size"], port["subsystems"]) == (16384, NQN)
    assert port["ana_group_1_state"] == "optimized"


def test_a_subsystem_and_its_namespaces() -> None:
    said = things(TEXT)
    assert (said[NQN]["allow_any"], said[NQN]["serial"]) == (0, "7c91e04b2da35f68")
    assert said[NQN]["allowed_hosts"] == "nqn.2026-01.org.example:reed"
    marsh, fen = said[f"{NQN}/namespace_12"], said[f"{NQN}/namespace_13"]
    assert (marsh["path"], marsh["state"], marsh["grpid"]) == ("/dev/vg5/marsh", "enabled", 1)
    assert (fen["namespace"], fen["state"]) == (13, "disabled")


def test_every_shape_and_without_a_command() -> None:
    expected = things(TEXT)
    for shape, changed in mangled(TEXT):
        assert things(changed) == expected, shape
    assert things(TEXT.partition("\n")[2]) == expected


@pytest.mark.parametrize("text", [
    '{"hosts": [{"nqn": "a"}], "ports": []}\n', '{"ports": [{"portid": 3}], "subsystems": []}\n',
    'see "portid" and "nsid"\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not states(text)


@pytest.mark.parametrize("text", [
    '{"ports": [{"port": 80}], "hosts": [{"name": "a"}], "nsid": 4}\n',
    '{"subsystems": [{"subsystem": "nvmf", "config": [{"params": {"nsid": 1}}]}]}\n',
])  # fmt: skip
def test_of_the_json_of_others_nothing_is_said(text: str) -> None:
    assert read(text) == []
