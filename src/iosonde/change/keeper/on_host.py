# python3 -c THIS TOKEN: keeper.pl in Python, for hosts without Perl. The comments stand there.
"""Opens one thing once and runs commands on that very descriptor; see keeper.pl beside it.

It runs on the host, with whatever Python 3.6 or later that has, and imports nothing of iosonde.
"""

import errno
import grp
import os
import random
import select
import signal
import stat
import string
import sys
import time

TOKEN = os.fsencode(sys.argv[1]) if len(sys.argv) > 1 else b""
FILE, FOLDER, PARENT = 100, 101, 102


class Stopped(Exception):
    """A request that is not carried out: error number, place, and why."""

    def __init__(self, number: int, where: bytes, why: str = "") -> None:
        super().__init__(number, where, why)
        self.number, self.where, self.why = number, where, why


class KeeperState:
    """What this process has: requests to come, its warden, what it made."""

    coming = b""
    warden = 0
    leash = -1
    root_owner = 0
    disk_group = -1
    name = b""
    identity = (0, 0)
    folder = b""
    folder_identity = (0, 0)
    node = b""


def answer(*fields: "bytes | str | int") -> None:
    """Send an answer; where nobody reads it, end."""
    whole = [field if isinstance(field, bytes) else str(field).encode() for field in fields]
    text = b"%d\n" % len(whole) + b"".join(b"%d\n%s" % (len(field), field) for field in whole)
    try:
        while text:
            text = text[os.write(1, text) :]
    except OSError:
        finish(0)


def fill() -> bool:
    """Read what has come; False at the end of input."""
    try:
        part = os.read(0, 65536)
    except OSError:
        return False
    KeeperState.coming += part
    return bool(part)


def request() -> "list[bytes] | None":
    """The next whole request in what has come, or None."""
    head, line, rest = KeeperState.coming.partition(b"\n")
    if not line:
        return None
    fields = []
    for _ in range(int(head)):
        size, line, rest = rest.partition(b"\n")
        if not line or len(rest) < int(size):
            return None
        fields.append(rest[: int(size)])
        rest = rest[int(size) :]
    KeeperState.coming = rest
    return fields


def is_trusted(uid: int) -> bool:
    """Whether a user may decide what root or we open."""
    return uid in (0, os.geteuid(), KeeperState.root_owner)


def is_closed(facts: os.stat_result) -> bool:
    """Whether nobody but root and us decides what stands in a directory."""
    open_to_group = facts.st_mode & stat.S_IWGRP and facts.st_gid not in (
        os.getegid(),
        KeeperState.disk_group,
    )
    open_to_others = bool(open_to_group or facts.st_mode & stat.S_IWOTH)
    return is_trusted(facts.st_uid) and (not open_to_others or bool(facts.st_mode & stat.S_ISVTX))


def names_of(path: bytes) -> "list[bytes]":
    """The names in a path."""
    return [name for name in path.split(b"/") if name not in (b"", b".")]


class Way:
    """The working directory on its way to a path; it is the handle that nobody can swap."""

    def __init__(self, path: bytes) -> None:
        self.left = names_of(path)
        self.done = []  # type: list[bytes]
        self.links = 0
        os.chdir("/")

    def here(self) -> bytes:
        """The canonical path of the working directory."""
        return b"/" + b"/".join(self.done)

    def up(self) -> None:
        """To the directory above."""
        os.chdir("..")
        self.done = self.done[:-1]

    def follow(self, name: bytes) -> None:
        """To where a symbolic link leads."""
        self.links += 1
        if self.links > 40:
            raise Stopped(errno.ELOOP, inside(self.here(), name))
        target = os.readlink(name)
        if target.startswith(b"/"):
            os.chdir("/")
            self.done = []
        self.left = names_of(target) + self.left

    def enter(self, name: bytes, entry: os.stat_result) -> None:
        """Into a directory, which must still be the one that was seen."""
        os.chdir(name)
        if identity_of(os.lstat(".")) != identity_of(entry):
            raise Stopped(errno.EPERM, inside(self.here(), name), "swapped")
        self.done.append(name)


