"""Lines of fstab that a mail broke behind the type, and lists of UUIDs that are none."""

from __future__ import annotations

from tests.mangle import read, states

UUID = "UUID=0c1d2e3f-1111-4222-8333-944455556666"


def test_a_line_that_ends_with_its_type() -> None:
    (state,) = states(f"{UUID} /srv/q          ext4\n   defaults,user_xattr   0 2\n")
    assert (state.tool, state.subjects[0].name) == ("fstab", "/srv/q")
    assert state.subjects[0].values["user_xattr"] is True


def test_a_list_of_identifiers_is_no_fstab() -> None:
    assert not list(read(f'/dev/sdq1: {UUID} TYPE="ext4"\n{UUID}\nis what the disk is called\n'))
