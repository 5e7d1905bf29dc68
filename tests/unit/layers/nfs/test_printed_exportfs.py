"""What exportfs answers: a path for each client, as the command exported or withdrew it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "exportfs-composed" / "answers.txt").read_text()


def _exports(text: str) -> list[tuple[str, object, object]]:
    return [
        (thing.name, thing.values["clients"], thing.values["exported"])
        for thing in subjects_in(text, "exportfs answers")
    ]


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT)), ids=lambda each: each[:20])
def test_a_path_for_each_client(shape: str, text: str) -> None:
    assert _exports(text) == [
        ("/srv/reed", "10.7.0.0/24", True), ("/srv/newt", "@farm", True),
        ("/srv/heron", "*.pond.example", True), ("/srv/heron", "*.pond.example", False),
    ], shape  # fmt: skip


def test_old_versions_name_the_kernel() -> None:
    text = "reexporting 10.7.0.9:/srv/reed to kernel\nunexporting 10.7.0.8:/srv/reed from kernel\n"
    assert _exports(text) == [("/srv/reed", "10.7.0.9", True), ("/srv/reed", "10.7.0.8", False)]


@pytest.mark.parametrize(
    "text",
    ["exporting the results to /srv/reed\n", "exporting data: /srv/reed\n",
     "exporting image:latest /srv\n"],
)  # fmt: skip
def test_what_others_export_is_none(text: str) -> None:
    assert not _exports(text)


@pytest.mark.parametrize("command", [
    "sudo echo “/data 192.0.2.0/24(rw,sync,no_subtree_check)” >> /etc/exports",
    'echo "/data 192.0.2.0/24(rw,sync,no_subtree_check)" | sudo tee -a /etc/exports',
    "# echo '/data 192.0.2.0/24(rw,sync,no_subtree_check)' > /etc/exports",
])  # fmt: skip
def test_an_entry_that_a_command_writes(command: str) -> None:
    (export,) = subjects_in(f"    {command}\n")
    assert (export.kind, export.name) == ("export", "/data")
    assert (export.values["clients"], export.values["sync"]) == ("192.0.2.0/24", True)
    assert not subjects_in(f"    {command.replace('/etc/exports', '/tmp/notes')}\n")


def test_a_mount_in_columns_is_no_export() -> None:
    assert not subjects_in("/dev/sdq2    on  /boot   type  other     (rw,sync)\n", "exports")
