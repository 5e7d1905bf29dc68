"""multipathd's tables and multipath -v3. Oracle: both say the same of one path."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "multipath-composed"
SHOW, VERBOSE = ((OUTPUTS / f"{name}.txt").read_text() for name in ("show", "verbose"))
TOOLS = {"multipathd show", "multipath -v3"}


def _things(text: str, tools: set[str] = TOOLS) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (subject.kind, subject.name, dict(subject.values)) for subject in subjects_in(text, *tools)
    ]


def test_paths_and_maps() -> None:
    first, second, maps, status, *_ = _things(SHOW)
    assert first == ("disk", "sdb", {
        "hctl": "1:0:0:0", "dev_t": "8:16", "prio": 50, "dm_state": "active",
        "checker_state": "ready", "device_state": "running", "next_check": "XXXXXXX... 14/20",
    })  # fmt: skip
    assert (second[2]["checker_state"], second[2]["next_check"]) == ("faulty", "XX........ 4/20")
    assert maps == ("multipath", "mpatha", {
        "sysfs": "dm-2", "uuid": "36001405b3d7f1a2c4e84b8a9f1e2d3c4",
    })  # fmt: skip
    assert status[2] == {
        "failback": "immediate", "queueing": "5 chk", "paths": 2, "dm_state": "active",
        "access": "rw",
    }  # fmt: skip


def test_tables_behind_the_prompt_of_multipathd() -> None:
    path, statistics = _things(SHOW)[4:]
    assert path[2] == _things(SHOW)[0][2]
    assert statistics == ("multipath", "mpatha", {
        "path_faults": 1, "group_switches": 2, "map_loads": 3, "total_queue_time": 4,
        "queue_timeouts": 0,
    })  # fmt: skip


def test_what_the_verbose_output_says() -> None:
    path, rejected, multipath = _things(VERBOSE, {"multipath -v3"})
    (_, _, row) = _things(VERBOSE, {"multipathd show"})[0]
    assert (path[1], path[2]["dev_t"], path[2]["hctl"]) == ("sdb", row["dev_t"], row["hctl"])
    assert (path[2]["alua_prio"], path[2]["uid"]) == (row["prio"], row["uuid"])
    assert (path[2]["size"], path[2]["path_checker_from"]) == (10 << 30, "controller setting")
    assert rejected == ("disk", "sda", {"rejected": "blacklisted, udev property missing"})
    assert multipath[2]["no_path_retry"] == 18


@pytest.mark.parametrize(
    "text",
    [
        "The chk_st column of dm_st says it\n",
        "name uuid\nx y\n",
        "name sysfs uuid\n",
        "sdb: prio = 50\n",
        "Nov 28 10:00:00 host kernel: sdb: size = 3\n",
        "| sdb | prio = 3 |\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_every_shape() -> None:
    expected = _things(SHOW)
    for shape, changed in mangled(SHOW, wraps=False):
        assert _things(changed) == expected, shape
    assert _things(folded(SHOW, 72)) == expected
    expected = _things(VERBOSE, {"multipath -v3"})
    for shape, changed in mangled(VERBOSE, wraps=False):
        if shape not in {"with blank lines", "behind times", "behind a host"}:
            assert _things(changed, {"multipath -v3"}) == expected, shape
