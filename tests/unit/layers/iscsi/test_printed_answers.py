"""Answers of iscsiadm. Oracle: the portal that the command names, and open-iscsi's error codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import folded, mangled, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "iscsiadm-composed" / "answers.txt").read_text()
TIMED_OUT = 8  # ISCSI_ERR_TRANS_TIMEOUT of include/iscsi_err.h
T1, T2 = "iqn.2020-01.org.test:t1", "iqn.2020-01.org.test:t2"


def _answers(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (subject.name, dict(subject.values)) for subject in subjects_in(text, "iscsiadm answers")
    ]


def test_what_is_answered() -> None:
    assert _answers(TEXT) == [
        (T1, {"iqn": T1, "portal": "10.1.0.4:3260", "portal_group": 1}),
        (T1, {"iqn": T1, "portal": "10.1.0.5:3260", "portal_group": 2}),
        (T2, {"iqn": T2, "portal": "[fd00::4]:3260", "portal_group": 1}),
        (T1, {"iqn": T1, "portal": "10.1.0.4:3260", "interface": "default", "login": True}),
        (T1, {"iqn": T1, "portal": "10.1.0.5:3260", "interface": "default", "login": False,
              "error_code": TIMED_OUT, "error": "connection timed out"}),
        ("", {"iscsiadm_error": "Could not log into all portals"}),
        (T1, {"iqn": T1, "portal": "10.1.0.4:3260", "session": 3, "logout": True}),
        ("", {"iscsiadm_error": "connect to 10.1.0.9 timed out; connection login retries "
              "(reopen_max) 5 exceeded; Could not perform SendTargets discovery: encountered "
              "connection failure", "login_retries": 5}),
    ]  # fmt: skip


def test_the_command_is_that_above() -> None:
    commands = [state.command for state in states(TEXT)]
    assert commands == [
        line.partition("# ")[2] for line in TEXT.split("\n") if line.startswith("root@")
    ]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("iscsiadm: initiator reported error (19 - encountered non-retryable iSCSI login failure)",
         {"error_code": 19, "error": "encountered non-retryable iSCSI login failure"}),
        ("iscsiadm: No active sessions.", {"iscsiadm_error": "No active sessions"}),
        ("iscsiadm: no active sessions.", {"iscsiadm_error": "no active sessions"}),
        ("iscsiadm: could not read session targetname: 5",
         {"iscsiadm_error": "could not read session targetname: 5"}),
        ("iscsiadm: cannot make connection to 10.1.0.9: Connection refused by the peer that is it\n"
         "iscsiadm: can not connect to iSCSI daemon (111)!",
         {"iscsiadm_error": "cannot make connection to 10.1.0.9: Connection refused by the peer "
                            "that is it; can not connect to iSCSI daemon (111)!"}),
        ("iscsiadm: default: 1 session requested, but 1 already present.",
         {"iscsiadm_error": "default: 1 session requested, but 1 already present"}),
        ("192.0.2.7:860,-1 iqn.2001-05.com.example:a",
         {"iqn": "iqn.2001-05.com.example:a", "portal": "192.0.2.7:860", "portal_group": -1}),
        ("Login to [iface: eth0, target: eui.0123456789abcdef, portal: fe80::1,3260]: successful",
         {"iqn": "eui.0123456789abcdef", "portal": "[fe80::1]:3260", "interface": "eth0",
          "login": True}),
    ],
)  # fmt: skip
def test_lines_alone(line: str, values: dict[str, Any]) -> None:
    if ":860," in line:  # no anchor is in it
        line = f"192.0.2.7:3260,1 {values['iqn']}\n{line}"
    assert _answers(f"{line}\n")[-1][1] == values


@pytest.mark.parametrize(
    "text",
    [
        "iscsiadm: the tool that nobody reads the manual of\n",
        "You may see initiator reported error (8 - connection timed out) in such a case.\n",
        "tcp: [1] 10.1.0.4:3260,1 iqn.2020-01.org.test:t1 (non-flash)\n",
        "Login to [iface: default] successful.\n",
        "We use 10.1.0.4:3260,1 for it\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _answers(text)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        if shape != "with blank lines":
            assert _answers(changed) == _answers(TEXT), shape


def test_folded_by_a_mail() -> None:
    assert _answers(folded(TEXT, 72)) == _answers(TEXT)


@pytest.mark.parametrize(("line", "name", "answer"), [
    ("New interface eth9 added", "eth9", "added"),
    ("eth9 updated.", "eth9", "updated"),
    ("eth9 applied.", "eth9", "applied"),
    ("eth9 unbound and deleted.", "eth9", "deleted"),
])  # fmt: skip
def test_what_it_says_of_interfaces(line: str, name: str, answer: str) -> None:
    command = "sudo iscsiadm -m iface -I eth9 --op=update -n iface.net_ifacename -v eth9"
    (thing,) = subjects_in(f"{command}\n\n{line}\n")
    assert (thing.kind, thing.name, thing.values) == ("iscsi_iface", name, {"answer": answer})
    assert not subjects_in(f"The page was\n{line}\n")
