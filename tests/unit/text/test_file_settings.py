"""Files of settings that no reader knows, kept by their names and values."""

from __future__ import annotations

import pytest

from iosonde.text.file_settings import file_of, file_settings
from tests.mangle import kept_as_printed


@pytest.mark.parametrize(("command", "above", "path"), [
    ("cat /etc/iscsi/initiatorname.iscsi", "", "/etc/iscsi/initiatorname.iscsi"),
    ("sudo vim /etc/default/nfs-kernel-server", "", "/etc/default/nfs-kernel-server"),
    ("", "Set in `/etc/sysconfig/docker-storage-setup`:", "/etc/sysconfig/docker-storage-setup"),
    ("grep -v '^#' /etc/idmapd.conf", "", "/etc/idmapd.conf"),
    ("cat /etc/zabbix/zabbix_server.conf", "", ""),
    ("ls -l /etc/iscsi/initiatorname.iscsi", "", ""),
    ("/etc/init.d/nfs-kernel-server status", "", ""),
    ("", "See https://docs.example.net/etc/iscsi/x for more:", ""),
])  # fmt: skip
def test_a_file_is_one_that_is_shown_and_of_storage(command: str, above: str, path: str) -> None:
    assert file_of(command, above) == path


def test_settings_with_sections_comments_and_a_secret() -> None:
    text = (
        "# a comment\n[node]\nstartup = automatic  # why\npassword=x7\nnr=4\nnr=8\n\nurl=token=y\n"
    )
    assert file_settings(text.split("\n")) == {"node.startup": "automatic", "node.nr": ["4", "8"]}


@pytest.mark.parametrize("text", [
    "NAME=x\nstart() {\n}\n", "A=$(hostname)\n", "bash: vim: command not found\n",
    "# nothing\n", "A = 1\nand then restart\n", "password = x\n",
])  # fmt: skip
def test_what_is_no_file_of_settings(text: str) -> None:
    assert file_settings(text.split("\n")) is None


def test_a_page_that_shows_one() -> None:
    text = "$ cat /etc/iscsi/initiatorname.iscsi\nInitiatorName=iqn.2023-09.local.lab:n1\n"
    (file,) = kept_as_printed(text)
    assert (file.name, file.values) == (
        "/etc/iscsi/initiatorname.iscsi", {"InitiatorName": "iqn.2023-09.local.lab:n1"},
    )  # fmt: skip
    assert not kept_as_printed("$ cat /etc/iscsi/notes\nInitiatorName is set by the installer.\n")


def test_lines_that_somebody_left_out() -> None:
    assert file_settings(["….", "ISCSITARGET_ENABLE=true", "..."]) == {"ISCSITARGET_ENABLE": "true"}
    assert file_settings(["…. and so on", "ISCSITARGET_ENABLE=true"]) is None
