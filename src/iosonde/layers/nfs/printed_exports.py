"""/etc/exports, exportfs -v and -s: what an NFS server gives to whom.

A client and its options stand together; with a blank between them, as exports(5) warns, the
options are those of the whole world. Options of a client's mount (`soft`, `rsize=`) among
those of an export are said as such: exportfs refuses the entry.

Source: exports(5) of nfs-utils 2.6.2; support/nfs/exports.c, parseopts() ("unknown keyword");
nfs(5), mount(8); exportfs.c, dump(): a path of more than 14 characters stands
in a line of its own, and the world is `<world>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from typing_extensions import override

from iosonde.layers._mounts.facts import unmarked
from iosonde.layers.nfs.facts import EXPORT_CLIENT, parse_clients
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, entries
from iosonde.text.torn import joinings

_FLAGS = frozenset({
    "acl", "all_squash", "async", "auth_nlm", "crossmnt", "hide", "insecure", "insecure_locks",
    "mountpoint", "mp", "no_acl", "no_all_squash", "no_auth_nlm", "no_pnfs", "no_root_squash",
    "no_subtree_check", "no_wdelay", "nocrossmnt", "nohide", "nordirplus", "pnfs", "ro",
    "root_squash", "rw", "secure", "secure_locks", "security_label", "subtree_check", "sync",
    "wdelay",
})  # fmt: skip
_KEYS = ("anongid=", "anonuid=", "fsid=", "mountpoint=", "mp=", "refer=", "replicas=", "sec=",
         "xprtsec=")  # fmt: skip
_OF_MOUNTS = frozenset({
    "_netdev", "ac", "actimeo", "atime", "auto", "bg", "cto", "defaults", "dev", "exec", "fg",
    "hard", "intr", "lock", "nconnect", "nfsvers", "noac", "noatime", "noauto", "nocto", "nodev",
    "nodiratime", "noexec", "nofail", "nointr", "nolock", "nosuid", "nouser", "port",
    "proto", "relatime", "retrans", "rsize", "soft", "softerr", "suid", "tcp", "timeo", "udp",
    "user", "users", "vers", "wsize",
})  # fmt: skip
"""Options of a mount that are none of an export."""
_OF_BOTH = frozenset({"rw", "ro", "sync", "async"})
"""Options of a mount and of an export."""
_OPTION = "|".join((*sorted(_FLAGS), *(f"{key}[^,()]*" for key in _KEYS)))
_OPENS = re.compile(rf"\((?:{_OPTION})\s*(?:,|\)|$)")
_PATH = re.compile(r"(?:/(?![*/])[^\s(),;'\"]*|\"/[^\"()]{1,200}\")(?=\s|$)")
_WRITTEN = re.compile(
    r"(?:\S{0,80}[#$] {1,4})?(?:sudo )?(?:echo|printf)(?: -\w{1,4})?"
    r"(?: {1,4}[\"'“‘]| {1,4}(?=/))"
    r"(?P<entry>/[^\"'”’>|]{3,300}?)(?:\\n)?[\"'”’]? *"
    r"(?:>{1,2}|\| *(?:sudo )?tee(?: -a)?) */etc/exports(?:\.d/\S{1,60})?[`\"' ]*$"
)
"""A command that writes an entry into the file, also with the quotes of print, as guides have."""
_MOST = 6
_COLUMN = 3  # blanks, of which more stand between columns alone


class ExportsOutput(StateOutput):
    tool = "exports"
    anchors = (
        "(rw,", "(ro,", "(rw)", "(ro)", "(sync", "(async", "(insecure", "(no_", "(fsid=",
        "(all_squash", "no_root_squash", "no_subtree_check", "no_wdelay", "all_squash", "<world>(",
        "(secure,",
    )  # fmt: skip

    commands = ("cat", "exportfs", "grep")
    reach = 3
    nothing = "no client has options"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 4, -1), -1):
            if _entry(cursor, index):
                first = index
                for step in range(index - 1, max(index - 20, -1), -1):
                    line = cursor.line(step).strip()
                    if line and _entry(cursor, step):
                        first = step
                    elif not line or first - step > _MOST:
                        break
                return first
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        comment = "" if _WRITTEN.match(cursor.line(first).strip()) else "#"  # root's prompt
        exports, last = entries(cursor, first, _entry, comment=comment, most=300)
        return last, chain.from_iterable(exports)


def _entry(cursor: TextCursor, index: int) -> tuple[list[PrintedSubject], int] | None:
    """What one path is exported to, and the index of the last line; None where none begins."""
    if written := _WRITTEN.match(cursor.line(index).strip()):
        exports = _parsed([written["entry"].strip()])
        return (exports, index) if exports else None
    parts: list[str] = []
    best: tuple[list[PrintedSubject], int] | None = None
    for end in range(index, index + _MOST):
        line = cursor.line(end)
        if not line.strip():
            if best or not parts or end > index + 2:
                break
            continue
        text = line.strip() if parts else unmarked(line)
        if bool(_PATH.match(text)) == bool(parts):
            break  # the next path, or none at all
        goes_on = text.endswith("\\")
        parts.append(text.rstrip("\\ "))
        if (exports := _parsed(parts)) is not None:
            best = exports, end
            after = cursor.line(end + 1).strip()
            if not goes_on and not _OPENS.search(after):
                break
        elif best is not None:
            break
    return best


def _parsed(parts: Sequence[str]) -> list[PrintedSubject] | None:
    """The subjects of one entry; None where it is none, or not complete."""
    for whole in joinings(parts):
        path = _PATH.match(whole)
        rest = whole[path.end() :].strip() if path else ""
        if path and _OPENS.search(rest) and _fits(rest):
            return list(_subjects(path[0].strip('"'), rest))
    return None


def _fits(rest: str) -> bool:
    """Whether all that follows a path is clients with options that exist."""
    if rest.startswith(("from ", "on ")):
        return False  # a volume of Kubernetes, `/srv from data (rw)`; a mount, `/dev/sda1 on /srv`
    end, recognised = 0, 0
    for client in EXPORT_CLIENT.finditer(rest):
        nothing = rest[end : client.start()].strip() or not (client["bare"] or "").strip("()")
        if nothing and not client["options"]:
            return False
        if client["options"]:
            if not _are_options(client, is_alone=rest.startswith("(")):
                return False
            recognised += 1
        elif not re.fullmatch(r"[\w.:/*?@\[\]<>=,-]+", client["bare"]) or "=" in client["bare"][:2]:
            return False
        end = client.end()
    return recognised > 0 and end == len(rest) and len(rest.split()) < 60


def _are_options(client: re.Match[str], *, is_alone: bool) -> bool:
    """Whether what stands in parentheses are options of an export.

    Args:
        client: with its options.
        is_alone: whether no client stands before them, as in `/home (rw,nosuid)`, which says how a
            partition is to be mounted.
    """
    options = [option for option in client["options"].split(",") if option]
    if client["client"] and len(client["apart"]) > _COLUMN:
        return False  # a table that explains an entry, part by part
    if is_alone and not any(map(_is_of_exports, options)):
        return False
    return all(map(_is_option, options))


def _is_option(option: str) -> bool:
    """Whether an option exists, of an export or of a mount."""
    return option in _FLAGS or option.startswith(_KEYS) or option.partition("=")[0] in _OF_MOUNTS


def _is_of_exports(option: str) -> bool:
    """Whether only an export has an option: a mount is `rw`, `ro` and `sync` as well."""
    return option.startswith(_KEYS) or (option in _FLAGS and option not in _OF_BOTH)


def _subjects(path: str, rest: str) -> Iterator[PrintedSubject]:
    """One subject for each list of options, with its clients."""
    for client in parse_clients(rest):
        foreign = [name for name in client.options if name in _OF_MOUNTS]
        options = {name: value for name, value in client.options.items() if name not in foreign}
        values: dict[str, Scalar] = {"clients": client.name, **options}
        if foreign:
            values["options_of_mounts"] = ",".join(foreign)
        if client.apart_from:
            values["written_apart_from"] = client.apart_from
        for this, other in (("sync", "async"), ("wdelay", "no_wdelay")):
            if this in options or other in options:
                values |= {this: this in options, other: other in options}
        yield PrintedSubject("export", path, values)
