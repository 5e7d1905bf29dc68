"""What was changed between two measurements of a text: by commands, or as its author says.

A measurement that is done again is a repetition only where nothing was changed in between.

Source: sysctl(8), mount(8), blockdev(8), hdparm(8), tune2fs(8), mdadm(8), lvm(8), zfs(8), nvme(1),
ethtool(8), ip-link(8), modprobe(8) for what sets something, and what only shows it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from iosonde.kerneltext import fields
from iosonde.text.cursor import prompt_in
from iosonde.text.rate_limits import may_say_limit
from iosonde.text.secrets import without_secrets
from iosonde.text.written_between import written_between

CHANGED = "changed_before"
"""The detail of a trial that holds what was changed since the one before it."""
SAID = "what its author says"
"""The name under which a sentence stands for a change."""
_LINE = 400  # characters that are looked at
_WRITTEN = re.compile(
    r"\becho[ \t]{1,4}(?:-n[ \t]{1,4})?[\"']?(?P<value>[^\s|>\"';][^|>\"';]{0,120}+)"
    r"(?:[\"'][ \t]{0,4})?"
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
    r"|systemctl\s+(?:--\S+\s+)?(?:start|stop|restart|reload|enable|disable|mask|unmask|isolate"
    r"|set-property)|service\s+\S+\s+(?:start|stop|restart|reload)|rc-service\s+\S+\s+\S+"
    r"|(?:vi|vim|nano|emacs|ed)\s+[\w./~-]|sed\s+-i|patch\s+-|update-grub|grubby|dracut"
    r"|(?:apt|apt-get|yum|dnf|zypper|apk|pkg)\s+[^;|&]{0,40}\b(?:install|upgrade|remove|update)"
    r"|make\s+[^;|&]{0,40}install|swapoff|setenforce|blkdiscard|wipefs\s+-|cgset|cgcreate"
    r"|swapon\s+(?:-a|/)|iptables\s+-[ADFIPR]|tc\s+(?:qdisc|class|filter)\s+(?:add|change|del"
    r"|replace)|virsh\s+(?:start|reboot|destroy|edit|attach|detach|blkdeviotune|setvcpus|setmem)"
    r"|drbdadm\s+(?:up|down|primary|secondary|connect|disconnect|adjust|attach|detach)"
    r"|gluster\s+volume\s+(?:set|reset|create|start|stop)|lctl\s+set_param|lfs\s+setstripe"
    r"|exportfs\s+-\w{0,3}[rua]|rbd\s+(?:map|unmap|feature|resize)"
    r"|aws\s+ec2\s+modify-volume|az\s+disk\s+update|qm\s+set|pct\s+set|openstack\s+volume\s+\S+"
    r"|kubectl\s+(?:apply|delete|patch|scale|edit|rollout|set)"
    r"|(?:docker|podman)\s+(?:start|stop|restart|update)|(?:pv|lv|vg)(?:create|remove|reduce|merge)"
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


@dataclass(frozen=True, slots=True)
class Changes:
    """What stands between two measurements: what was set, and what its author says of the next.

    Args:
        commands: that set something, each once.
        lines: all lines there.
        others: indices of those that outputs have, and of those with commands that set something.
    """

    commands: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    others: frozenset[int] = frozenset()

    def sentences(self) -> tuple[str, ...]:
        """What was written about the next run, each once: most of a search never asks for it."""
        written = map(without_secrets, written_between(self.lines, self.others))
        return tuple(dict.fromkeys(written))

    def may_say_limit(self) -> bool:
        """Whether one of the sentences may be of a limit on the rate of I/O."""
        return may_say_limit("\n".join(self.lines))


def changes_in(lines: Sequence[str], outputs: Collection[int] = ()) -> Changes:
    """The commands that set something; what was written there is read when it is asked for.

    Args:
        lines: above a measurement, up to the one before it.
        outputs: indices of lines that other outputs have; commands are looked for in these, too.
    """
    commands = dict[str, None]()
    setting: set[int] = set(outputs)
    for place, line in enumerate(lines):
        text = line[:_LINE].strip()
        prompt = prompt_in(text)
        if done := list(map(without_secrets, _commands(prompt.command if prompt else text))):
            commands |= dict.fromkeys(done)
            setting.add(place)
    return Changes(tuple(commands), tuple(lines), frozenset(setting))


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
