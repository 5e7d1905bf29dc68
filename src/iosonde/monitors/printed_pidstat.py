"""pidstat: what each process used of disks, CPUs and memory, interval by interval.

Source: sysstat 12.7, pidstat.c, write_pid_io_stats() (KiB/s), write_pid_task_cpu_stats(),
write_pid_task_memory_stats() (VSZ, RSS and stacks in KiB), write_pid_ctxswitch_stats(); with -h all
of them in one table, whose time may be seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.monitors.clocked import CLOCK
from iosonde.monitors.printed_sysstat import SysstatTable

_K = float(units.KIB)


class Pidstat(SysstatTable):
    tool = "pidstat"
    anchors = (
        "ccwr/s", "kB_wr/s", "iodelay", "%usr %system", "minflt/s", "cswch/s", "StkSize",
        "fd-nr", "usr-ms", "minflt-nr", "prio policy",
    )  # fmt: skip
    commands = ("pidstat",)
    kind = "process"
    key = "PID"
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        "kB_rd/s": ("read.bandwidth", _K), "kB_wr/s": ("write.bandwidth", _K),
        "kB_ccwr/s": ("cancelled.bandwidth", _K), "iodelay": ("io_delay_ticks", 1),
        "%usr": ("cpu_user", 0.01), "%user": ("cpu_user", 0.01), "%system": ("cpu_system", 0.01),
        "%guest": ("cpu_guest", 0.01), "%wait": ("cpu_wait", 0.01), "%CPU": ("cpu_all", 0.01),
        "minflt/s": ("minor_faults", 1), "majflt/s": ("major_faults", 1),
        "VSZ": ("virtual_memory", _K), "RSS": ("resident_memory", _K), "%MEM": ("memory", 0.01),
        "StkSize": ("stack_size", _K), "StkRef": ("stack_used", _K),
        "cswch/s": ("voluntary_switches", 1), "nvcswch/s": ("involuntary_switches", 1),
        "threads": ("threads", 1), "fd-nr": ("open_files", 1), "prio": ("priority", 1),
        "usr-ms": ("user_time", 1e-3), "system-ms": ("system_time", 1e-3),
        "guest-ms": ("guest_time", 1e-3), "minflt-nr": ("minor_fault_count", 1),
        "majflt-nr": ("major_fault_count", 1),
    }  # fmt: skip
    text_columns = frozenset({
        "UID", "USER", "TGID", "TID", "CPU", "policy", "Command",
    })  # fmt: skip
    needed = frozenset({"Command"})
    text_last = True

    @override
    def is_head(self, cells: Sequence[str]) -> bool:
        """Whether these words are a whole head; -t names threads (TID) of a process (TGID)."""
        return (
            len(cells) > 3
            and cells[-1] == "Command"
            and CLOCK.fullmatch(cells[0]) is not None
            and ("PID" in cells or "TGID" in cells)
            and all(
                cell == self.key or cell in self.columns or cell in self.text_columns
                for cell in cells[1:]
            )
        )
