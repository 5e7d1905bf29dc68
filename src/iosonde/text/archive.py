"""Several texts under one name: a directory of collected outputs, or a tar archive of one.

What support tools collect is such a directory: sosreport, supportconfig, `cp -r` of somebody's
notes. Only regular files are read; links, devices and files that are no text are passed over and
counted. An archive is read from its beginning to its end and unpacked nowhere.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, BinaryIO

from iosonde import limits
from iosonde.errors import UsageError
from iosonde.inputs import open_input
from iosonde.text.document import Document, NoText, of_bytes, open_document

_PACKED = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh")
"""What Python's tarfile unpacks: gzip, xz and bzip2. Source: magic(5) of file 5.44, compress."""
_TAR = slice(257, 262)
"""Where a header of POSIX.1-1988 says "ustar". Source: tar(5), POSIX ustar Archives."""
_STEP = 1 << 20
_HEADER_MOST = 1 << 20
"""Bytes of a long name or of extended attributes before a file; they are read into memory."""
_BROKEN = (
    tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError,
    TypeError,  # tarfile takes the ord() of a gzip header's bytes that are not there
)  # fmt: skip


class _Entry(tarfile.TarInfo):
    """A header of an archive, which does not fill memory whatever size it claims."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size > _HEADER_MOST and not self.isreg() and self.type in _IN_MEMORY:
            raise tarfile.HeaderError(f"a header of {self.size} bytes")
        member: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return member


_IN_MEMORY = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


@dataclass(slots=True)
class Passed:
    """What was passed over, because it cannot hold a text."""

    files: int = 0
    failed: list[UsageError] = field(default_factory=list)
    """Files that should have been read, and why they were not."""


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Errors of a broken archive, in its name."""
    try:
        yield
    except _BROKEN as problem:
        raise UsageError(
            f"is a damaged archive: {problem}",
            where=name,
            hint="fetch it again, or unpack what can be unpacked and give that directory",
        ) from None


def open_documents(name: str, passed: Passed) -> Iterator[Document]:
    """The texts under a name, one after the other: each is closed when the next is asked for.

    Args:
        name: a file, "-" for standard input, a directory, or a tar archive.
        passed: hears what was passed over, and which files of several could not be read.

    Raises:
        UsageError: as `open_document`; the archive is damaged, or has more than limits.py allows.
    """
    if name != "-" and Path(name).is_dir():
        yield from _of_directory(name, passed)
    elif name != "-" and _is_archive(name):
        yield from _of_archive(name, passed)
    else:
        with open_document(name) as document:
            yield document


def _of_directory(name: str, passed: Passed) -> Iterator[Document]:
    count = 0
    for folder, folders, files in os.walk(name, onerror=lambda error: _refuse(error, passed)):
        folders.sort()
        for file in sorted(files):
            path = Path(folder, file)
            if path.is_symlink() or not path.is_file():
                passed.files += 1
                continue
            count += 1
            _count(count, name)
            try:
                with open_document(str(path)) as document:
                    yield document
            except NoText:
                passed.files += 1
            except UsageError as problem:
                passed.failed.append(problem)


def collection_digest(name: str) -> str | None:
    """SHA-256 of a directory's or an archive's names and bytes; None for a single text.

    Raises:
        UsageError: it cannot be read.
    """
    whole = hashlib.sha256()
    if name != "-" and Path(name).is_dir():
        for document in _of_directory(name, Passed()):
            line = f"{document.name}\0{document.digest()}\n"
            whole.update(line.encode(errors="surrogateescape"))
    elif name != "-" and _is_archive(name):
        with open_input(name) as file:
            while part := file.read(_STEP):
                whole.update(part)
    else:
        return None
    return whole.hexdigest()


@dataclass(frozen=True, slots=True)
class Member:
    """A file or a symbolic link of a directory or an archive.

    Args:
        path: its names from the top down; none of them is "..".
        content: of a file; None: it was not read.
        link: where a symbolic link leads; empty: it is a file.
        problem: why a file was not read.
    """

    path: tuple[str, ...]
    content: bytes | None = None
    link: str = ""
    problem: str = ""


def open_members(
    name: str, wanted: Callable[[tuple[str, ...]], bool], most: int
) -> Iterator[Member]:
    """The files and links of a directory or an archive as they are, one after the other.

    No link is followed and nothing is unpacked. Devices, FIFOs and hard links are passed over, and
    so are names that lead out of the archive.

    Args:
        name: of the directory or archive.
        wanted: whether a file's content is read, by its path.
        most: bytes of the largest file that is read.

    Raises:
        UsageError: it is neither, is damaged, or has more than limits.py allows.
    """
    if Path(name).is_dir():
        yield from _directory_members(name, wanted, most)
    elif _is_archive(name):
        yield from _archive_members(name, wanted, most)
    else:
        raise UsageError(
            "is neither a directory nor a tar archive (plain, or packed by gzip, bzip2 or xz)",
            where=name,
        )


