"""ceph.conf, and the settings in it that risk data."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.ceph.findings_conf import RULES
from iosonde.records.stack import Scalar
from tests.mangle import mangled, states
from tests.unit.explain.cases import case_of, findings_named

PLACE = Path(__file__).parents[3] / "outputs" / "ceph-composed"
TEXT = (PLACE / "ceph.conf.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {
        subject.name: dict(subject.values)
        for state in states(text)
        for subject in state.subjects
        if subject.kind == "ceph_config"
    }


def test_sections_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        sections = things(given)
        assert list(sections) == ["global", "osd", "client.rgw.elm"], shape
        assert sections["global"]["public_network"] == "10.7.0.0/24"
        assert sections["global"]["osd_pool_default_size"] == 3
        assert sections["global"]["mon_osd_full_ratio"] == pytest.approx(0.97)
        assert sections["osd"]["osd_memory_target"] == 4 << 30
        assert sections["client.rgw.elm"] == {"rgw_frontends": "beast port=8080"}, shape


@pytest.mark.parametrize(
    "text",
    [
        '[client.admin]\n\tkey = AQDexampleexampleexample==\n\tcaps mon = "allow *"\n',
        "Set mon_osd_full_ratio = 0.97 in its section.\n",
        "[global]\nioengine=rbd\n\nWe then set osd_pool_default_size in the cluster.\n",
        "[mysqld]\nmon_host = 10.0.0.1\n",
    ],
)
def test_what_only_looks_alike(text: str) -> None:
    assert things(text) == {}


def test_settings_that_risk_data() -> None:
    said = findings_named(RULES, case_of(TEXT))
    assert [(finding.rule, finding.subject) for finding in said] == [
        ("no-checksums", "ceph.conf [osd]"), ("out-of-space", "ceph.conf [global]"),
    ]  # fmt: skip
    assert "where an OSD is 97 % full" in said[1].message


@pytest.mark.parametrize(
    "line",
    ["bluestore_csum_type = crc32c_8", "mon_osd_full_ratio = 0.95", "mon_osd_full_ratio = .8",
     "mon_osd_full_ratio = 97", "[osd]\nmon_osd_full_ratio = 0.97"],
)  # fmt: skip
def test_settings_that_do_not(line: str) -> None:
    text = f"[global]\nmon_host = 10.7.0.11\n{line}\n"
    assert things(text)
    assert findings_named(RULES, case_of(text)) == []


APPENDED = """\
cat << EOF >> ceph.conf
osd pool default size = 2
osd pool default min size = 1

public network = 10.1.0.0/24
EOF
"""


def test_what_is_written_behind_the_file_has_no_section() -> None:
    (state,) = states(APPENDED)
    (subject,) = state.subjects
    assert (subject.name, subject.values) == ("global", {
        "osd_pool_default_size": 2, "osd_pool_default_min_size": 1,
        "public_network": "10.1.0.0/24",
    })  # fmt: skip
    assert not states(APPENDED.replace("ceph.conf", "notes.txt"))


def test_sections_above_the_one_that_is_known_belong_to_the_file() -> None:
    (state,) = states(
        "# vim /etc/ceph/ceph.conf\n[global]\n    debug filestore = 0/0\n    # shards\n"
        "    osd op num shards = 5\n[osd]\n    osd objectstore = filestore\n"
        "    osd journal size = 1024\n"
    )
    assert [(each.name, len(each.values)) for each in state.subjects] == [
        ("global", 2), ("osd", 2),
    ]  # fmt: skip
