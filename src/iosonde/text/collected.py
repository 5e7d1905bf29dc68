"""What a support tool collected of a host, as that host's files and answers.

Three shapes are read: sosreport (copies of files under their own paths, commands under
`sos_commands/PLUGIN/`, the blanks of their names replaced), supportconfig (texts with a section for
each command and each file), and a directory of somebody's own with files named after what they
hold: `lsblk.txt`, `mountinfo`, `dmsetup-table.txt`.

Nothing is unpacked and no link of the archive leads out of it: the files are in memory, and links
are followed among them.

Source: sosreport 4.7, sos/report/plugins/__init__.py, `_mangle_command()`; supportutils 3.1,
bin/supportconfig, `log_cmd()` and `conf_files()`.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from iosonde import kerneltext, limits
from iosonde.errors import UsageError
from iosonde.text.archive import Member, open_members

_COMMANDS = "sos_commands"
_ROOTS = ("proc", "sys", _COMMANDS)
_COPIED = frozenset({*_ROOTS, "etc", "run"})
_HOPS = 40  # as many links as the kernel follows: path_resolution(7)
_LONGEST = 255  # bytes of a name: NAME_MAX, at which sosreport cuts it
_ENDING = re.compile(r"\.(?:txt|log|out|json)$", re.IGNORECASE)
_SECTION = re.compile(r"^#==\[ ([A-Za-z ]+?) \]=+#?\s*$")
_PROC = {
    name: f"/proc/{name}" for name in ("mounts", "mdstat", "partitions", "swaps", "meminfo")
} | {"mountinfo": "/proc/self/mountinfo"}
_HOSTNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


def mangled(command: str) -> str:
    """A command line as sosreport names the file of its output."""
    plain = re.sub(r"^/(?:usr/|)(?:s?bin)/", "", command)
    return re.sub(r"[^\w\-./]+", "_", plain).replace("/", ".").strip(" ._-")[:_LONGEST]


def _loose(name: str) -> str:
    """The same of a name that a person chose."""
    return re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_").lower()


class CollectedFiles:
    """Files, links and commands' outputs of one host.

    Args:
        name: of the host, where the files do not say it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.outputs: dict[str, bytes] = {}
        """Command, as `mangled` has it → what it printed."""
        self.problems: dict[str, str] = {}
        """File → why it was not read."""
        self._named: dict[str, bytes] = {}
        self._files: dict[str, bytes] = {}
        self._links: dict[str, str] = {}
        self._children: dict[str, set[str]] = defaultdict(set)

    def add(self, path: str, content: bytes) -> None:
        """A file under its own path; the first of several holds."""
        self._place(path)
        self._files.setdefault(path, content)

    def add_link(self, path: str, target: str) -> None:
        """A symbolic link."""
        self._place(path)
        self._links.setdefault(path, target)

    def add_named(self, name: str, content: bytes) -> None:
        """A file that somebody named after the command or the file that it holds."""
        plain = _ENDING.sub("", name)
        if plain in _PROC:
            self.add(_PROC[plain], content)
        self.outputs.setdefault(mangled(plain), content)
        self._named.setdefault(_loose(plain), content)

    def output(self, command: str) -> bytes | None:
        """What a command printed; None where it was not collected."""
        content = self.outputs.get(mangled(command))
        return content if content is not None else self._named.get(_loose(command))

    def outputs_of(self, program: str) -> Iterator[bytes]:
        """What a program printed, whatever its options."""
        for name, content in self.outputs.items():
            if re.split(r"[_.-]", name)[0] == program:
                yield content

    def read(self, path: str) -> bytes | None:
        """A file, behind links; None where there is none."""
        return self._files.get(self.resolve(path))

    def exists(self, path: str) -> bool:
        """Whether there is a file or a directory, behind links."""
        place = self.resolve(path)
        return place in self._files or place in self._children

    def resolve(self, path: str) -> str:
        """The path behind all links; itself where one leads nowhere."""
        place, hops = "/", 0
        rest = [part for part in reversed(path.split("/")) if part]
        while rest:
            part = rest.pop()
            place = posixpath.normpath(posixpath.join(place, part))
            target = self._links.get(place)
            if target is None:
                continue
            hops += 1
            if hops > _HOPS:
                return path
            place = "/" if target.startswith("/") else posixpath.dirname(place)
            rest += [part for part in reversed(target.split("/")) if part not in {"", "."}]
        return place

    def glob(self, pattern: str) -> tuple[str, ...]:
        """Paths that match, sorted; see `Host.glob`."""
        matches = [""]
        for part in pattern.strip("/").split("/"):
            matches = [
                f"{above}/{child}"
                for above in matches
                for child in self._children.get(self.resolve(above), ())
                if fnmatchcase(child, part) and (part[0] == "." or child[0] != ".")
            ]
        return tuple(sorted(matches))

    def _place(self, path: str) -> None:
        while path != "/":
            above, child = posixpath.split(path)
            if child in self._children[above]:
                return
            self._children[above].add(child)
            path = above


