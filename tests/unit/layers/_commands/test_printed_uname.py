"""`uname -a` and /proc/version, whole and broken by a mail."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.mangle import read, states

SAMPLE = Path(__file__).parents[3] / "outputs" / "counters-composed" / "uname.txt"


def test_release_and_host() -> None:
    uname, version = states(SAMPLE.read_text())
    assert (uname.subjects[0].host, uname.subjects[0].values) == (
        "nas7",
        {"kernel_release": "6.1.0-18-amd64", "hostname": "nas7", "machine": "x86_64"},
    )
    assert version.subjects[0].values == {"kernel_release": "5.14.0-362.8.1.el9_3.x86_64"}


def test_what_a_mail_broke() -> None:
    text = SAMPLE.read_text().replace(" PREEMPT_DYNAMIC", "\nPREEMPT_DYNAMIC")
    assert [state.subjects for state in states(text)] == [
        state.subjects for state in states(SAMPLE.read_text())
    ]


@pytest.mark.parametrize("flag", ["-r", "-sr"])
def test_the_release_alone_below_its_command(flag: str) -> None:
    printed = subprocess.run(["uname", flag], capture_output=True, text=True, check=True).stdout
    (state,) = states(f"$ uname {flag}\n{printed}")
    assert state.subjects[0].values == {"kernel_release": os.uname().release}
    assert not states(f"$ uname -m\n{printed}")
    assert not states(f"{printed}\n")


@pytest.mark.parametrize("hidden", ["<hostname>", "[server_name]", "xxxx"])
def test_a_host_that_its_author_hides(hidden: str) -> None:
    text = SAMPLE.read_text().partition("Linux version")[0]
    (state,) = states(text.replace("Linux nas7", f"Linux {hidden}"))
    assert state.subjects[0].values["kernel_release"] == "6.1.0-18-amd64"
    assert state.subjects[0].values.get("hostname", hidden) == hidden


@pytest.mark.parametrize("text", [
    "Linux version 6 is what I run, SMP and all\n",
    "The Linux kernel 6.1.0 SMP PREEMPT was new\n",
    "I use Linux nas 6.1 with SMP PREEMPT\n",
])  # fmt: skip
def test_prose_about_kernels(text: str) -> None:
    assert read(text) == []