def _directory_members(
    name: str, wanted: Callable[[tuple[str, ...]], bool], most: int
) -> Iterator[Member]:
    count = 0
    for folder, folders, files in os.walk(name):
        above = Path(folder).relative_to(name).parts
        for file in sorted([*files, *folders]):
            path, parts = Path(folder, file), (*above, file)
            if path.is_symlink():
                with suppress(OSError):
                    yield Member(parts, link=str(path.readlink()))
            elif path.is_file():
                yield _file_member(path, parts, wanted(parts), most)
            else:
                continue
            count += 1
            _count(count, name)
        folders.sort()


def _file_member(path: Path, parts: tuple[str, ...], wanted: bool, most: int) -> Member:
    if not wanted:
        return Member(parts)
    try:
        with open_input(path) as file:
            content = file.read(most + 1)
    except UsageError as problem:
        return Member(parts, problem=problem.message)
    except OSError as problem:  # files of /sys that only somebody else may read
        return Member(parts, problem=f"cannot be read: {problem.strerror}")
    if len(content) > most:
        return Member(parts, problem=_too_long(most))
    return Member(parts, content)


def _archive_members(
    name: str, wanted: Callable[[tuple[str, ...]], bool], most: int
) -> Iterator[Member]:
    count = room = 0
    with open_input(name) as file, _named(name), _archive(file) as archive:
        for entry in archive:
            archive.members.clear()  # type: ignore[attr-defined]  # tarfile keeps every header
            parts = tuple(part for part in entry.name.split("/") if part not in {"", "."})
            count, room = count + 1, room + entry.size
            _count(count, name)
            _check_room(room, name)
            if ".." in parts or not parts or not (entry.isreg() or entry.issym()):
                continue
            if entry.issym():
                yield Member(parts, link=entry.linkname)
            elif entry.size > most:
                yield Member(parts, problem=_too_long(most))
            else:
                content = archive.extractfile(entry) if wanted(parts) else None
                yield Member(parts, content.read() if content else None)


def _too_long(most: int) -> str:
    return f"is longer than {limits.shown(most)}, the limit for a file of a described host"


def _refuse(error: OSError, passed: Passed) -> None:
    passed.failed.append(UsageError(f"cannot be read: {error.strerror}", where=str(error.filename)))


def _of_archive(name: str, passed: Passed) -> Iterator[Document]:
    count = room = 0
    with open_input(name) as file, _named(name), _archive(file) as archive:
        for member in archive:
            if not member.isreg():
                passed.files += 1
                continue
            count, room = count + 1, room + member.size
            _count(count, name)
            _check_room(room, name)
            place = f"{name}:{member.name}"
            content = _content(archive.extractfile(member), member.size, place, passed)
            if content is None:
                continue
            try:
                document = of_bytes(place, content)
            except NoText:
                passed.files += 1
            except UsageError as problem:
                passed.failed.append(problem)
            else:
                yield document


def _check_room(room: int, name: str) -> None:
    if room > limits.ARCHIVE:
        raise UsageError(
            f"unpacks to more than {limits.shown(limits.ARCHIVE)}, the limit for an archive",
            where=name,
            hint="unpack it, if you trust it, and give the directory",
        )


def _archive(file: BinaryIO) -> tarfile.TarFile:
    return tarfile.open(fileobj=file, mode="r|*", tarinfo=_Entry)


def _content(member: IO[bytes] | None, size: int, place: str, passed: Passed) -> bytes | None:
    if member is None:
        return None
    if size > limits.PIPED:
        passed.failed.append(
            UsageError(
                f"has {size} bytes, more than {limits.shown(limits.PIPED)}, the limit for a text "
                "in an archive",
                where=place,
                hint="unpack the archive and give this file",
            )
        )
        return None
    return member.read()


def _count(files: int, name: str) -> None:
    if files > limits.ARCHIVE_FILES:
        raise UsageError(
            f"has more than {limits.ARCHIVE_FILES:,} files, the limit for a directory or archive",
            where=name,
            hint="give the parts that hold outputs",
        )


def _is_archive(name: str) -> bool:
    """Whether a file is a tar archive, packed or not; what cannot be opened is none."""
    path = Path(name)
    if not path.is_file():  # a pipe can be read only once
        return False
    try:
        with path.open("rb") as file:
            head = file.read(512)
            if not head.startswith(_PACKED):
                return head[_TAR] == b"ustar"
            file.seek(0)
            with _archive(file) as archive:
                return archive.next() is not None
    except _BROKEN:
        return False
