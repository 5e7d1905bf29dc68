"""What is counted over time: sampled while a load runs, or printed by monitoring tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.monitors.sampler import Sampler
    from iosonde.text.cursor import Output

SAMPLERS: Table[type[Sampler]] = Table(
    "sampler",
    {
        "diskstats": "iosonde.monitors.diskstats:Diskstats",
        "cpu": "iosonde.monitors.cpu:Cpu",
        "link": "iosonde.monitors.link:LinkSampler",
        "pressure": "iosonde.monitors.pressure:Pressure",
        "memory": "iosonde.monitors.memory:Memory",
        "nfsd": "iosonde.monitors.nfsd:Nfsd",
        "resync": "iosonde.monitors.resync:Resync",
    },
)

OUTPUTS: Table[type[Output]] = Table(
    "output of a monitor",
    {
        "atop": "iosonde.monitors.printed_atop:Atop",
        "biosnoop": "iosonde.monitors.printed_biosnoop:Biosnoop",
        "blkparse_events": "iosonde.monitors.printed_blktrace:BlkparseEvents",
        "blkparse": "iosonde.monitors.printed_btt:Blkparse",
        "block_stat": "iosonde.monitors.printed_proc:BlockStat",
        "blktests": "iosonde.monitors.printed_test_suites:BlockTests",
        "btt": "iosonde.monitors.printed_btt:Btt",
        "ceph_osd_perf": "iosonde.monitors.printed_ceph:CephOsdPerf",
        "collectl": "iosonde.monitors.printed_collectl:Collectl",
        "dbench": "iosonde.monitors.printed_dbench:Dbench",
        "diskstats": "iosonde.monitors.printed_diskstats:DiskstatsOutput",
        "dstat": "iosonde.monitors.printed_dstat:Dstat",
        "event_histogram": "iosonde.monitors.printed_ftrace_tables:EventHistogram",
        "exposition": "iosonde.monitors.printed_exposition:Exposition",
        "exposition_of_others": "iosonde.monitors.printed_exposition:ExpositionOfOthers",
        "free": "iosonde.monitors.printed_free:Free",
        "free_line": "iosonde.monitors.printed_free:FreeLine",
        "fs_mark": "iosonde.monitors.printed_fs_mark:FsMark",
        "fstests": "iosonde.monitors.printed_fstests:FsTests",
        "fsslower": "iosonde.monitors.printed_fsslower:Fsslower",
        "fsx": "iosonde.monitors.printed_fsx:Fsx",
        "ftrace": "iosonde.monitors.printed_ftrace:FtraceEvents",
        "function_graph": "iosonde.monitors.printed_ftrace_tables:FunctionGraph",
        "function_profile": "iosonde.monitors.printed_ftrace_tables:FunctionProfile",
        "histogram": "iosonde.monitors.printed_histogram:TracedHistogram",
        "interrupts": "iosonde.monitors.printed_interrupts:Interrupts",
        "iostat": "iosonde.monitors.printed_iostat:Iostat",
        "iostat_unix": "iosonde.monitors.printed_iostat_unix:UnixIostat",
        "iotop": "iosonde.monitors.printed_iotop:Iotop",
        "iperf": "iosonde.monitors.printed_iperf:Iperf",
        "klog": "iosonde.monitors.printed_go_log:Klog",
        "lkp": "iosonde.monitors.printed_lkp:LkpComparison",
        "logfmt": "iosonde.monitors.printed_go_log:Logfmt",
        "ltp": "iosonde.monitors.printed_test_reports:Ltp",
        "ltp_totals": "iosonde.monitors.printed_test_reports:LtpTotals",
        "mdtest": "iosonde.monitors.printed_files:Mdtest",
        "meminfo": "iosonde.monitors.printed_meminfo:Meminfo",
        "mpstat": "iosonde.monitors.printed_sysstat:Mpstat",
        "numastat": "iosonde.monitors.printed_proc:Numastat",
        "perf_report": "iosonde.monitors.printed_perf:PerfReport",
        "perf_stat": "iosonde.monitors.printed_perf:PerfStat",
        "pgbench": "iosonde.monitors.printed_transactions:Pgbench",
        "pidstat": "iosonde.monitors.printed_pidstat:Pidstat",
        "ping": "iosonde.monitors.printed_ping:Ping",
        "pressure": "iosonde.monitors.printed_pressure:PressureFiles",
        "proc_stat": "iosonde.monitors.printed_proc:ProcStat",
        "proc_vmstat": "iosonde.monitors.printed_proc:ProcVmstat",
        "ps": "iosonde.monitors.printed_ps:Ps",
        "pynfs": "iosonde.monitors.printed_test_reports:Pynfs",
        "rsync": "iosonde.monitors.printed_rsync:Rsync",
        "sar_blocks": "iosonde.monitors.printed_sysstat:SarBlocks",
        "sar_cpu": "iosonde.monitors.printed_sysstat:SarCpu",
        "sar_disk": "iosonde.monitors.printed_sar:SarDisk",
        "sar_fibre_channel": "iosonde.monitors.printed_sar_tables:SarFibreChannel",
        "sar_filesystems": "iosonde.monitors.printed_sar_tables:SarFilesystems",
        "sar_host": "iosonde.monitors.printed_sar_tables:SarHost",
        "sar_link_errors": "iosonde.monitors.printed_sar_tables:SarLinkErrors",
        "sar_network": "iosonde.monitors.printed_sysstat:SarNetwork",
        "slabtop": "iosonde.monitors.printed_slabtop:Slabtop",
        "stack_trace": "iosonde.monitors.printed_ftrace_tables:DeepestStack",
        "strace": "iosonde.monitors.printed_strace:StraceCounts",
        "strace_calls": "iosonde.monitors.printed_strace_calls:StraceCalls",
        "top": "iosonde.monitors.printed_top:Top",
        "vmstat": "iosonde.monitors.printed_vmstat:Vmstat",
        "vmstat_disks": "iosonde.monitors.printed_vmstat_totals:VmstatDisks",
        "vmstat_partition": "iosonde.monitors.printed_vmstat_totals:VmstatPartition",
        "vmstat_totals": "iosonde.monitors.printed_vmstat_totals:VmstatTotals",
        "xfstests_bld": "iosonde.monitors.printed_test_reports:XfstestsReport",
    },
)
"""What iostat, sar, vmstat and their like print."""
