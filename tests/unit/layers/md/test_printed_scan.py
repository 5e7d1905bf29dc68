"""Lines of mdadm --scan."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, read, states

SCAN = (Path(__file__).parents[3] / "outputs" / "mdadm-scan-composed" / "scan.txt").read_text()


def test_each_line_is_an_array() -> None:
    for shape, text in mangled(SCAN, wraps=False):
        (state,) = states(text)
        first, second = state.subjects
        assert (first.name, first.values["array_name"]) == ("md0", "host:0"), shape
        assert (second.name, second.values["raid_disks"], second.values["spares"]) == ("md/1", 4, 1)


def test_a_torn_uuid_is_no_uuid() -> None:
    assert not read("ARRAY /dev/md0 metadata=1.2 UUID=1a2b3c4d:5e6f7a8b:9c0d")
    assert not read("The word ARRAY /dev/md0 begins each line.")


def test_a_count_with_a_colon_behind_it() -> None:
    ((array,),) = [s.subjects for s in states("ARRAY /dev/md7 level=raid5 num-devices=5: UUID="
                                              "1a2b3c4d:5e6f7a8b:9c0d1e2f:3a4b5c6d\n")]  # fmt: skip
    assert array.values["raid_disks"] == 5
    ((array,),) = [s.subjects for s in states("ARRAY /dev/md7 num-devices=5x2 metadata=1.2\n")]
    assert array.values["raid_disks"] == "5x2"


CONF = """$ cat /etc/mdadm/mdadm.conf
# mdadm.conf
DEVICE partitions
HOMEHOST <system>
MAILADDR root
ARRAY /dev/md9 level=raid1 num-devices=2 UUID=00112233:44556677:8899aabb:ccddeeff
"""


def test_lines_of_other_keywords_are_settings() -> None:
    config, array = (subject for state in states(CONF) for subject in state.subjects)
    assert (config.kind, config.values) == (
        "md_config", {"device": "partitions", "homehost": "<system>", "mailaddr": "root"},
    )  # fmt: skip
    assert (array.name, array.values["raid_disks"]) == ("md9", 2)


def test_a_heading_in_capitals_is_no_keyword() -> None:
    assert not states("DEVICE      SIZE   USED\nsda         10G    2G\n")


def test_a_line_about_a_device_alone_is_no_setting() -> None:
    assert not states("DEVICE /dev/sdq\nMAILADDR ann@pond.example\n")
    (state,) = states("DEVICE /dev/sd[a-d]1\nMAILADDR root\nHOMEHOST <system>\n")
    assert state.subjects[0].values["device"] == "/dev/sd[a-d]1"
