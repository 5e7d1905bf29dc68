"""The load engines, and the tools whose results iosonde only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.loads._fleet import Fleet
    from iosonde.loads.load import LoadEngine
    from iosonde.records.evidence import Rule
    from iosonde.text.cursor import Output

LOADS: Table[type[LoadEngine]] = Table(
    "load engine",
    {
        "fio": "iosonde.loads.fio:Fio",
        "hdparm": "iosonde.loads.hdparm.load:Hdparm",
        "iozone": "iosonde.loads.iozone:Iozone",
        "replay": "iosonde.loads.replay:Replay",
    },
    group="iosonde.loads",
)

FLEETS: Table[type[Fleet]] = Table(
    "load engine that starts itself on several hosts", {"fio": "iosonde.loads.fio.fleet:FioFleet"}
)

OUTPUTS: Table[type[Output]] = Table(
    "output of a load tool",
    {
        "as_ssd": "iosonde.loads.as_ssd:AsSsd",
        "bench_sh": "iosonde.loads.bench_sh:BenchSh",
        "bonnie": "iosonde.loads.bonnie:Bonnie",
        "bonnie_page": "iosonde.loads.bonnie:BonniePage",
        "db_bench": "iosonde.loads.database_benchmarks:DbBench",
        "dd": "iosonde.loads.dd:Dd",
        "dd_command": "iosonde.loads.dd_command:DdCommand",
        "etcd_check": "iosonde.loads.redis_benchmark:EtcdCheck",
        "ioping": "iosonde.loads.ioping:Ioping",
        "diskinfo": "iosonde.loads.diskinfo:Diskinfo",
        "diskmark": "iosonde.loads.diskmark:DiskMark",
        "diskspd": "iosonde.loads.diskspd:Diskspd",
        "diskspd_xml": "iosonde.loads.diskspd_xml:DiskspdXml",
        "elbencho": "iosonde.loads.elbencho:Elbencho",
        "f3": "iosonde.loads.f3:F3",
        "filebench": "iosonde.loads.filebench:Filebench",
        "fio_command": "iosonde.loads.fio.printed_command:FioCommand",
        "fio_dbench": "iosonde.loads.fio_dbench:FioDbench",
        "fio_fragment": "iosonde.loads.fio.printed_fragment:FioFragment",
        "fio_jobfile": "iosonde.loads.fio.printed_jobfile:FioJobFile",
        "fio_json": "iosonde.loads.fio.printed_json:FioJson",
        "fio_status": "iosonde.loads.fio.printed_status:FioStatus",
        "fio_terse": "iosonde.loads.fio.printed_terse:FioTerse",
        "fio_text": "iosonde.loads.fio.printed_text:FioText",
        "gobonniego": "iosonde.loads.rate_lists:GoBonnieGo",
        "hd_tune": "iosonde.loads.hd_tune:HdTune",
        "hdparm": "iosonde.loads.hdparm.printed:HdparmOutput",
        "io500": "iosonde.loads.io500:Io500",
        "ior": "iosonde.loads.ior:Ior",
        "iozone": "iosonde.loads.iozone.printed:IozoneOutput",
        "iozone_command": "iosonde.loads.iozone.printed_command:IozoneCommand",
        "io_uring_tool": "iosonde.loads.rate_lists:IoUringTool",
        "kbench": "iosonde.loads.kbench:Kbench",
        "loop_tester": "iosonde.loads.loop_tester:LoopTester",
        "memtier": "iosonde.loads.database_benchmarks:Memtier",
        "nas_tester": "iosonde.loads.rate_lists:NasTester",
        "nench_ioping": "iosonde.loads.bench_sh:NenchIoping",
        "pg_test_fsync": "iosonde.loads.pg_test_fsync:PgTestFsync",
        "phoronix": "iosonde.loads.unixbench:PhoronixResult",
        "pi_benchmarks": "iosonde.loads.pi_benchmarks:PiBenchmarks",
        "postmark": "iosonde.loads.postmark:PostMark",
        "pveperf": "iosonde.loads.pveperf:Pveperf",
        "rados_bench_json": "iosonde.loads.rados_bench_json:RadosBenchJson",
        "rados_bench": "iosonde.loads.rados_bench:RadosBench",
        "rbd_bench": "iosonde.loads.rbd_bench:RbdBench",
        "redis_benchmark": "iosonde.loads.redis_benchmark:RedisBenchmark",
        "redis_benchmark_csv": "iosonde.loads.redis_benchmark:RedisBenchmarkCsv",
        "redis_benchmark_quiet": "iosonde.loads.redis_benchmark:RedisBenchmarkQuiet",
        "result_table": "iosonde.loads.result_table:ResultTable",
        "sd_card_test": "iosonde.loads.sd_card_test:SdCardTest",
        "speed_report": "iosonde.loads.speed_report:SpeedReport",
        "speed_rows": "iosonde.loads.speed_rows:SpeedRows",
        "spdk_perf": "iosonde.loads.spdk_perf:SpdkPerf",
        "sysbench": "iosonde.loads.sysbench:Sysbench",
        "sysbench_events": "iosonde.loads.sysbench_events:SysbenchEvents",
        "sysbench_prepare": "iosonde.loads.sysbench_events:SysbenchPrepare",
        "timed": "iosonde.loads.timed:TimedCommand",
        "tiobench": "iosonde.loads.tiobench:Tiobench",
        "unixbench": "iosonde.loads.unixbench:UnixBench",
        "vdbench": "iosonde.loads.vdbench:Vdbench",
        "vdbench_files": "iosonde.loads.vdbench_files:VdbenchFiles",
        "warp": "iosonde.loads.warp:Warp",
        "winsat": "iosonde.loads.winsat:Winsat",
        "xfs_io": "iosonde.loads.xfs_io:XfsIo",
        "yabs": "iosonde.loads.yabs:Yabs",
        "yabs_json": "iosonde.loads.yabs_json:YabsJson",
        "ycsb": "iosonde.loads.database_benchmarks:Ycsb",
    },
)
"""What load tools print; `iosonde import` reads it wherever it stands."""

RULES: Table[tuple[Rule, ...]] = Table(
    "rule about loads",
    {
        "arithmetic": "iosonde.loads._rules.arithmetic:RULES",
        "commands": "iosonde.loads._rules.commands:RULES",
        "durability": "iosonde.loads._rules.durability:RULES",
        "headings": "iosonde.loads._rules.headings:RULES",
        "members": "iosonde.loads._rules.members:RULES",
        "page_cache": "iosonde.loads._rules.page_cache:RULES",
        "processes": "iosonde.loads._rules.processes:RULES",
        "read_back": "iosonde.loads._rules.read_back:RULES",
        "zeros": "iosonde.loads._rules.zeros:RULES",
    },
)
