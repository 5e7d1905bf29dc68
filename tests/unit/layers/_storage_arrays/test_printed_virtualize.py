"""Lists of Storage Virtualize. Oracle: the same pools in columns and with -delim, and -bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/storage-virtualize-composed/lists.txt").read_text()
TOOL = "storage virtualize"


def test_both_forms_say_the_same_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        lists = [state for state in states(given) if state.tool == TOOL]
        assert [len(state.subjects) for state in lists] == [2, 2, 3, 2, 1], shape
        assert lists[0].subjects == lists[1].subjects, shape
        pool = lists[0].subjects[0]
        assert (pool.kind, pool.name, pool.host) == ("storage_pool", "heron_r5", "svc1"), shape
        assert pool.values["available"] == round(3.24 * 2**40), shape
        assert pool.values["extent_size"] == 256 << 20, shape
        sizes = {lists[at].subjects[0].values["size"] for at in (2, 4)}
        assert sizes == {50 << 30}, shape


def test_cells_may_be_empty() -> None:
    things = {(s.kind, s.name): s.values for s in subjects_in(TEXT, TOOL)}
    local, remote = things["mdisk", "mdisk0"], things["mdisk", "mdisk1"]
    assert "controller_name" not in local
    assert (remote["controller_name"], remote["state"]) == ("controller0", "excluded")
    assert things["storage_volume", "old"]["mdisk_grp_name"] == "many"


@pytest.mark.parametrize(
    "text",
    [
        "id name status mdisk_count of a pool\n0 pool0 online 3\n",
        "id 1\nname pool0\nstatus online\nmdisk_count 1\n",
        "id:name:status:mdisk_count\n0:pool0:online\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not subjects_in(text, TOOL)
