"""Names of programs: those whose output is read, as their readers call them, and others.

A line is a command, and no comment or host, if it begins with one.
"""

from __future__ import annotations

import re
from functools import cache

from iosonde.text.output_kinds import commands

_OTHERS = frozenset({
    "bcache-status", "blkdiscard", "cephadm", "fio", "ibstat", "ifstat", "ioping", "iozone",
    "ipmitool", "modinfo", "sestatus", "sysctl", "tcmu-runner",
})  # fmt: skip
"""Those that no reader names: their output says whose it is, or is not read."""
_SPEAKING = frozenset({
    "device-mapper", "e2image", "e2label", "fallocate", "partprobe", "qemu", "qemu-io", "qemu-kvm",
    "qemu-nbd", "qemu-system-x86_64", "truncate", "umount", "umount.nfs", "umount.nfs4",
})  # fmt: skip
"""What else stands before a message."""
_NOUNS = frozenset({
    "aggr", "check", "configure", "disk", "for", "k", "lun", "net", "network", "quota", "readahead",
    "sort", "storage", "sysconfig", "time", "vol", "volume", "w", "watch", "writeback",
})  # fmt: skip
"""Commands that are words of prose, or names of hosts, if nothing stands behind them."""
_FAMILY = re.compile(r"[a-z]{2,12}[._]")
"""What the names of several programs begin with: `mkfs.`, `xfs_`."""
NO_FIGURES = frozenset({
    "alias", "apk", "apt", "apt-cache", "apt-get", "aptitude", "awk", "base64", "bash", "brew",
    "cal", "cargo", "cc", "cd", "chmod", "chown", "clang", "clear", "cmake", "cp", "crontab",
    "curl", "date", "diff", "dir", "dnf", "dpkg", "echo", "emacs", "emerge", "exit", "export",
    "file", "find", "g++", "gcc", "gdb", "git", "go", "gzip", "help", "hexdump", "history",
    "hostname", "id", "info", "kill", "less", "ll", "ln", "locate", "logout", "ls", "make", "man",
    "md5sum", "meson", "mkdir", "more", "mv", "nano", "ninja", "npm", "od", "pacman", "patch",
    "perl", "pip", "pip3", "printf", "pwd", "python", "python3", "rm", "rmdir", "rpm", "rsync",
    "ruby", "scp", "sed", "service", "sh", "sha256sum", "snap", "source", "ssh", "strace",
    "strings", "su", "systemctl", "tar", "tee", "touch", "tree", "type", "unzip", "vi", "vim",
    "wget", "whereis", "which", "whoami", "xxd", "yum", "zypper",
})  # fmt: skip
"""Programs whose output is of other things: listings, logs, the text of files, languages."""
LISTINGS = frozenset({"dir", "hexdump", "ll", "ls", "od", "xxd"})
"""Programs whose output is a listing of files or a dump."""

PROSE_VERBS = frozenset({
    "check", "configure", "find", "for", "free", "head", "less", "make", "more", "mount", "sort",
    "tail", "time", "top", "watch",
})  # fmt: skip
"""Programs and words of a shell that are words of prose, too: `# check current ipv4 range`."""


@cache
def programs() -> frozenset[str]:
    """Names of the commands whose outputs are known, by the readers of them."""
    return _OTHERS | commands()


@cache
def _families() -> frozenset[str]:
    return frozenset(match[0] for name in programs() if (match := _FAMILY.match(name)))


def is_programs_name(word: str) -> bool:
    """Whether a word that a line begins with names a program, and is no other word."""
    family = _FAMILY.match(word)
    return (
        word in NO_FIGURES
        or word in _SPEAKING
        or (word not in _NOUNS and is_program(word))
        or (family is not None and family[0] in _families())
    )


def is_program(name: str) -> bool:
    """Whether a command of this name prints what may be read."""
    return name in programs()
