"""What reports of KASAN and lockdep say beside their stacks: objects, tasks, locks; and PowerPC.

Source:
    Linux 6.12 mm/kasan/report.c, print_address_description(), describe_object_addr() and
    print_track() (before 6.2 without "freed" or "allocated" before the region, since 6.10 with the
    processor and the time of an allocation), kasan_non_canonical_hook(); kernel/locking/lockdep.c,
    print_circular_bug_header(), print_deadlock_bug(), print_irq_inversion_bug(),
    print_unlock_imbalance_bug(), print_lock() (before 4.18 with the address in brackets) and
    lockdep_print_held_locks(); arch/powerpc/mm/fault.c, bad_page_fault();
    arch/powerpc/kernel/traps.c, __die() ("LE PAGE_SIZE=64K MMU=Radix SMP NR_CPUS=2048");
    arch/x86/mm/fault.c, show_fault_oops(); arch/arm64/mm/fault.c, mem_abort_decode();
    lib/dump_stack.c, dump_stack_print_info() (what taints since 6.12 on a line of its own);
    kernel/workqueue.c, print_worker_info().
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from iosonde.kerneltext import fields
from iosonde.records.stack import Json

_TASK = (
    r"(?P<{0}_by>\d{{1,10}})(?: on cpu (?P<{0}_on>\d{{1,5}}))?"
    r"(?: at (?P<{0}_at>\d{{1,12}}\.\d{{1,9}})s)?"
)
_FACTS: Sequence[re.Pattern[str]] = tuple(
    map(
        re.compile,
        (
            rf"Allocated by task {_TASK.format('allocated')}",
            rf"Freed by task {_TASK.format('freed')}",
            r"which belongs to the cache (?P<cache>\S{1,64}) of size (?P<object_size>\d{1,9})\b",
            r"buggy address is located (?P<offset>\d{1,12}) bytes "
            r"(?P<side>inside of|to the (?:right|left) of)",
            r"\b(?P<region_size>\d{1,12})-byte region \[",
            r"KASAN: (?P<kasan>(?:null-ptr-deref|probably user-memory-access"
            r"|maybe wild-memory-access) in range \[0x[\da-f]{16}-0x[\da-f]{16}\])",
            r"^(?P<kernel>\d{1,3}\.\d{1,3}\S{0,90}) #\d{1,6} (?:Not t|T)ainted",
            r"^Faulting instruction address: (?P<faulting_address>0x[\da-f]{8,16})",
            r"^(?P<build>[BL]E PAGE_SIZE=\S{1,8} .{1,80})",
            r"\b(?P<locks_held>\d{1,3}) locks? held by ",
            r"^Hardware name: (?P<hardware>\S.{0,160})",
            r"^Workqueue: (?P<workqueue>\S.{0,100})",
            r"^Tainted: (?P<taints>\[[A-Z]\]=.{1,160})",
            r"^#PF: (?P<fault>[a-z]{4,10} [a-z ]{4,20} access) in ",
            r"^#PF: error_code\((?P<error_code>0x[\da-f]{1,8})\)",
            r"^Oops: (?P<oops>[\da-f]{4} \[#\d{1,4}\].{0,60})",
            r"^ESR = (?P<error_syndrome>0x[\da-f]{8,16})",
            r"^irq event stamp: (?P<irq_events>\d{1,12})",
        ),
    )
)
_ROLES: Sequence[tuple[str, re.Pattern[str]]] = (
    ("wanted", re.compile(r".{1,40}/\d{1,10} is trying to acquire lock:")),
    ("held", re.compile(r"but task is already holding lock:")),
)
_RELEASED = re.compile(r".{1,40}/\d{1,10} is trying to release lock \((?P<lock>.{1,120}?)\) at:")
LOCK = re.compile(
    r"(?:\(?\[?<?[\da-f]{8,16}>?\]?\)?)?\s{0,2}\((?P<lock>\S.{0,119}?)\)\{[^{}]{1,12}\}(?:-\{\d:\d\})?"
    r",\s{1,2}at:\s{1,2}(?:\[<[\da-f]{8,16}>\]\s)?(?P<place>[A-Za-z_][\w.]{0,100})(?:\+0x|$).{0,80}"
)
_LISTED = re.compile(r"#\d{1,3}: +")
_CHAIN = re.compile(r"-> #\d{1,3} \((?P<lock>.{1,120}?)\)\{")
_WHOLE = frozenset({
    "allocated_by", "allocated_on", "freed_by", "freed_on", "object_size", "offset", "region_size",
    "locks_held", "irq_events",
})  # fmt: skip
_MOST = 40  # locks of one list


class DebugReport:
    """What the lines beside the stacks of one report have said so far.

    Args:
        values: that it adds to: numbers of processes and processors, sizes and offsets in bytes,
            seconds since the kernel began, names of locks, and the functions that took them.
    """

    def __init__(self, values: dict[str, Json]) -> None:
        self._values = values
        self._role = ""

    def take(self, text: str) -> None:
        """Notes what a line says that is neither of a stack nor names the process."""
        for pattern in _FACTS:
            if match := pattern.search(text):
                self._note(match.groupdict())
        role = next((role for role, pattern in _ROLES if pattern.match(text)), "")
        if role:
            self._role = role
        elif released := _RELEASED.match(text):
            self._note({"released_lock": released["lock"]})
        elif chained := _CHAIN.match(text):
            self._list("chain", chained["lock"])
        else:
            self._take_lock(text)

    def _take_lock(self, text: str) -> None:
        listed = _LISTED.match(text)
        lock = LOCK.fullmatch(text, listed.end() if listed else 0)
        if lock is None:
            return
        if listed:
            self._list("held_locks", lock["lock"])
        elif self._role:
            self._note({f"{self._role}_lock": lock["lock"], f"{self._role}_in": lock["place"]})
            self._role = ""

    def _note(self, values: Mapping[str, str | None]) -> None:
        for name, text in values.items():
            if text and name not in self._values:
                exact = float(text) if name.endswith("_at") else " ".join(fields(text))
                self._values[name] = int(text) if name in _WHOLE else exact

    def _list(self, name: str, lock: str) -> None:
        locks = self._values.setdefault(name, [])
        if isinstance(locks, list) and len(locks) < _MOST:
            locks.append(lock)
