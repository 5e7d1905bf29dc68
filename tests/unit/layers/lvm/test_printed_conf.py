"""lvm.conf, whole, and as grep and lvmconfig leave it."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, unread_in

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "lvm.conf.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_file_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        printed = things(given)
        assert printed["devices"] == {
            "filter": '[ "a|/dev/md1$|", "r|.*|" ]', "use_devicesfile": 0, "issue_discards": 1,
        }, shape  # fmt: skip
        assert printed["activation"]["thin_pool_autoextend_threshold"] == 80


def test_settings_without_their_sections() -> None:
    text = '# lvmconfig devices/filter\nfilter=["a|/dev/sdq|","r|.*|"]\n'
    assert things(text) == {"devices": {"filter": '["a|/dev/sdq|","r|.*|"]'}}
    text = "$ grep use_ /etc/lvm/lvm.conf\n    use_lvmetad = 1\n    raid_region_size = 512\n"
    assert things(text) == {"global": {"use_lvmetad": 1}, "activation": {"raid_region_size": 512}}


def test_a_list_over_several_lines() -> None:
    text = 'devices {\n filter = [\n  "a|x|",\n  "r|y|"\n ]\n issue_discards = 0\n}\n'
    assert things(text)["devices"]["filter"] == '[ "a|x|", "r|y|" ]'


def test_others_and_an_empty_section() -> None:
    assert read("int filter = [1, 2];\nWe set issue_discards there.\n") == []
    assert read("global { usage-count no; }\n") != []
    assert not unread_in("devices {\n}\n")


def test_a_setting_that_is_there_twice_is_of_two_files() -> None:
    text = 'filter = [ "a/sdq/", "r/.*/" ]\nfilter = [ "r/sdq/" ]\n'
    said = [subject.values["filter"] for state in states(text) for subject in state.subjects]
    assert said == ['[ "a/sdq/", "r/.*/" ]', '[ "r/sdq/" ]']
