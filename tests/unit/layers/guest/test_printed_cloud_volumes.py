"""Volumes of clouds. Oracle: sizes that Azure gives twice; the units of the API references."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import PrintedSubject
from tests.mangle import kept_as_printed, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/guests-composed/cloud-volumes.txt").read_text()


def volumes(text: str) -> list[PrintedSubject]:
    return [subject for subject in subjects_in(text) if subject.kind == "cloud_volume"]


def test_volumes_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape in {"with blank lines", "escaped"}:
            continue
        aws, azure, google, listed, shown, old = volumes(given)
        assert (aws.name, aws.values["size"]) == ("vol-049df61146c4d7901", 8 * 2**30), shape
        assert aws.values["provisioned_iops"] == 4000, shape
        assert aws.values["provisioned_bandwidth"] == 250 * 2**20, shape
        assert (aws.values["device"], aws.values["encrypted"]) == ("/dev/sda1", True), shape
        assert (azure.name, azure.values["size"]) == ("data1", 512 * 2**30), shape
        assert azure.values["provisioned_bandwidth"] == 150_000_000, shape
        assert (google.values["volume_type"], google.values["size"]) == ("pd-extreme", 500 * 2**30)
        assert {each.name for each in (listed, shown, old)} == {"db1"}, shape
        assert {each.values["size"] for each in (listed, shown, old)} == {100 * 2**30}, shape
        assert (shown.values["volume_type"], shown.values["encrypted"]) == ("ssd", False), shape
    assert not kept_as_printed(TEXT)


def test_a_list_that_is_cut_off_has_what_is_whole() -> None:
    cut = TEXT.partition('"diskIOPSReadWrite": 2300')[0]
    assert [volume.name for volume in volumes(cut)] == ["vol-049df61146c4d7901"]


def test_what_is_none() -> None:
    assert not volumes('{"Volumes": [{"Name": "data", "Driver": "local", "Size": 3}]}\n')
    snapshots = TEXT.replace('    "diskIOPSReadWrite": 2300,\n', "")
    assert "data1" not in {volume.name for volume in volumes(snapshots)}
    servers = (
        "+----+--------+------+\n| ID | Status | Name |\n+----+--------+------+\n| 1  | up | a |\n"
    )
    assert not volumes(servers)
