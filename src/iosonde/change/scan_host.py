"""Runs on a host under test (Python 3.6 or later); scan_host.pl says the same in Perl.

Tells every block device, and what each loop device stands on; then the mounts of every mount
namespace, and every process that has a block device, or the image of a loop device, open.

Prints numbers, since names may hold anything, and lines of mountinfo, in which the kernel escapes
them; the last line is "end". scan.py reads it.
"""

import contextlib
import os
import platform
import re
import stat
import struct
import sys
import time
from typing import Callable, Dict, List, Optional, Set, Tuple

SYS = "/sys/class/block"
LOOP_GET_STATUS64 = 0x4C05  # include/uapi/linux/loop.h, struct loop_info64: 232 bytes
KCMP_FILES = 2  # include/uapi/linux/kcmp.h
KCMP = {"x86_64": 312, "i686": 349, "aarch64": 272, "riscv64": 272, "loongarch64": 272,
        "armv7l": 378, "ppc64le": 354, "ppc64": 354, "s390x": 343}  # fmt: skip
TRIES = 50  # to read about an io_uring, 2 ms apart
LISTED = re.compile(r"^UserFiles:\s*(?:0$|.*\n )", re.MULTILINE)
TABLES = 8  # of one process that are compared; threads beyond are all looked at


def say(*fields: object) -> None:
    sys.stdout.buffer.write((" ".join(map(str, fields)) + "\n").encode("latin-1"))


def content(path: str) -> str:
    try:
        with open(path, encoding="latin-1", newline="\n") as file:  # bytes, whatever they are
            return file.read()
    except OSError:
        return ""


def names(path: str) -> Optional[List[str]]:
    """Names in a directory; none where it is gone, None where it may not be read."""
    try:
        return os.listdir(path)
    except PermissionError:
        return None
    except OSError:
        return []


def number(device: int) -> str:
    return "%d:%d" % (os.major(device), os.minor(device))


def devices() -> Set[Tuple[int, ...]]:
    """Block devices; first the namespaces and capabilities with which /proc is seen.

    Returns:
        Device and inode of each loop device's image.
    """
    images: Set[Tuple[int, ...]] = set()
    spaces = []
    for kind in ("pid", "user"):  # "-": a kernel without such namespaces
        at = "/proc/self/ns/" + kind
        spaces.append(os.readlink(at) if os.path.lexists(at) else "-")
    mine = [row.split()[1] for row in content("/proc/self/status").split("\n") if "CapEff:" in row]
    say("view", *spaces, *mine)
    for name in names(SYS) or ():
        at = SYS + "/" + name
        own = content(at + "/dev").strip()
        if not own:
            continue
        disk = content(at + "/../dev").strip() if os.path.exists(at + "/partition") else "-"
        start = int(content(at + "/start") or 0) * 512
        say("device", name, own, disk, start, int(content(at + "/size") or 0) * 512)
        for below in names(at + "/slaves") or ():
            say("slave", own, content(at + "/slaves/" + below + "/dev").strip() or "-")
        if os.path.exists(at + "/loop/backing_file"):
            images.add(loop(name, own))
    return images


