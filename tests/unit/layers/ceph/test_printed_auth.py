"""Keyrings of Ceph: who may do what; no key is in a record."""

from __future__ import annotations

import json
from pathlib import Path

from iosonde.text.secrets import MASK
from tests.mangle import mangled, states, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
SAMPLE = (OUTPUTS / "auth.txt").read_text()
METADATA = (OUTPUTS / "metadata.json").read_text()


def test_entities_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        things = {each.name: dict(each.values) for each in subjects_in(given, "ceph auth")}
        assert things == {
            "client.garden": {
                "key": MASK, "caps_mds": "allow rw path=/garden", "caps_mon": "allow r",
                "caps_osd": "allow rw pool=garden_data",
            },
            "osd.4": {
                "key": MASK, "caps_mgr": "allow profile osd", "caps_mon": "allow profile osd",
                "caps_osd": "allow *",
            },
            "client.admin": {"key": MASK, "caps_mon": "allow *"},
        }, shape  # fmt: skip
        assert "example" not in json.dumps([repr(state) for state in states(given)]), shape


def test_a_keyring_with_a_key_alone() -> None:
    given = "$ cat /var/lib/ceph/osd/ceph-0/keyring\n[osd.0]\nkey = AQCzexample+exampleAAA==\n"
    (osd,) = subjects_in(given, "ceph auth")
    assert (osd.kind, osd.name, osd.values) == ("ceph_auth", "osd.0", {"key": MASK})


def test_settings_and_prose_are_none() -> None:
    for text in (
        "[client.rgw.a]\nrgw_dns_name = s3.example.org\n",
        "The caps mon of this client are too wide.\n",
        "[remote]\nkey = AQCnotofceph\n",
    ):
        assert not subjects_in(text, "ceph auth")


def test_what_daemons_say_of_their_hosts() -> None:
    for shape, given in mangled(METADATA, wraps=False):
        things = {each.name: each for each in subjects_in(given, "ceph metadata")}
        assert list(things) == ["mds.meadow", "mds.orchard"], shape
        orchard = things["mds.orchard"]
        assert orchard.kind == "mds"
        assert (orchard.values["memory"], orchard.values["swap"]) == (65_805_312 * 1024, 0)
        assert orchard.values["ceph_version_short"] == "18.2.4"


def test_an_osd_is_told_by_its_folder() -> None:
    (osd,) = subjects_in(
        '{\n  "id": 3,\n  "ceph_version": "ceph version 18.2.4",\n  "osd_data": "/var/lib/x",\n'
        '  "mem_total_kb": "1024"\n}\n', "ceph metadata",
    )  # fmt: skip
    assert (osd.name, osd.values["memory"]) == ("osd.3", 1 << 20)
