"""How the prompts of shells look: parts of regular expressions, for whoever looks for a command.

Group `user` is there where a prompt names a user and a host. `host_of` gives the host, which stands
in another group in each form.

Source: bash(1), "PROMPTING", and /etc/bash.bashrc of Debian, SUSE and Red Hat; zsh's themes of
oh-my-zsh and grml; FreeBSD's csh and /bin/sh; what DSM, QTS, TrueNAS and Kali set;
the manuals of ONTAP 9, IBM Storage Virtualize and HPE 3PAR.
"""

from __future__ import annotations

import re

PREFIX = r"(?:\([\w.-]{1,40}\) ?)?(?:\[?\d{1,2}:\d\d(?::\d\d)?\]? )?"
"""An environment of conda or venv, and the time: `(base) `, `[12:34:56] `."""

_HOST = (
    r"(?P<host>(?:[A-Za-z]|\d(?=[\w.-]{0,80}(?:[: ]|\[)[~/]))[\w.-]{0,80}"
    r"|(?=:[~/]))"  # FreeBSD's without a name: `root@:~ #`
)
NAMED = (
    rf"(?:\([\w.-]{{1,40}}\))?\[?(?P<user>[A-Za-z_][\w.-]{{0,40}})@{_HOST}"
    r"(?:(?:[: ]|\[(?=[~/]))(?P<folder>[^\]#$%>|]{0,200}))?\]?[ \t]?(?P<sign>[#$%>])(?:(?<=\]#)#)?"
)
"""`root@host:~#`, `[root@host /]#` (also with two signs), `root@nas[~]#`, `(base)root@host:~#`."""

PLAIN = (
    r"(?:"
    r"(?P<array>IBM_\w{1,30}:)?(?P<near>[A-Za-z][\w.-]{1,40})"
    r"(?::[~/][\w./-]{0,60} ?[#$>]"  # host:~ #
    r"|::(?:\*?>|[a-z][\w -]{0,40}\*?>(?= [a-z]))"  # ONTAP
    r"|(?(array):[a-z]\w{0,30}>|(?!)))"  # Storage Virtualize
    r"|(?:\d{0,2}[A-Za-z][\w.-]{0,40} )?cli%(?= [a-z])"  # 3PAR
    r"|~\][#$]|(?:\[[~/][\w./-]{0,60}\]|[~/]) ?[#$]|[~/](?!dev/)[\w./-]{1,60}[#$]"  # busybox, QTS
    r"|\[[a-z]\w{0,30}@(?P<esx>[\w.-]{1,80}):[~/][\w./~-]{0,120}\](?=[ \t]+[a-z./])"  # ESXi
    r"|(?:ba|da|a|k|z)?sh-\d\.\d{1,2}[#$]"
    r"|\[[\w-]{1,20}:[~/][^\]]{0,60}\][#$]"  # [nix-shell:~]$
    r"|\u2514\u2500{1,2}(?:\[\d{1,3}\] )?\u257c? ?(?:[#$]|<>)"  # the second line of Kali's
    r"|\u279c[ \t]{1,2}[\w.~/-]{1,60}(?: git:\([\w./-]{1,60}\))?(?: \u2717)?"  # oh-my-zsh
    r"|[\u276f\u03bb]"
    r"|-> %(?= [a-z./])"  # the second line of a theme of zsh
    r"|shell>(?= [a-z./])"  # of MySQL's manual and of who writes alike
    r"|(?:PS )?[A-Z]:\\[^<>|\"?*]{0,120}>"  # PowerShell and cmd.exe
    r")"
)
"""Prompts that name no user: surely prompts only at the beginning of a line."""
FIRST_OF_TWO = r"\u250c\u2500{1,2}[(\[][\w.@\u327f-]{1,80}[)\]] ?- ?\[[^|]{1,120}"
"""The first line of prompts of two lines, behind which no command stands: Kali's, Parrot's."""
FOLDER_OF_TWO = (
    r"\s{0,4}(?:[\w.-]{1,40}@[\w.-]{1,80} (?:\[[\d:]{4,8}\] )?"
    r"|\u250c\u2500{1,2}[(\[][\w.@\u327f-]{1,80}[)\]] ?- ?)\[(?P<folder>[~/][^\]]{0,200})\]\s*"
)
"""The first line of prompts of two lines that names the folder: `ann@db1 [12:34:56] [/srv]`."""
BEHIND = r"(?:[ \t]+|(?<=[\]~][#$])(?=[a-z./])|(?<=>)(?=\w))"
"""What stands between a prompt and the command: with some prompts nothing."""
DIRECTLY = r"(?(folder)(?<=[\w~/][#$>])(?=[a-z./])|(?!))"
"""The same of a prompt that is `NAMED` and names a folder: `ann@db1:~/src$lsblk`."""


def host_of(match: re.Match[str]) -> str:
    """The host that a prompt names; empty where it names none.

    Args:
        match: of a pattern that holds `NAMED` and `PLAIN`.
    """
    return match["host"] or match["near"] or match["esx"] or ""
