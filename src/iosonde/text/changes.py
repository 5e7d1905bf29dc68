"""What was changed between two measurements of a text: by commands, or as its author says.

A measurement that is done again is a repetition only where nothing was changed in between.

Source: sysctl(8), mount(8), blockdev(8), hdparm(8), tune2fs(8), mdadm(8), lvm(8), zfs(8), nvme(1),
ethtool(8), ip-link(8), modprobe(8) for what sets something, and what only shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from iosonde.kerneltext import fields
from iosonde.text.cursor import prompt_in
from iosonde.text.prose import is_sentence
from iosonde.text.secrets import without_secrets

CHANGED = "changed_before"
"""The detail of a trial that holds what was changed since the one before it."""
SAID = "what its author says"
"""The name under which a sentence stands for a change."""
_LINE = 400  # characters that are looked at
_NEAR = 24  # lines above a measurement in which its author may speak of it
_WRITTEN = re.compile(
    r"\becho[ \t]{1,4}(?:-n[ \t]{1,4})?[\"']?(?P<value>[^\s|>\"';][^|>\"';]{0,120}+)[\"']?"
    r"(?:>{1,2}|\|[ \t]{0,4}(?:sudo[ \t]{1,4})?tee[ \t]{1,4}(?:-a[ \t]{1,4})?)[ \t]{0,4}"
    r"(?P<path>/(?:sys|proc)/[\w./:@-]{1,200})"
)
_HYGIENE = re.compile(r"drop_caches|compact_memory|sysrq|/stats?$|/uevent$")
"""What is written to begin every run alike."""
_SYSCTL = re.compile(
    r"\bsysctl\s+(?:-[\w]{1,3}\s+){0,3}[\"']?(?P<path>[a-z][\w./-]{2,80})\s?=\s?"
    r"(?P<value>[^\s\"';]{1,60})"
)
_SETS = re.compile(
    r"(?:^|[;&|(]\s*|\bsudo\s+(?:-\w\s+)?)(?:/(?:usr/)?s?bin/)?(?P<command>"
    r"tune2fs\s+[^;|&]{0,80}-[a-zA-Z]{0,4}[cEeImoOQrTU]\b"
    r"|blockdev\s+[^;|&]{0,40}--set\w+"
    r"|hdparm\s+[^;|&]{0,40}-[ABKMNQSWa]\s?\d"
    r"|sdparm\s+[^;|&]{0,40}(?:--set|--clear|-s\s|-c\s)"
    r"|mount\s+[^;|&]{0,80}(?:-o\s|-t\s|\S\s+/)"
    r"|mdadm\s+[^;|&]{0,80}(?:--grow|--create|--add|--remove|--fail|-[GC]\s)"
    r"|(?:mkfs|mke2fs|lvcreate|lvconvert|lvchange|lvextend|vgchange|e4defrag|resize2fs|xfs_growfs"
    r"|modprobe|rmmod|fstrim|zpool\s+(?:set|create|add|attach|detach|remove|import)"
    r"|zfs\s+(?:set|create|inherit)|nvme\s+(?:set-feature|format)|dmsetup\s+(?:create|reload|message)"
    r"|ethtool\s+(?:-[ACGKLNsX]\b|--(?:set|change|offload|pause|coalesce)[\w-]*)"
    r"|ifconfig\s+\S+\s+[^;|&]{0,60}mtu|ip\s+link\s+set|tuned-adm\s+profile|cpupower\s+\S*-?set"
    r"|xfs_io\s+-c\s+extsize|btrfs\s+(?:property\s+set|balance|filesystem\s+defrag)"
    r"|cryptsetup\s+(?:(?:luks)?[Oo]pen|refresh|luksFormat)|ceph\s+(?:config\s+set|osd\s+pool\s+set)"
    r"|(?:storcli|perccli|megacli|MegaCli)(?:64)?\s+[^;|&]{0,80}(?:\bset\b|-LDSetProp)"
    r"|(?:hpacucli|hpssacli|ssacli)\s+[^;|&]{0,80}\bmodify\b|reboot|shutdown)\b"
    r"|cd\s+(?=[\w./~$-])"
    r")(?P<rest>[^;&|#]{0,200})"
)
_BEFORE = (";", "&", "|", "(", "sudo")
"""What stands before a second command of a line."""
_VALUE = re.compile(r"(?<=--setra)\s+\d{1,9}|(?<=-[ABKMNQSWa])\s?\d{1,9}")
_DONE = re.compile(
    r"\b(?:changed|replaced|moved|switched|enabl\w+|disabl\w+|added|removed|set|installed|upgraded"
    r"|rebooted|formatted|re-?created|remounted|mounted|turned|tuned|increased|decreased|raised"
    r"|lowered|swapped|geändert|ausgetauscht|gewechselt|aktiviert|deaktiviert)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|repeat\w*|re-?run\w*|once more|one more|another (?:run|try|test)|second|third"
    r"|2nd|3rd|\d ?(?:times|runs|x)|run ?#? ?\d|runs|twice|same (?:test|command|thing|result)"
    r"|noch ?(?:ein)?mal|wieder|erneut|encore|nochmals|otra vez|ещё раз|снова)\b",
    re.IGNORECASE,
)
"""What says that it is done again as it was."""
_CONDITION = re.compile(
    r"\W{0,6}(?:(?:and|but|now|then|next|same|the|test|tests|tested|results?|here|is|this|that)"
    r"[ ,:]{1,3}){0,4}"
    r"(?:with|without|after|before|using|when|changed|set|switch(?:ed|ing)"
    r"|enabl(?:ed|ing)|disabl(?:ed|ing)|mounted|remounted|replac(?:ed|ing)|add(?:ed|ing)"
    r"|remov(?:ed|ing)|turn(?:ed|ing)|increas(?:ed|ing)|decreas(?:ed|ing)|default|mit|ohne|nach"
    r"|vor|avec|sans|con|sin|senza)\b[ :=]"
    r"|\W{0,6}(?:and |but |now |then |same |the )?(?:on|over|via|from|for|auf|sur)\b"
    r" [^:]{2,60}:$",
    re.IGNORECASE,
)


_ROW = re.compile(r"\S+(?:\s+[\d.,%]+)+$|\S+: \(g=\d")
"""A row of a table, and the line with which fio begins a job: named `before` or `after`."""


class Changes(NamedTuple):
    """What stands between two measurements: what was set, and what its author says of the next."""

    commands: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


def changes_in(lines: Sequence[str]) -> Changes:
    """The commands that set something and the sentences about the next run, each once.

    Args:
        lines: above a measurement, up to the one before it. Sentences are looked for in the last.
    """
    commands, sentences = dict[str, None](), dict[str, None]()
    for left, line in zip(range(len(lines), 0, -1), lines, strict=True):
        text = line[:_LINE].strip()
        prompt = prompt_in(text)
        done = list(map(without_secrets, _commands(prompt.command if prompt else text)))
        commands |= dict.fromkeys(done)
        if left <= _NEAR and not done and not prompt and _is_said(text):
            sentences[without_secrets(text)] = None
    return Changes(tuple(commands), tuple(sentences))


def _is_said(text: str) -> bool:
    """Whether somebody says what is different, and not that it is done again."""
    if not text or text.startswith(("#!", "/", "<", "{", "[")) or _ROW.match(text):
        return False
    says = _CONDITION.match(text) or (is_sentence(text) and _DONE.search(text))
    return bool(says) and not _AGAIN.search(text)


def _commands(text: str) -> Iterator[str]:
    """What a command line sets."""
    for name, pattern in (("echo", _WRITTEN), ("sysctl", _SYSCTL)):
        for match in pattern.finditer(text) if name in text else ():
            if not _HYGIENE.search(match["path"]):
                yield " ".join(fields(match[0]))
    may_set = any(sign in text for sign in _BEFORE) or _SETS.match(text)
    for match in _SETS.finditer(text) if may_set else ():
        yield " ".join(fields(match["command"] + match["rest"]))


def put_in_force(changes: Iterable[str], settings: dict[str, str]) -> None:
    """Notes what changes set, by what they set: a later one of the same replaces it."""
    said: list[str] = []
    for change in changes:
        setting = _setting(change)
        if setting is None:
            said.append(change)
            continue
        name, value = setting
        settings.pop(name, None)
        settings[name] = value
    if said:
        settings.pop(SAID, None)
        settings[SAID] = " ".join(said)


def _setting(change: str) -> tuple[str, str] | None:
    """What a command sets, and to what; None of a sentence."""
    if match := _WRITTEN.search(change) or _SYSCTL.search(change):
        path = match["path"].removeprefix("/proc/sys/").replace("/", ".").strip(".")
        return path, match["value"].strip()
    if not any(_commands(change)):
        return None
    if values := _VALUE.findall(change):
        return _VALUE.sub("", change), " ".join(value.strip() for value in values)
    return change.partition(" ")[0], change
