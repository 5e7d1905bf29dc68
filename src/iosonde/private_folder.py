"""Directories of this machine that nobody but their owner can change: the lab's, a store's.

What hosts/private.sh is for the directories of any host. Each directory on the way belongs to root
or to us, each link too, and one that others may write to is sticky, so that they can rename only
what is theirs (unlink(2), EPERM). What is not there yet is no objection.
"""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from iosonde.errors import HostFailed, Refused

_MOST_LINKS = 40  # as the kernel (path_resolution(7))


def require_private(path: Path) -> Path:
    """See that a directory is ours alone, or is not there and can be made so; its path.

    Raises:
        Refused: another user could change it, or put another one in its place.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    require_trusted(path.parent)
    own = _lstat(path)
    if own is not None:
        if not stat.S_ISDIR(own.st_mode):
            raise _refused(path, "it is a link" if stat.S_ISLNK(own.st_mode) else "no directory")
        if own.st_uid != os.geteuid():
            raise _refused(path, f"it belongs to the user with the number {own.st_uid}")
        if _others_write(own):
            raise _refused(path, f"others may write to it, mode {stat.S_IMODE(own.st_mode):04o}")
    return path


def make_private(path: Path) -> Path:
    """The same, and it is there; what is missing on the way is made with mode 0700.

    Raises:
        Refused: as `require_private`.
        OSError: it cannot be made.
    """
    make_folders(require_private(path))
    return require_private(path)


def make_folders(path: Path) -> None:
    """Make a directory and those above it that are missing, with mode 0700 whatever the umask.

    Raises:
        OSError: one cannot be made.
    """
    missing = [place for place in (path, *path.parents) if not place.is_dir()]
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster
            folder.mkdir(mode=0o700)


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A new directory with mode 0700 in $TMPDIR or /tmp; gone afterwards.

    Raises:
        Refused: another user could put a directory of theirs in its place.
    """
    place = Path(tempfile.gettempdir())
    require_trusted(place)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=place) as directory:
        yield Path(directory)


def require_trusted(path: Path) -> None:
    """See that nobody but root and we can put something else at an absolute path.

    Raises:
        Refused: another user could.
    """
    rest, at, links = list(path.parts[1:]), Path("/"), 0
    _require_own(at)
    while rest:
        part = rest.pop(0)
        if part == "..":
            at = at.parent
            continue
        following = at / part
        if (seen := _require_own(following)) is None:
            return
        if not stat.S_ISLNK(seen.st_mode):
            at = following
            continue
        links += 1
        if links > _MOST_LINKS:
            raise _refused(path, "it leads through too many links")
        to = following.readlink()
        at = Path("/") if to.is_absolute() else at
        rest = [*to.parts[to.is_absolute() :], *rest]


def require_own_file(number: int, path: Path) -> None:
    """See that nobody but root and we can have written what an open file holds.

    Any right of a group counts: it may stand for a list of users (acl(5): the mask entry).

    Args:
        number: its descriptor.
        path: its name, for the message.

    Raises:
        Refused: another user could.
    """
    seen = os.fstat(number)
    if seen.st_uid not in {0, os.geteuid()}:
        raise _refused(path, f"it belongs to the user with the number {seen.st_uid}")
    if seen.st_mode & (stat.S_IWOTH | stat.S_IWGRP) and not stat.S_ISCHR(seen.st_mode):
        raise _refused(path, f"others may write to it, mode {stat.S_IMODE(seen.st_mode):04o}")


def _require_own(path: Path) -> os.stat_result | None:
    """What is at a path: of root or us, and nothing that others can exchange; None: nothing."""
    seen = _lstat(path)
    if seen is None:
        return None
    if seen.st_uid not in {0, os.geteuid()}:
        raise _refused(path, f"it belongs to the user with the number {seen.st_uid}")
    sticky = bool(seen.st_mode & stat.S_ISVTX)
    if stat.S_ISDIR(seen.st_mode) and not sticky and _others_write(seen):
        mode = stat.S_IMODE(seen.st_mode)
        raise _refused(path, f"others may write to it, and it is not sticky, mode {mode:04o}")
    return seen


def _others_write(seen: os.stat_result) -> bool:
    """Whether anybody but root and its owner may write to a directory."""
    if seen.st_mode & stat.S_IWOTH:
        return True
    return bool(seen.st_mode & stat.S_IWGRP) and not _is_own_group(seen.st_gid, seen.st_uid)


def _is_own_group(group: int, owner: int) -> bool:
    """Whether a group is root's, or holds its owner alone, as a user's own group does."""
    if group == 0:
        return True
    try:
        name = pwd.getpwuid(owner).pw_name
        members = set(grp.getgrgid(group).gr_mem)
    except KeyError:
        return False
    primary = {user.pw_name for user in pwd.getpwall() if user.pw_gid == group}
    return members | primary <= {name}


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise HostFailed(f"{path}: {problem.strerror}", where="local") from None


def _refused(path: Path, why: str) -> Refused:
    return Refused(
        "another user could change what iosonde keeps there, or put something in its place",
        where=str(path),
        evidence=why,
        hint="see with `ls -la` who has written there; then remove it, `chmod go-w` it, or name "
        "another place",
    )
