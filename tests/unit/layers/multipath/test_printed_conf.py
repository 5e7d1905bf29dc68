"""multipath.conf: its sections, devices and maps."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "multipath.conf.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_file_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        printed = things(given)
        assert printed["defaults"] == {
            "user_friendly_names": "yes", "find_multipaths": "yes", "polling_interval": 10,
        }, shape  # fmt: skip
        assert printed["device COMPOSED LUN.*"]["no_path_retry"] == "queue"
        assert printed["multipath oradata"]["wwid"] == "3600a0980abc1230"
    (state,) = states(TEXT)
    assert state.command == "cat /etc/multipath.conf"


def test_several_names_and_braces_in_one_line() -> None:
    text = """blacklist {
  devnode "^sda"
  devnode "^nvme"
  device { vendor "ATA" }
}
"""
    printed = things(text)
    assert printed["blacklist"] == {"devnode": "^sda ^nvme"}
    assert printed["blacklist device ATA"] == {"vendor": "ATA"}


def test_an_empty_section_and_prose() -> None:
    (entry,) = read("defaults {\n}\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert entry.reason == "its sections are empty"
    assert read("Set find_multipaths yes and path_grouping_policy multibus there.\n") == []


def test_a_torn_file_says_what_stands_there() -> None:
    assert things(TEXT[: TEXT.index("fast_io")])["device COMPOSED LUN.*"]["vendor"] == "COMPOSED"


def test_a_list_below_a_section_that_was_never_closed_is_not_its_own() -> None:
    text = (
        "multipaths {\n  multipath {\n    wwid 3600a0b8000111\n    alias x\n  }\n\n"
        "* Then reload:\nsystemctl reload multipathd\n"
    )
    (state,) = states(text)
    assert [s.values for s in state.subjects] == [{"wwid": "3600a0b8000111", "alias": "x"}]
