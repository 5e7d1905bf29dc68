"""saveconfig.json of targetcli: backstores, targets, LUNs and initiators, but no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, read, states

TEXT = (
    Path(__file__).parents[3] / "outputs" / "targetcli-composed" / "saveconfig.json"
).read_text()
IQN = "iqn.2026-01.org.example:pond"


def things(text: str) -> dict[str, dict[str, object]]:
    return {
        subject.name: dict(subject.values) for state in states(text) for subject in state.subjects
    }


def test_backstores() -> None:
    said = things(TEXT)
    assert said["block/pond"]["device"] == "/dev/vg3/pond"
    assert said["block/pond"]["write_policy"] == "write_thru"
    assert said["block/pond"]["queue_depth"] == 128
    assert said["fileio/heron"]["size"] == 2 << 30
    assert said["fileio/heron"]["write_policy"] == "write_back"
    assert said["fileio/heron"]["logical_block_size"] == 512


def test_a_target_with_its_luns_and_initiators() -> None:
    said = things(TEXT)
    assert (said[IQN]["luns"], said[IQN]["acls"], said[IQN]["portal"]) == (1, 1, "192.0.2.7:3260")
    assert said[IQN]["authentication"] is False
    assert said[IQN]["tpg1_default_cmdsn_depth"] == 64
    assert said[f"{IQN}/lun_3"]["backstore"] == "block/pond"
    acl = said[f"{IQN}/acl_iqn.2026-01.org.example:reed"]
    assert (acl["mapped_lun0"], acl["dataout_timeout"]) == ("lun3 read-only", 3)


def test_each_of_two_groups_has_its_own_luns() -> None:
    groups = ", ".join(
        f'{{"tag": {tag}, "enable": true, "attributes": {{"authentication": {2 - tag}}}, '
        f'"luns": [{{"index": 0, "storage_object": "/backstores/block/{store}"}}], '
        f'"node_acls": [], "portals": []}}'
        for tag, store in ((1, "reed"), (2, "fern"))
    )
    said = things(
        '{"fabric_modules": [], "storage_objects": [], "targets": '
        f'[{{"fabric": "iscsi", "tpgs": [{groups}], "wwn": "{IQN}"}}]}}\n'
    )
    stores = [said[f"{IQN}/tpg{tag}/lun_0"]["backstore"] for tag in (1, 2)]
    assert stores == ["block/reed", "block/fern"]
    assert said[IQN]["authentication"] is True, "the first asks for it"


def test_secrets_are_not_taken() -> None:
    assert "marsh-harrier" in TEXT
    assert "marsh-harrier" not in repr(read(TEXT)[0])


def test_every_shape_and_without_a_command() -> None:
    expected = things(TEXT)
    for shape, changed in mangled(TEXT):
        assert things(changed) == expected, shape
    assert things(TEXT.partition("\n")[2]) == expected


@pytest.mark.parametrize("text", [
    '{"storage_objects": ["a", "b"]}\n', 'see "storage_objects" and "tpgs"\n',
    '{"fabric_modules": [], "targets": []}\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not states(text)