def loop(name: str, own: str) -> Tuple[int, ...]:
    """One loop device; device and inode of its image, nothing where they cannot be read."""
    import fcntl

    status = bytearray(232)
    try:
        handle = os.open("/dev/" + name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        say("backing", own, "?")
        return ()
    try:
        if number(os.fstat(handle).st_rdev) == own:
            fcntl.ioctl(handle, LOOP_GET_STATUS64, status)
            backing = struct.unpack_from("=5Q", status)
            say("backing", own, *backing)
            return backing[:2]
        say("backing", own, "?")
    except OSError:  # it was detached just now
        pass
    finally:
        os.close(handle)
    return ()


class Scan:
    """All processes; `files`: (device, inode) of the files that are looked for."""

    def __init__(self, files: Set[Tuple[int, ...]]) -> None:
        self.files = files
        self.mapped: Dict[Tuple[str, str, str], None] = {}
        self.kcmp: Optional[Callable[[int, int], int]] = None
        self.spaces: Set[Tuple[object, ...]] = set()

    def all(self) -> None:
        own = str(os.getpid())
        for pid in names("/proc") or ():
            if pid.isdigit() and pid != own:
                self.process(pid)

    def process(self, pid: str) -> None:
        tasks = names("/proc/" + pid + "/task") or [pid]
        for task in self.tables(tasks) if len(tasks) > 1 else [pid]:
            self.table(pid, task)
        for task in tasks:
            self.mounts("/proc/" + pid + "/task/" + task)
        for task in tasks:  # the first that lives: the leader may have ended before its threads
            if self.maps(pid, task):
                break

    def mounts(self, at: str) -> None:
        """The mounts of each namespace, as seen from each root directory, once."""
        try:
            root = os.stat(at + "/root")
            place = os.readlink(at + "/root")
            space: Tuple[object, ...] = (
                os.readlink(at + "/ns/mnt"),
                place,
                root.st_dev,
                root.st_ino,
            )
        except OSError:  # it has ended, or may not be asked for: then its mounts are seen again
            space = (at,)
        if space in self.spaces:
            return
        table = content(at + "/mountinfo")
        if table:
            self.spaces.add(space)
        for row in table.split("\n")[:-1]:
            say("mount", at, row)

    def tables(self, tasks: List[str]) -> List[str]:
        """One task of each table of descriptors, and each task where tables cannot be compared."""
        kinds: List[str] = []
        for task in tasks:
            if not any(self.same(representative, task) for representative in kinds[:TABLES]):
                kinds.append(task)
        return kinds

    def same(self, first: str, second: str) -> bool:
        if self.kcmp is None:
            self.kcmp = self.comparing()
        return self.kcmp(int(first), int(second)) == 0

    def comparing(self) -> Callable[[int, int], int]:
        """kcmp(2), or what finds nothing alike where it does not work as it should."""
        import ctypes

        call = KCMP.get(platform.machine())
        with contextlib.suppress(OSError, AttributeError):
            syscall = ctypes.CDLL(None).syscall
            own = os.getpid()
            alike = syscall(call, own, own, KCMP_FILES, 0, 0) if call else -1
            other = syscall(call, own, os.getppid(), KCMP_FILES, 0, 0) if call else -1
            if alike == 0 and other in {1, 2}:
                return lambda first, second: int(syscall(call, first, second, KCMP_FILES, 0, 0))
        return lambda *_: -1

    def table(self, pid: str, task: str) -> None:
        at = "/proc/" + pid + "/task/" + task
        entries = names(at + "/fd")
        if entries is None:
            say("hidden", pid)
        for entry in entries or ():
            try:
                status = os.stat(at + "/fd/" + entry)
            except PermissionError:
                say("hidden", pid)
                return
            except OSError:
                continue
            self.node(pid, status, "open")
            kind = stat.S_IFMT(status.st_mode)
            if kind == stat.S_IFSOCK:
                self.in_flight(pid, entry, content(at + "/fdinfo/" + entry))
            elif kind not in {stat.S_IFREG, stat.S_IFCHR, stat.S_IFDIR, stat.S_IFIFO}:
                self.registered(pid, at, entry)

    def node(self, pid: str, status: os.stat_result, how: str) -> bool:
        """Whether it is a block device or a file looked for; it is said."""
        if stat.S_ISBLK(status.st_mode):
            say(how, pid, "device", number(status.st_rdev))
            return True
        if (status.st_dev, status.st_ino) in self.files:
            say(how, pid, "file", "%d:%d" % (status.st_dev, status.st_ino))
            return True
        return False

    def in_flight(self, pid: str, entry: str, text: str) -> None:
        """Descriptors sent over a Unix socket and not received: net/unix/af_unix.c, scm_fds."""
        for line in text.split("\n"):
            if (
                line.startswith("scm_fds:")
                and int(line[8:])
                and os.stat("/proc/" + pid).st_uid == 0
            ):
                say("flight", pid, entry)

    def ring(self, path: str) -> str:
        """What is said of an io_uring, read again while another holds its lock.

        It lists no files then (io_uring/fdinfo.c, trylock), as another reader does for a moment;
        older kernels say how many there are, and list none.
        """
        text = ""
        for _ in range(TRIES):
            text = content(path)
            if not text or LISTED.search(text):
                break
            time.sleep(0.002)
        return text

    def registered(self, pid: str, at: str, entry: str) -> None:
        """Files that an io_uring keeps without a descriptor: io_uring/fdinfo.c, "    0: /dev/…"."""
        with contextlib.suppress(OSError):
            if os.readlink(at + "/fd/" + entry) != "anon_inode:[io_uring]":
                return
            listed = False
            for line in self.ring(at + "/fdinfo/" + entry).split("\n"):
                if not line.startswith(" "):
                    listed = line.startswith("UserFiles")
                elif listed:
                    name = "/proc/" + pid + "/root" + unescaped(line.split(": ", 1)[-1])
                    with contextlib.suppress(OSError):
                        self.node(pid, os.stat(name.encode("latin-1")), "registered")

    def maps(self, pid: str, task: str) -> bool:
        """Whether the task has memory; each mapped file is looked at once, by its own link."""
        lines = content("/proc/" + task + "/maps").split("\n")
        said: Set[Tuple[str, str, str]] = set()
        for line in lines:
            fields = line.split(None, 5)
            if len(fields) < 6 or fields[4] == "0":
                continue
            key = (fields[3], fields[4], fields[5])
            if key in said or key in self.mapped:
                continue
            said.add(key)
            start, _, end = fields[0].partition("-")
            link = "/proc/%s/map_files/%x-%x" % (task, int(start, 16), int(end, 16))
            try:
                if not self.node(pid, os.stat(link), "mapped"):
                    self.mapped[key] = None
            except PermissionError:
                say("hidden", pid)
                break
            except OSError:
                pass
        return len(lines) > 1


def unescaped(text: str) -> str:
    r"""A name with \ooo for what the kernel escapes (fs/seq_file.c, mangle_path)."""
    first, *rest = text.split("\\")
    return first + "".join(chr(int(part[:3], 8)) + part[3:] for part in rest)


def main() -> None:
    Scan(devices()).all()
    say("end")


if __name__ == "__main__":
    main()
