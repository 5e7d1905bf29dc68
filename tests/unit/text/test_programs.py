"""Which names are programs', by the readers of their output and beside them."""

from __future__ import annotations

import pytest

from iosonde.text.programs import is_program, is_programs_name


@pytest.mark.parametrize("name", ["zpool", "lvcreate", "virsh", "MegaCli64", "fio"])
def test_a_command_that_a_reader_names_is_a_program(name: str) -> None:
    assert is_program(name)
    assert is_programs_name(name)


@pytest.mark.parametrize("name", ["mkfs.jfs", "xfs_fsr", "umount", "qemu-nbd", "truncate"])
def test_what_stands_before_a_message_is_no_host(name: str) -> None:
    assert is_programs_name(name)
    assert not is_program(name)


@pytest.mark.parametrize(
    "name", ["disk", "storage", "volume", "db1", "nas.lan", "ceph-osd3", "xfs"]
)
def test_a_word_of_prose_and_a_host_are_none(name: str) -> None:
    assert not is_programs_name(name)
