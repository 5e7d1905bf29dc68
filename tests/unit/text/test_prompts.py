"""The prompts of shells, as people paste them, and lines that only look like prompts."""

from __future__ import annotations

import pytest

from iosonde.text.cursor import folder_above, prompt_in
from iosonde.text.shell import command_at, is_prompt

_OF_SHELLS = [
    ("root@nas[~]# ", "nas"), ("root@nas[/mnt/tank]# ", "nas"), ("[root@db1 ~]#", "db1"),
    ("root@db1:~#", "db1"), ("(base) ann@5002544:~$ ", "5002544"), ("/ # ", ""),
    ("root@10.0.0.5:~# ", "10.0.0.5"), ("(base)root@db1:~# ", "db1"),
    ("[root@10.0.0.5 ~]# ", "10.0.0.5"), ("(venv) ann.lee@db1:~/x$ ", "db1"), ("root@:~ # ", ""),
    ("Admin@db1:~$ ", "db1"), ("[12:34:56] root@db1:~# ", "db1"), ("12:34 root@db1:~# ", "db1"),
    ("db1:~ # ", "db1"), ("db1:/srv$ ", "db1"), ("~ # ", ""), ("[~] # ", ""),
    ("~]# ", ""), ("~]$ ", ""),
    ("[/share] # ", ""), ("ash-4.3# ", ""), ("[nix-shell:~]$ ", ""), ("\u2514\u2500$ ", ""),
    ("\u2514\u2500\u2500\u257c $ ", ""), ("\u279c  ~ ", ""), ("\u276f ", ""), ("\u03bb ", ""),
    ("(base) ann@db1:~/" + "deep-folder/" * 12 + "src$ ", "db1"),
    ("\u279c  tests git:(main) \u2717 ", ""), ("PS C:\\Users\\ann> ", ""), ("C:\\fio>", ""),
    ("[root@esx7:~] ", "esx7"), ("[root@db1 iscsi]## ", "db1"),
    ("cluster1::> ", "cluster1"), ("cluster1::*> ", "cluster1"),
    ("cluster1::storage disk> ", "cluster1"), ("IBM_2145:svc1:superuser>", "svc1"),
    ("IBM_FlashSystem:fs-1:admin> ", "fs-1"), ("3par1 cli% ", ""), ("cli% ", ""),
    ("db1:~>", "db1"), ("ann@db1:~>", "db1"), ("\u2514\u2500[0] <> ", ""),
    ("shell> ", ""), ("-> % ", ""),
]  # fmt: skip
_OF_OTHERS = ["nas# ", "nas% ", "% ", "#> ", "$> ", "#", "$", "/volume1 # ", "ann@db1:~/src$"]
"""Prompts that a program's name makes sure, where texts are looked through for commands."""


@pytest.mark.parametrize(("prompt", "host"), _OF_SHELLS)
@pytest.mark.parametrize("command", ["lsblk -f", "zpool status -v tank"])
def test_a_prompt_is_told_from_its_command(prompt: str, host: str, command: str) -> None:
    line = prompt + command
    at_prompt = prompt_in(line)
    assert at_prompt is not None
    assert (at_prompt.command, at_prompt.host) == (command, host)
    in_shell = command_at([line, ""], 0)
    assert in_shell is not None
    assert (in_shell.text, in_shell.host) == (command, host)


@pytest.mark.parametrize("prompt", ["cluster1::> ", "IBM_2145:svc1:superuser>", "3par1 cli% "])
def test_a_prompt_of_an_array_needs_no_known_program(prompt: str) -> None:
    assert is_prompt(f"{prompt}showvv -d")
    assert not is_prompt(f"{prompt}shows all of the volumes")


@pytest.mark.parametrize("prompt", _OF_OTHERS)
def test_a_prompt_is_known_by_the_program_behind_it(prompt: str) -> None:
    command = command_at([f"{prompt}lsblk -f", ""], 0)
    assert command is not None
    assert command.text == "lsblk -f"


@pytest.mark.parametrize(
    "line",
    [
        "\u250c\u2500\u2500(ann\u327fkali)-[~]", "root@nas[~]#", "root@10.0.0.5:~#",
        "(base) ann@db1:~$", "\u250c\u2500[ann@db1] - [/home/ann] - [2026-01-02 11:52:54]",
    ],
)  # fmt: skip
def test_a_prompt_without_a_command_ends_an_output(line: str) -> None:
    assert is_prompt(line)


@pytest.mark.parametrize(
    "line",
    [
        "user% nice% system% idle%", "disk% used of all", "/dev/sda # the first drive",
        "\u250c\u2500\u2500(see above)", "#mount the volume", "#define lsblk 1", "$lsblk",
        "nr# of requests", "Device# Model", "/srv # where the shares are", "see ~/notes # for more",
        "10.0.0.5: lsblk", "ann@example.com lsblk", "C:\\fio is a folder", "5002544: lsblk -f",
        "std::vector>x y", "std::cli> Gets it", "IBM_2145: lsblk -f", "10 cli% of it",
        "\u2514\u2500sda1 8:1", "\u2514\u2500 md0 9:0 0 8G 0 raid1",
    ],
)  # fmt: skip
def test_what_looks_like_a_prompt_and_is_none(line: str) -> None:
    assert command_at([line, ""], 0) is None
    assert not is_prompt(line)
    assert prompt_in(line) is None or " # " in line  # a comment, which readers bear


@pytest.mark.parametrize(("line", "folder"), [
    ("ann@db1 [12:34:56] [/mnt/data]", "/mnt/data"), ("ann@db1 [~/src]", "~/src"),
    ("\u250c\u2500\u2500(ann\u327fkali)-[~/x]", "~/x"), ("[/mnt/data]", ""),
    ("ann@db1:~/src$ ls [/mnt]", ""),
])  # fmt: skip
def test_the_folder_in_the_first_of_two_lines(line: str, folder: str) -> None:
    assert folder_above(line) == folder