def walk(path: bytes, strict: bool) -> "tuple[bytes, bytes]":
    """Go to the directory of a path; the canonical directory, and the last name."""
    way = Way(path)
    while True:
        here = os.lstat(".")
        if strict and not is_closed(here):
            raise Stopped(errno.EPERM, way.here(), "others")
        if not way.left:
            return way.here(), b"."
        name = way.left.pop(0)
        if name == b"..":
            way.up()
            continue
        place = inside(way.here(), name)
        entry = entry_of(name, place, may_miss=not way.left)
        if entry is None:
            return way.here(), name
        only_ours = is_closed(here) and (
            is_trusted(entry.st_uid) or not here.st_mode & stat.S_ISVTX
        )
        if stat.S_ISDIR(entry.st_mode):
            way.enter(name, entry)
        elif stat.S_ISLNK(entry.st_mode):
            if not only_ours:
                raise Stopped(errno.EPERM, place, "link")
            way.follow(name)
        else:
            check_last(place, more=bool(way.left), allowed=only_ours or not strict)
            return way.here(), name


def check_last(place: bytes, more: bool, allowed: bool) -> None:
    """What is no directory must be the last, and nobody else's to replace."""
    if more:
        raise Stopped(errno.ENOTDIR, place)
    if not allowed:
        raise Stopped(errno.EPERM, place, "others")


def identity_of(facts: os.stat_result) -> "tuple[int, int]":
    """Device and inode."""
    return facts.st_dev, facts.st_ino


def entry_of(name: bytes, place: bytes, may_miss: bool = False) -> "os.stat_result | None":
    """An entry of the working directory; None where it is missing and may be."""
    try:
        return os.lstat(name)
    except OSError as problem:
        if may_miss and problem.errno == errno.ENOENT:
            return None
        raise Stopped(problem.errno or 0, place) from None


def mode_of(name: bytes, place: bytes) -> int:
    """The mode of an entry of the working directory."""
    entry = entry_of(name, place)
    return entry.st_mode if entry else 0


def open_here(name: bytes, flags: int, place: bytes) -> int:
    """A descriptor of an entry of the working directory."""
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as problem:
        raise Stopped(problem.errno or 0, place) from None


def settle(descriptor: int, number: int) -> None:
    """Put a descriptor under a fixed number, which commands inherit."""
    os.dup2(descriptor, number)
    os.close(descriptor)


def described(descriptor: int, place: bytes, name: bytes = b"") -> "list[bytes | str | int]":
    """Settle the descriptor.

    Returns:
        Path, device, inode, mode, links, device number, size, and the name for commands.
    """
    settle(descriptor, FILE)
    facts = os.fstat(FILE)
    name = name or node(facts.st_rdev) or b"/proc/self/fd/%d" % FILE
    return [place, facts.st_dev, facts.st_ino, facts.st_mode, facts.st_nlink, facts.st_rdev,
            facts.st_size, name]  # fmt: skip


def node(number: int) -> bytes:
    """Make a node of our own for a device; empty where that cannot be."""
    folder = b"/dev/iosonde." + random_letters()
    path = folder + b"/target"
    if not number:
        return b""
    try:
        os.mkdir(folder, 0o700)
        KeeperState.node = folder
        os.mknod(path, stat.S_IFBLK | 0o600, number)
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        remove_node()
        return b""
    return path


def remove_node() -> None:
    """Remove the node."""
    if KeeperState.node:
        remove(KeeperState.node + b"/target")
        try:
            os.rmdir(KeeperState.node)
        except OSError:
            return
        finally:
            KeeperState.node = b""


def random_letters() -> bytes:
    """Eight letters and digits for a name."""
    letters = string.ascii_lowercase + string.digits
    return "".join(random.choice(letters) for _ in range(8)).encode()  # noqa: S311 - no secret


def inside(folder: bytes, name: bytes) -> bytes:
    """The path of a name in a directory."""
    return folder.rstrip(b"/") + b"/" + name


def open_device(path: bytes) -> "list[bytes | str | int]":
    """Claim a device exclusively."""
    folder, name = walk(path, True)
    place = inside(folder, name)
    if not stat.S_ISBLK(mode_of(name, place)):
        raise Stopped(errno.EPERM, place, "kind")
    return described(open_here(name, os.O_RDONLY | os.O_EXCL, place), place)


def open_read(path: bytes) -> "list[bytes | str | int]":
    """Open a device or a file that is only read."""
    folder, name = walk(path, False)
    place = inside(folder, name)
    mode = mode_of(name, place)
    if not stat.S_ISBLK(mode) and not stat.S_ISREG(mode):
        raise Stopped(errno.EPERM, place, "kind")
    descriptor = open_here(name, os.O_RDONLY, place)
    if not stat.S_ISREG(mode) or not is_closed(os.lstat(".")):
        return described(descriptor, place)
    settle(open_here(b".", os.O_RDONLY | os.O_DIRECTORY, folder), FOLDER)
    return described(descriptor, place, b"/proc/self/fd/%d/" % FOLDER + name)


