"""What multipath -ll says of maps, and what is concluded."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.multipath.findings import RULES
from iosonde.records.printed import Unread
from iosonde.text.document import of_bytes
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "multipath-composed" / "ll.txt").read_text()


def test_the_maps_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        maps = {thing.name: thing.values for state in states(given) for thing in state.subjects}
        assert list(maps) == ["mpatha", "mpathb"], shape
        assert maps["mpatha"]["below"] == "sdb sdd sdc sde"
        assert (maps["mpatha"]["paths"], maps["mpatha"]["failed_paths"]) == (4, 1)
        assert (maps["mpatha"]["path_groups"], maps["mpathb"]["path_groups"]) == (2, 1)
        assert (maps["mpatha"]["size"], maps["mpathb"]["size"]) == (500 << 30, 1 << 40)
        assert (maps["mpatha"]["path_selector"], maps["mpathb"]["path_selector"]) == (
            "service-time", "round-robin",
        )  # fmt: skip
        assert (maps["mpatha"]["handler"], maps["mpatha"]["queue_if_no_path"]) == ("alua", True)
        assert "handler" not in maps["mpathb"]
        assert maps["mpatha"]["wwid"] == "360002ac000000000000000120001f0c2"


@pytest.mark.parametrize("text", [
    'mpath7 (3600d0230001228bc000339414edb9999) [size=12 GB][features="0"][hwhandler="0"]\n'
    "\\_ round-robin 0 [prio=1][active]\n \\_ 2:0:0:6 sdq 8:16 [active][ready]\n"
    "\\_ round-robin 0 [prio=1][enabled]\n \\_ 3:0:0:6 sdr 8:64 [failed][faulty]\n",
    'mpath7\n[size=12 GB][features="0"][hwhandler="0"]\n'
    "\\_ round-robin 0 [active][first]\n\\_ 2:0:0:6 sdq 8:16 [ready ][active]\n"
    "\\_ round-robin 0 [enabled]\n\\_ 3:0:0:6 sdr 8:64 [faulty ][failed]\n",
    "mpath7 (3600d0230001228bc000339414edb9999) dm-4 HP,OPEN-V\n"
    "[size=12G][features=0][hwhandler=0][rw]\n"
    "\\_ round-robin 0 [prio=1][active]\n \\_ 2:0:0:6 sdq 8:16 [active][ready]\n"
    " \\_ 3:0:0:6 sdr 8:64 [failed][faulty]\n",
])  # fmt: skip
def test_maps_as_old_versions_print_them(text: str) -> None:
    (state,) = states(text)
    (drawn,) = state.subjects
    assert (drawn.name, drawn.values["size"]) == ("mpath7", 12 << 30)
    assert (drawn.values["paths"], drawn.values["failed"]) == (2, "sdr")
    assert drawn.values["path_states"] == "sdq active ready undef, sdr failed faulty undef"
    assert str(drawn.values["path_addresses"]).startswith("sdq ")


def test_a_map_that_is_named_by_its_wwid() -> None:
    given = TEXT.replace("mpatha (360002ac000000000000000120001f0c2)", "360002ac0120001f0c2")
    assert states(given)[0].subjects[0].name == "360002ac0120001f0c2"


def test_what_is_concluded() -> None:
    case, _ = of_document(of_bytes("page", TEXT.encode()))
    (finding,) = [each for rule in RULES for each in rule.find(case)]
    assert (finding.rule, finding.subject) == ("failed-paths", "mpatha")
    assert "1 of 4 paths of mpatha has failed (sdd)" in finding.message


def test_a_map_that_is_cut_off() -> None:
    ((mpath,),) = [state.subjects for state in states("\n".join(TEXT.splitlines()[:2]))]
    assert mpath.values["size"] == 500 << 30
    assert not {"paths", "failed_paths", "below"} & mpath.values.keys()


@pytest.mark.parametrize(
    "near_miss",
    [
        "\"size=%S features='%f' hwhandler='%h' wp=%r\"",
        "size=500G is what multipath -ll prints first.",
        "fio --name=a --size=1G --rw=read",
        "mpatha is dm-2 on this host.\n\nsize=500G features='0' hwhandler='0' wp=rw",
    ],
)
def test_sources_and_prose_are_no_maps(near_miss: str) -> None:
    assert [output for output in states(near_miss) if output.tool == "multipath"] == []


def test_paths_without_their_map_and_what_the_daemon_logs() -> None:
    samples = Path(__file__).parents[3] / "outputs" / "multipath-composed"
    for shape, given in mangled((samples / "grepped.txt").read_text(), wraps=False):
        paths = {s.name: s.values for state in states(given) for s in state.subjects}
        assert list(paths) == ["sdaa", "sdab", "sdac"], shape
        assert paths["sdac"] == {"hctl": "6:0:0:7", "path_state": "failed faulty running"}
    ((logged,),) = [state.subjects for state in states((samples / "multipathd.txt").read_text())]
    assert (logged.name, logged.host) == ("mpathq", "web5")
    assert logged.values == {"path_sdaa": "tur checker reports path is down", "active_paths": 1}
    assert read("A path is faulty running where its checker reports path is down.") == []


def test_a_map_without_paths_and_one_in_a_line() -> None:
    bare = "mpathz (3600a0b8000) dm-9 ##,##\nsize=2.0G features='0' hwhandler='0' wp=rw\n"
    other = bare.replace("mpathz", "mpathy")
    (mpath,), (last,) = [state.subjects for state in states(bare + other)]
    assert (mpath.values["paths"], mpath.values["failed_paths"]) == (0, 0)
    assert last.values["size"] == 2 << 30
    assert "paths" not in last.values  # they may be cut off
    line = (
        "3600a0b800 dm-1 EX,AMPLE size=269G features='0' hwhandler='0' wp=rw "
        "|-+- policy='round-robin 0' prio=1 status=active "
        "| `- 6:0:0:0 sdb 8:16 active ready running\n"
    )
    ((mpath,),) = [state.subjects for state in states(line)]
    assert (mpath.values["paths"], mpath.values["group_states"]) == (1, "active")


def test_a_map_that_is_made_anew_has_no_device_yet() -> None:
    """Source: libmultipath/print.c, snprint_multipath_topology: "undef" where nothing is known."""
    for action, device in (("create: ", "undef"), ("reload: ", "dm-4"), ("", "dm-4")):
        (state,) = states(
            f"{action}mpathq (36001405aa00bb11cc22) {device} ACME,LUN\n"
            f"size=10G features='0' hwhandler='0' wp={'undef' if device == 'undef' else 'rw'}\n"
            "`-+- policy='service-time 0' prio=1 status=undef\n"
            "  `- 6:0:0:0 sdq 65:0 undef ready running\n"
        )
        ((name, values),) = [(each.name, each.values) for each in state.subjects]
        assert (name, values["wwid"], values["size"]) == (
            "mpathq", "36001405aa00bb11cc22", 10 << 30,
        )  # fmt: skip
        expected = {"sysfs": "dm-4", "access": "rw"} if device == "dm-4" else {}
        assert {key: values[key] for key in ("sysfs", "access") if key in values} == expected


TABLE = (
    "# dmsetup table mpatha\n"
    "0 1562378240 multipath 4 queue_if_no_path retain_attached_hw_handler\n"
    "queue_mode bio 0 1 1 queue-length 0 4 1 253:11 1 253:8 1 253:9 1 253:10 1\n"
)
STATUS = (
    "# dmsetup status mpatha\n"
    "0 1562378240 multipath 2 0 0 0 1 1 A 0 4 1 253:11 A 0 309 253:8 A 0 0 253:9\n"
    "A 0 0 253:10 F 3 0\n"
)


@pytest.mark.parametrize("prose", ["", "\nWhat this says is that 253:11 has 309 waiting, and\n"])
def test_a_table_and_a_status_are_whole_and_no_more(prose: str) -> None:
    for given, lines in ((TABLE, 3), (STATUS, 3)):
        (output,) = [each for each in read(given + prose) if not isinstance(each, Unread)][:1]
        assert (output.place.first_line, output.place.last_line) == (1, lines)
        (thing,) = states(given + prose)[0].subjects
        assert (thing.name, thing.values["paths"]) == ("mpatha", 4)
    (thing,) = states(TABLE)[0].subjects
    assert thing.values["features"] == (
        "queue_if_no_path retain_attached_hw_handler queue_mode bio"
    )
    (thing,) = states(STATUS)[0].subjects
    assert thing.values["failed_paths"] == 1


def test_a_status_that_is_cut_off_says_nothing_of_its_paths() -> None:
    assert not states(STATUS.rpartition("A 0 0 253:10")[0])
