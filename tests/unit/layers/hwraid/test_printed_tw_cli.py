"""tw_cli: units, ports and batteries of 3ware's controllers, also of older versions."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "tw-cli-composed"
SHOW, ALL, UNIT = ((PLACE / f"{name}.txt").read_text() for name in ("show", "show-all", "unit"))
GIB = 1 << 30


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_units_and_ports_in_every_shape() -> None:
    for shape, given in mangled(SHOW):
        named = things(given)
        unit = named["hwraid", "c4/u0"]
        assert (unit["raid_level"], unit["state"]) == ("raid5", "degraded"), shape
        assert (unit["size"], unit["strip_size"]) == (round(5587.88 * GIB), 65536)
        assert (unit["disks"], unit["data_disks"]) == (4, 3)
        assert unit["write_policy"] == "write_back"
        mirror = named["hwraid", "c4/u1"]
        assert (mirror["state"], mirror["percent_rcmpl"]) == ("rebuild", "61%")
        assert mirror["write_policy"] == "write_through"
        assert "write_policy" not in named["hwraid", "c4/u2"]
        assert named["disk", "c4/p1"]["state"] == "degraded"
        assert named["disk", "c4/p4"]["size"] == round(149.05 * GIB)
        assert named["battery", "c4/bbu"]["battery"] == "charging"


def test_a_rebuild_that_is_paused_leaves_a_unit_degraded() -> None:
    paused = things(SHOW.replace("REBUILDING    ", "REBUILD-PAUSED", 1))
    assert paused["hwraid", "c4/u1"]["state"] == "degraded"


def test_members_of_a_unit_whose_drive_is_at_no_port_are_not_counted() -> None:
    port = next(line for line in SHOW.split("\n") if line.startswith("p1 "))
    gone = things(
        SHOW.replace(port, "p1    NOT-PRESENT    -    -         -     -   -            -")
    )
    assert gone["hwraid", "c4/u0"]["state"] == "degraded"
    assert "disks" not in gone["hwraid", "c4/u0"]
    weak = things(SHOW.replace("Charging", "WeakBat "))
    assert weak["battery", "c4/bbu"]["battery"] == "failed"


def test_a_model_is_whole_and_takes_no_prose() -> None:
    assert things(SHOW)["disk", "c4/p3"]["model"] == "WDC WD2003FYYS-02W0B0"
    end = SHOW[: SHOW.index("\nName  Online")]
    assert things(f"{end}So it goes.\n")["disk", "c4/p5"]["model"] == "ST3160811AS"


def test_a_controller_with_blocks_and_serials() -> None:
    named = things(ALL)
    assert named["controller", "c1"]["model"] == "9650SE-4LPML"
    assert named["controller", "c1"]["cache_size"] == 224 << 20
    assert named["disk", "c1/p3"] == {
        "controller": "c1", "serial": "9QJ5T04D", "state": "predictive failure",
        "size": 1953525168 * 512, "unit": "u0",
    }  # fmt: skip
    assert named["hwraid", "c1/u0"]["data_disks"] == 2


def test_a_unit_alone_with_its_parts() -> None:
    named = things(UNIT)
    assert named["hwraid", "u0"]["size"] == 976543744 * 512
    assert (named["hwraid", "u0"]["disks"], named["disk", "p1"]["state"]) == (2, "warning")


def test_a_head_alone_and_prose() -> None:
    (entry,) = read(UNIT.split("\n")[0] + "\n\n")
    assert isinstance(entry, Unread)
    assert entry.reason == "no row stands below its head"
    assert read("The UnitType of the Unit is shown with its Status here.\n") == []
