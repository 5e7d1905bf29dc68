"""What the kernel's log says of itself: crashes, lockups, stalls and what it ran out of.

Source:
    Linux 6.12 arch/x86/mm/fault.c, show_fault_oops() (before 5.1 with "kernel "); kernel/panic.c,
    panic(); lib/dump_stack.c, dump_stack_print_info(); kernel/watchdog.c; kernel/workqueue.c;
    kernel/rcu/tree_stall.h;
    mm/oom_kill.c, __oom_kill_process(); mm/page_alloc.c, warn_alloc();
    mm/kasan/report.c, print_error_description();
    mm/slub.c, slab_bug(); lib/refcount.c; kernel/power/process.c;
    drivers/tty/sysrq.c, sysrq_handle_crash() (a panic of its own since 5.0);
    Documentation/admin-guide/bug-hunting.rst (RIP, IP, pc); fs/sysfs/dir.c,
    sysfs_warn_dup(); lib/kobject.c, kobject_add_internal(); xfstests, check; blktests, check.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_HELD = r" (?:UID \d{1,10},? )?total-vm:\d{1,15}kB, anon-rss:(?P<held_kib>\d{1,15})kB"
_KILLED = rf"Kill(?:ed)? process \d+ \((?P<killed>[^)]{{1,32}})\)(?:{_HELD})?"
"""Since 5.3 one line says which process was killed and what it held, before that two."""
MESSAGES = (
    KernelMessage(
        "BUG: unable to handle",
        r"BUG: unable to handle (?P<crashes>(?:kernel )?(?:NULL pointer dereference|paging request"
        r"|page fault)).{0,80}", "host", "kernel_crashes", "crash",
    ),
    KernelMessage(
        "BUG: kernel NULL pointer", r"BUG: (?P<crashes>kernel NULL pointer dereference), .{0,80}",
        "host", "kernel_crashes", "crash",
    ),
    KernelMessage(
        "Unable to handle kernel",
        r"(?:\d+: )?Unable to handle kernel (?P<crashes>NULL pointer dereference|paging request"
        r"|access) .{0,80}", "host", "kernel_crashes", "crash",
    ),
    KernelMessage(
        "kernel BUG at", r"kernel BUG at (?P<crashes>[\w./-]{3,80}:\d+)!",
        "host", "kernel_crashes", "crash",
    ),
    KernelMessage(
        "general protection fault", r"(?P<crashes>general protection fault).{0,80}",
        "host", "kernel_crashes", "crash",
    ),
    KernelMessage(
        "Kernel panic - not syncing: sysrq",
        r"Kernel panic - not syncing: (?P<panics>sysrq triggered crash)", "host",
        "triggered_panics",
    ),
    KernelMessage(
        "Kernel panic - not syncing",
        r"Kernel panic - not syncing: (?P<panics>.{3,120})", "host", "kernel_panics", "crash",
    ),
    KernelMessage(
        "BUG: KASAN: ",
        r"BUG: KASAN: (?!null-ptr)(?P<memory_errors>[a-z][a-z -]{2,40}?) in (?P<crashed_in>"
        r"[A-Za-z_][\w.]{1,60}\+0x[\da-f]++/0x[\da-f]++)(?! \[(?:kasan_test|test_kasan)\])",
        "host", "kernel_memory_errors", "misused",
    ),
    KernelMessage(
        "BUG ", r"BUG (?P<caches>[\w./:-]{1,60}) \((?:Not tainted|Tainted: [A-Z ]{1,40}?) *\): "
        r"(?P<warned_of>Objects remaining .{0,60})", "host", "kernel_warnings", "warned",
    ),
    KernelMessage(
        "BUG ", r"BUG (?P<caches>[\w./:-]{1,60}) \((?:Not tainted|Tainted: [A-Z ]{1,40}?) *\): "
        r"(?P<memory_errors>(?:Poison|(?:Left |Right |kmalloc )?Redzone|Padding|Object padding|End "
        r"Poison) overwritten|Freepointer corrupt|Freechain corrupt|Object already free"
        r"|Invalid object pointer 0x[\da-f]{4,16})", "host", "kernel_memory_errors", "misused",
    ),
    KernelMessage(
        "refcount_t: ", r"refcount_t: (?P<memory_errors>(?:underflow|addition on 0|hit 0); "
        r"use-after-free)", "host", "kernel_memory_errors", "misused",
    ),
    KernelMessage(
        " tasks refusing to freeze", r"(?:PM: )?Freezing (?:of tasks|user space processes"
        r"|remaining freezable tasks) failed after (?P<blocked_seconds>\d{1,6})\.\d{3} seconds "
        r"\(\d{1,6} tasks refusing to freeze", "host", "failed_freezes", "stall",
    ),
    KernelMessage(
        "Trigger a crash", r"(?:sysrq: )?(?:SysRq : )?Trigger a crash", "host", "triggered_crashes",
    ),
    KernelMessage(
        "IP: ", r"(?:R?IP: (?:e?[\da-f]{2,4}:)?|PC is at |pc : )(?:\[<[\da-f]{8,16}>\] +)?"
        r"(?P<crashed_in>[A-Za-z_][\w.]{2,60}\+0x[\da-f]+/0x[\da-f]+)", "", "crash_places",
    ),
    KernelMessage(
        "PC is at ", r"PC is at (?P<crashed_in>[A-Za-z_][\w.]{2,60}\+0x[\da-f]+/0x[\da-f]+)",
        "", "crash_places",
    ),
    KernelMessage(
        "Oops: ", r"(?P<crashes>Oops: (?:[\da-f]{4}|general protection fault.{0,60}?)) \[#\d",
        "host", "oopses", "crash",
    ),
    KernelMessage(
        "Internal error: Oops",
        r"(?P<crashes>Internal error: Oops[ :-]{1,4}\w{1,10}) ", "host", "kernel_crashes", "crash",
    ),
    KernelMessage(
        "soft lockup - CPU",
        r"(?:watchdog: )?BUG: soft lockup - CPU#(?P<processors>\d+) stuck for "
        r"(?P<stuck_seconds>\d+)s! \[(?P<other>.{1,32}):\d+\]", "host", "soft_lockups", "lockup",
    ),
    KernelMessage(
        "workqueue lockup - pool",
        r"BUG: workqueue lockup - pool .{1,100}? stuck for (?P<stuck_seconds>\d{1,9})s!", "host",
        "workqueue_lockups", "queued",
    ),
    KernelMessage(
        "hard LOCKUP on cpu",
        r"(?:NMI )?(?:watchdog: )?Watchdog (?:CPU:\d+ )?detected hard LOCKUP on cpu "
        r"(?P<processors>\d{1,5})", "host", "hard_lockups", "lockup",
    ),
    KernelMessage(
        "rcu_",
        r"(?:rcu: )?INFO: (?P<stalled>rcu_\w{3,20}) (?:self-)?detected (?:stalls?|expedited)",
        "host", "processor_stalls", "lockup",
    ),
    KernelMessage(
        "emory cgroup out of memory",
        r"Memory cgroup out of memory: " + _KILLED, "host", "killed_for_limit",
    ),
    KernelMessage(
        "Out of memory", r"Out of memory(?: \(oom_kill_allocating_task\))?: " + _KILLED, "host",
        "killed_for_memory",
    ),
    KernelMessage(
        "Killed process ", r"Killed process \d+ \((?P<killed>[^)]{1,32})\),?" + _HELD, "host",
        "killed_processes",
    ),
    KernelMessage(
        "page allocation failure",
        r"(?P<failed_for>\S.{0,30}?): page allocation failure[.:] order:(?P<orders>\d{1,2}),? "
        r"mode:",
        "host", "failed_page_allocations",
    ),
    KernelMessage(
        "invoked oom-killer", r"(?P<asked_by>.{1,32}) invoked oom-killer: ",
        "host", "shortages_of_memory",
    ),
    *(
        KernelMessage(
            f"run {suite} ",
            rf"run (?P<suites>{suite}) (?P<tests>[a-z][\w-]{{1,20}}/\d{{3,4}}) at "
            r"(?P<test_times>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", "host", "begun_tests",
        )
        for suite in ("fstests", "blktests")
    ),
    KernelMessage(
        "sysfs: cannot create duplicate filename",
        r"sysfs: cannot create duplicate filename '(?P<duplicates>/[^']{1,200})'", "host",
        "duplicate_files",
    ),
    KernelMessage(
        "kobject_add_internal failed for ",
        r"kobject_add_internal failed for (?P<objects>\S{1,64}) "
        r"(?:with (?P<error_names>-E[A-Z]{3,12})|\(error: (?P<errors>-\d{1,5}) )", "host",
        "failed_objects",
    ),
    KernelMessage(
        "Disabling lock debugging due to kernel taint",
        r"Disabling lock debugging due to kernel taint", "", "disabled_lock_debugging",
    ),
)  # fmt: skip
