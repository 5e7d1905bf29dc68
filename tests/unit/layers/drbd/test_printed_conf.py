"""Files of DRBD's resources."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "r0.res.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_resource_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        values = things(given)["r0"]
        assert (values["protocol"], values["net.max-buffers"]) == ("C", 8000), shape
        assert (values["disk.al-extents"], values["disk.c-max-rate"]) == (3389, "400M")
        assert values.get("on beta.address", "192.0.2.2:7788") == "192.0.2.2:7788"
    assert things(TEXT)["r0"]["on beta.address"] == "192.0.2.2:7788"


def test_a_secret_is_left_out() -> None:
    text = 'resource r1 {\n net {\n  shared-secret "x7";\n  protocol A;\n }\n}\n'
    assert things(text) == {"r1": {"net.protocol": "A"}}


def test_an_empty_file_and_others() -> None:
    text = "resource r2 {\n  net {\n  }\n}\n"
    (entry,) = read(text)
    assert isinstance(entry, Unread)
    assert read('resource "aws_ebs_volume" "x" {\n  size = 40\n}\n') == []
    assert read("The resource r0 has protocol C; that is all.\n") == []


def test_a_section_without_the_resource_around_it() -> None:
    text = "vi global_common.conf\n net {\n   protocol C;\n   # max-buffers\n  }\n}\n"
    assert things(text) == {"": {"net.protocol": "C"}}
    assert not things("net {\n  weights = 'protocol C;'\n}\n")


def test_a_resource_whose_last_brace_was_lost_ends_before_the_next_commands() -> None:
    text = (
        "resource r3 {\n device /dev/drbd3;\n on a {\n  disk /dev/sdb1;\n }\n on b {\n"
        "  disk /dev/sdc1;\n }\n\nmodprobe drbd\nlsmod | grep drbd\n\n"
        "device status:\nversion: 8.4.3;\n"
    )
    assert things(text)["r3"] == {
        "device": "/dev/drbd3", "on a.disk": "/dev/sdb1", "on b.disk": "/dev/sdc1",
    }  # fmt: skip
