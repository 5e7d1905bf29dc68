"""Tables of volumes of clouds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in, unread_in

PLACE = Path(__file__).parents[3] / "outputs" / "guests-composed"
TEXT = (PLACE / "cloud-tables.txt").read_text()
TOOLS = ("gcloud compute disks", "az disk", "aws ec2 describe-volumes")


def _volumes(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(thing.name, dict(thing.values)) for thing in subjects_in(text, *TOOLS)]


def test_sizes_types_and_what_was_provisioned() -> None:
    assert _volumes(TEXT) == [
        ("reed-1", {"size": 500 << 30, "volume_type": "pd-ssd", "state": "READY",
                    "zone": "europe-west4-a"}),
        ("newt-2", {"size": 100 << 30, "volume_type": "pd-balanced", "state": "READY",
                    "zone": "europe-west4-a"}),
        ("data1", {"size": 512 << 30, "volume_type": "Premium_LRS", "zone": "1"}),
        ("os1", {"size": 30 << 30, "volume_type": "StandardSSD_LRS", "os": "Linux"}),
        ("vol-0123456789abcdef0", {"size": 100 << 30, "provisioned_iops": 3000,
                                   "volume_type": "gp3"}),
        ("vol-0123456789abcdef1", {"size": 100 << 30, "provisioned_iops": 300,
                                   "volume_type": "gp2"}),
    ]  # fmt: skip
    assert {thing.kind for thing in subjects_in(TEXT)} == {"cloud_volume"}


def test_older_tables_of_google_have_a_zone() -> None:
    text = (
        "NAME  ZONE           SIZE_GB  TYPE         STATUS\n"
        "reed  us-central1-a  10       pd-standard  READY\n"
    )
    ((name, values),) = _volumes(text)
    assert (name, values["size"], values["zone"]) == ("reed", 10 << 30, "us-central1-a")


def test_cells_that_do_not_stand_below_their_names_say_nothing() -> None:
    table = TEXT.split("az disk list -o table\n")[1].split("me@heron")[0]
    moved = table.replace("data1      RG1  ", "data1 RG1  ")
    assert not subjects_in(moved.split("os1")[0], *TOOLS)
    assert unread_in(moved.split("os1")[0])


def test_a_table_without_identities_says_nothing() -> None:
    text = TEXT.split("aws ec2")[1].replace("ID  ", "Nr  ").partition("\n")[2]
    assert not _volumes(text)


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    assert _volumes(text) == _volumes(TEXT), shape