def make_file(folder: bytes, name: bytes) -> "list[bytes | str | int]":
    """Make the file in the working directory."""
    place = inside(folder, name)
    settle(open_here(b".", os.O_RDONLY | os.O_DIRECTORY, folder), FOLDER)
    descriptor = open_here(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, place)
    KeeperState.identity, KeeperState.name = identity_of(os.fstat(descriptor)), name
    return described(descriptor, place, b"/proc/self/fd/%d/" % FOLDER + name)


def make_scratch(path: bytes) -> "list[bytes | str | int]":
    """Make a file in a new directory that is ours alone."""
    folder, last = walk(path, False)
    if last != b".":
        raise Stopped(errno.ENOTDIR, path)
    settle(open_here(b".", os.O_RDONLY | os.O_DIRECTORY, folder), PARENT)
    for left in reversed(range(100)):
        name = b"iosonde-scratch." + random_letters()
        try:
            os.mkdir(name, 0o700)
            break
        except FileExistsError:
            if left == 0:
                raise
    place = inside(folder, name)
    new = open_here(name, os.O_RDONLY | os.O_DIRECTORY, place)
    facts = os.fstat(new)
    if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) != 0o700 or os.listdir(new):
        raise Stopped(errno.EPERM, place, "swapped")
    os.fchdir(new)
    os.close(new)
    KeeperState.folder, KeeperState.folder_identity = name, identity_of(facts)
    return make_file(place, b"data")


def make_named(path: bytes, earlier: bytes) -> "list[bytes | str | int]":
    """Make a file under a name that the user chose; an earlier one of ours makes room."""
    folder, name = walk(path, True)
    if earlier:
        facts = os.lstat(name)
        if b"%d %d" % identity_of(facts) != earlier or not stat.S_ISREG(facts.st_mode):
            raise Stopped(errno.EPERM, path, "swapped")
        os.unlink(name)
        os.unlink(b"." + name + b".iosonde")
    return make_file(folder, name)


def mark(text: bytes) -> None:
    """Write the file beside it that says whose it is."""
    name = b"/proc/self/fd/%d/.%s.iosonde" % (FOLDER, KeeperState.name)
    remove(name)
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    os.write(descriptor, text)
    os.close(descriptor)


def kin() -> "list[int]":
    """Processes that were begun here, but for the keeper and its warden."""
    pids = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        if pid in (os.getpid(), KeeperState.warden):
            continue
        text = b""
        for place in ("/proc/%d/environ" % pid, "/proc/%d/cmdline" % pid):
            try:
                with open(place, "rb") as file:
                    text += b"\0" + file.read() + b"\0"
            except OSError:
                continue
        if b"\0" + TOKEN + b"\0" in text or b"\0IOSONDE_TOKEN=" + TOKEN + b"\0" in text:
            pids.append(pid)
    return pids


def send(number: int, pids: "list[int]") -> None:
    """A signal to each process that still lives."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def end_kin() -> None:
    """Kill until none is left, however long one hangs in the kernel: the claim stays."""
    pause, left = 0.02, kin()
    while left:
        send(signal.SIGKILL, left)
        reap()
        time.sleep(pause)
        pause, left = min(1.0, pause * 1.5), kin()


def reap() -> None:
    """Collect children that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return


def is_same(path: bytes, identity: "tuple[int, int]") -> bool:
    """Whether the entry at a path is the very one that was made."""
    try:
        return identity_of(os.lstat(path)) == identity
    except OSError:
        return False


def remove(path: bytes) -> None:
    """Remove a file; none there is no error."""
    try:
        os.unlink(path)
    except OSError:
        return


def clean() -> None:
    """Remove what was made."""
    remove_node()
    within = b"/proc/self/fd/%d/" % FOLDER
    if KeeperState.folder:
        for name in os.listdir(within) if KeeperState.name else ():
            remove(within + name)
        folder = b"/proc/self/fd/%d/" % PARENT + KeeperState.folder
        if is_same(folder, KeeperState.folder_identity):
            try:
                os.rmdir(folder)
            except OSError:
                return
    elif KeeperState.name:
        if is_same(within + KeeperState.name, KeeperState.identity):
            remove(within + KeeperState.name)
        remove(within + b"." + KeeperState.name + b".iosonde")


