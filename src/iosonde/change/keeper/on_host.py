# python3 -c THIS TOKEN: keeper.pl in Python, for hosts without Perl. The comments stand there.
"""Opens one thing once and runs commands on that very descriptor; see keeper.pl beside it.

It runs on the host, with whatever Python 3.6 or later that has. Its parts are sent as one text; the
imports from one part to another fall away there (scripts.py, python_program).
"""

import errno
import grp
import os
import select
import signal
import sys
import time

from iosonde.change.keeper.on_host_open import (
    FILE,
    FOLDER,
    PARENT,
    clean,
    make_named,
    make_scratch,
    mark,
    open_device,
    open_read,
)
from iosonde.change.keeper.on_host_walk import KeeperState, Stopped

TOKEN = os.fsencode(sys.argv[1]) if len(sys.argv) > 1 else b""


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


def above() -> "list[int]":
    """Processes that began this one: sudo has the token among its arguments, too."""
    pids, pid = [], os.getppid()
    while pid > 1:
        pids.append(pid)
        try:
            with open("/proc/%d/stat" % pid, "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:
            break
    return pids


def kin() -> "list[int]":
    """Processes that were begun here, but for the keeper and its warden."""
    pids, spared = [], {os.getpid(), KeeperState.warden, *above()}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        if pid in spared:
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