def _wanted(parts: tuple[str, ...]) -> bool:
    """Whether a file can say something of the stack: /var/log of a sosreport has gigabytes."""
    return len(parts) <= 2 or not _COPIED.isdisjoint(parts[:3])


def read_collected(name: str) -> CollectedFiles:
    """The host that a directory or an archive describes.

    Raises:
        UsageError: it is neither, is damaged, describes several hosts, or has more than limits.py
            allows.
    """
    members, kept = [], 0
    for member in open_members(name, _wanted, limits.DESCRIBED_FILE):
        members.append(member)
        kept += len(member.content or b"")
        if kept > limits.DESCRIBED:
            raise UsageError(
                f"has more than {limits.shown(limits.DESCRIBED)} of files that describe a host, "
                "the limit",
                where=name,
                hint="give a directory with what concerns storage: sos_commands, proc, sys, etc",
            )
    root = _root(name, members)
    files = CollectedFiles(Path(name).resolve().name.split(".")[0])
    for member in members:
        if member.path[: len(root)] == root and len(member.path) > len(root):
            _take(files, member, member.path[len(root) :])
    files.name = _host_name(files)
    return files


def _root(name: str, members: Iterable[Member]) -> tuple[str, ...]:
    """The directory of the archive in which the host's own paths begin."""
    roots, tops, deep = set(), set(), True
    for member in members:
        first = next((place for place, part in enumerate(member.path[:2]) if part in _ROOTS), None)
        if first is not None and len(member.path) > first + 1:
            roots.add(member.path[:first])
        tops.add(member.path[0])
        deep = deep and len(member.path) > 1
    if not roots:
        return (tops.pop(),) if deep and len(tops) == 1 else ()
    least = min(map(len, roots))
    several = sorted("/".join(root) for root in roots if len(root) == least)
    if len(several) > 1:
        raise UsageError(
            f"describes {len(several)} hosts: {', '.join(several[:4])}", where=name,
            hint="give the directory of one of them",
        )  # fmt: skip
    return next(root for root in roots if len(root) == least)


def _take(files: CollectedFiles, member: Member, path: tuple[str, ...]) -> None:
    place = "/" + "/".join(path)
    if member.problem:
        files.problems[place] = member.problem
    elif path[0] == _COMMANDS:
        if member.content is not None:
            files.outputs.setdefault(path[-1], member.content)
    elif member.link:
        if path[0] in _COPIED:
            files.add_link(place, member.link)
    elif member.content is None:
        return
    elif path[0] in _COPIED:
        files.add(place, member.content)
    elif len(path) == 1 and not _take_sections(files, member.content):
        files.add_named(path[0], member.content)


def _take_sections(files: CollectedFiles, content: bytes) -> bool:
    """The commands and files of a text of supportconfig; False where it is none."""
    if b"\n#==[ " not in content and not content.startswith(b"#==[ "):
        return False
    kind, title, body = "", "", list[str]()

    def end() -> None:
        text = kerneltext.encoded("\n".join(body) + "\n")
        if kind == "Command" and title:
            files.outputs.setdefault(mangled(title), text)
        elif kind == "Configuration File" and title.startswith("/") and ".." not in title:
            files.add(posixpath.normpath(title.split(" ")[0]), text)

    for line in kerneltext.lines(kerneltext.decoded(content)):
        if heading := _SECTION.match(line):
            end()
            kind, title, body = heading[1], "", []
        elif kind and not title and line.startswith("# "):
            title = line[2:].strip()
        else:
            body.append(line)
    end()
    return True


def _host_name(files: CollectedFiles) -> str:
    """As the host calls itself, else the archive's name, in letters that are safe to print."""
    said: Mapping[str, bytes | None] = {
        place: files.read(place) for place in ("/proc/sys/kernel/hostname", "/etc/hostname")
    }
    for content in (*said.values(), files.output("hostname"), files.output("hostname -f")):
        text = kerneltext.decoded(content or b"").strip().split(".")[0]
        if _HOSTNAME.fullmatch(text):
            return text
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", files.name).strip("-")[:63]
    return plain or "archive"