def let_go() -> None:
    """As at the end, but for the end: nothing is open, begun or made any more."""
    end_kin()
    clean()
    if KeeperState.leash >= 0:  # the warden's descriptor keeps the claim as well
        try:
            os.write(KeeperState.leash, b"x")
            os.waitpid(KeeperState.warden, 0)
        except OSError:  # it is gone
            pass
        os.close(KeeperState.leash)
    for number in (FILE, FOLDER, PARENT):
        try:
            os.close(number)
        except OSError:  # it was not open
            continue
    os.chdir("/")
    KeeperState.warden, KeeperState.leash = 0, -1
    KeeperState.name = KeeperState.folder = b""


def finish(status: int) -> None:
    """End everything."""
    let_go()
    os._exit(status)


def set_warden() -> None:
    """Start the process that does the same if this one is killed."""
    end, KeeperState.leash = os.pipe()
    pid = os.fork()
    if pid:
        KeeperState.warden = pid
        os.close(end)
        return
    os.close(KeeperState.leash)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.chdir("/")
    if not os.read(end, 1):
        end_kin()
        clean()
    os._exit(0)


def launched(out: int, err: int, argv: "list[bytes]") -> int:
    """Start a command in a session of its own; its process id."""
    pid = os.fork()
    if pid:
        return pid
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.umask(0o022)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - an argument list, as the request says
    except OSError as problem:
        os.write(2, argv[0] + b": " + str(problem.strerror).encode() + b"\n")
        os._exit(127 if problem.errno == errno.ENOENT else 126)


def run(argv: "list[bytes]") -> None:
    """Run a command, pass on what it prints and the signals for it, and say how it ended."""
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    child = launched(out_end, err_end, argv)
    os.close(out_end)
    os.close(err_end)
    opened = {out: "out", err: "err"}
    status, rounds = None, 0
    while opened or status is None:
        pause = 1 if opened and status is None else 0.05
        ready, _, _ = select.select([0, *opened], [], [], pause)
        if status is None:
            pid, code = os.waitpid(child, os.WNOHANG)
            if pid == child:
                status = -os.WTERMSIG(code) if os.WIFSIGNALED(code) else os.WEXITSTATUS(code)
        elif opened and not ready:
            rounds += 1
            if rounds > 10:
                end_kin()
                break
        for number in ready:
            if number == 0:
                obey(child)
                continue
            part = os.read(number, 65536)
            if part:
                answer(opened[number], part)
            else:
                os.close(number)
                del opened[number]
    for number in opened:
        os.close(number)
    answer("end", status or 0)


def obey(child: int) -> None:
    """Carry out the signals that have come for the running command."""
    if not fill():
        finish(0)
    while True:
        fields = request()
        if fields is None:
            return
        if fields[0] != b"signal":
            continue
        if fields[1] == b"KILL":
            send(signal.SIGKILL, kin())
            continue
        number = getattr(signal, "SIG" + fields[1].decode())
        try:
            os.killpg(child, number)
        except ProcessLookupError:
            send(number, [child])


def served(fields: "list[bytes]") -> None:
    """Carry out a request."""
    verb, rest = fields[0].decode(), fields[1:]
    opens = {"device": open_device, "read": open_read, "scratch": make_scratch, "named": make_named}
    if verb in opens:
        facts = opens[verb](*rest)  # type: ignore[operator]
        os.chdir("/")
        set_warden()
        answer("open", *facts)
    elif verb == "run":
        run(rest)
    elif verb == "mark":
        mark(*rest)
        answer("done")
    elif verb == "let go":
        let_go()
        answer("done")
    elif verb == "here":
        answer("here")


def main() -> None:
    """Serve until the end of input."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: finish(143))
    KeeperState.root_owner = os.lstat("/").st_uid
    try:
        KeeperState.disk_group = grp.getgrnam("disk").gr_gid
    except KeyError:
        KeeperState.disk_group = -1
    os.umask(0o077)
    path = os.environ.get("PATH", "/usr/bin:/bin")
    os.environ.update(PATH=path + ":/usr/local/sbin:/usr/sbin:/sbin", LC_ALL="C")
    os.environb[b"IOSONDE_TOKEN"] = TOKEN
    try:
        os.setsid()
    except PermissionError:  # it leads a group already
        pass
    answer("keeper", os.readlink("/proc/self"))
    while True:
        fields = request()
        if fields is None:
            if not fill():
                finish(0)
            continue
        try:
            served(fields)
        except Stopped as problem:
            answer("error", problem.number, os.strerror(problem.number), problem.where, problem.why)
        except OSError as problem:
            where = os.fsencode(problem.filename or b"")
            answer("error", problem.errno or 0, problem.strerror or str(problem), where, "")


if __name__ == "__main__":
    main()
