"""What iosonde knows of fio's options: names, which take no value, which it sets, which it refuses.

Job options that are not in any of these tables pass through to fio as they are written.

Source:
    fio 3.41-git (options.c, init.c, engines/*.c) and its HOWTO.
"""

from __future__ import annotations

from typing import Final


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


FLAGS: Final = _names(
    """
    blocksize_unaligned bs_unaligned exitall exitall_on_error fixedbufs group_reporting hipri
    new_group norandommap refill_buffers registerfiles sqthread_poll stonewall thread time_based
    userspace_reap verify_only wait_for_previous zero_buffers
    """
)
"""Options of type STR_SET: present or absent, a value is not needed."""

ALIASES: Final = {
    "readwrite": "rw", "blocksize": "bs", "timeout": "runtime", "wait_for_previous": "stonewall",
    "fileoffset": "offset", "io_limit": "io_size", "iomem": "mem", "fill_fs": "fill_device",
    "nr_files": "nrfiles", "blockalign": "ba",
}  # fmt: skip
"""Alias → the name that the rest of this package looks for."""

SET_HERE: Final = {
    "filename": "the target says where the load is applied",
    "directory": "the target says where the load is applied",
    "allow_file_create": "the target is there before fio starts",
    "allow_mounted_write": "a mounted device is never written to",
    "create_on_open": "the target is there before fio starts",
    "unlink": "iosonde removes what it made",
    "unlink_each_loop": "iosonde removes what it made",
    "unified_rw_reporting": "reads and writes are reported apart",
    "output": "the result is fetched from a file of its own",
    "output-format": "the result is asked for as JSON",
    "minimal": "the result is asked for as JSON",
    "append-terse": "the result is asked for as JSON",
    "terse-version": "the result is asked for as JSON",
    "eta": "progress comes from the observer",
    "eta-newline": "progress comes from the observer",
    "eta-interval": "progress comes from the observer",
    "aux-path": "state files go to a directory of their own",
    "threads": "it belongs to fio's tiobench profile; `thread` makes threads of jobs",
    "max-jobs": "fio has had no use for it since 3.0",
}
"""Left out with a note: iosonde decides these. The reason finishes the note."""

_ELSEWHERE = "it would touch more than the target"
_RUNS = "it would run a program of its own"
_WIRE = "iosonde starts fio on each host itself"
_STOPS = "it ends fio before a load is run"

REFUSED: Final = {
    "exec_prerun": _RUNS, "exec_postrun": _RUNS, "trigger": _RUNS, "trigger-remote": _RUNS,
    "trigger-file": _RUNS, "trigger-timeout": _RUNS,
    "opendir": _ELSEWHERE, "filename_format": _ELSEWHERE, "unique_filename": _ELSEWHERE,
    "lockfile": _ELSEWHERE, "replay_redirect": _ELSEWHERE, "dp_scheme": _ELSEWHERE,
    "read_iolog": "the files named in the trace are not the target",
    "write_iolog": "it writes one line per I/O beside the target; run fio by hand for a trace",
    "merge_blktrace_file": _ELSEWHERE, "merge-blktrace-only": _ELSEWHERE,
    "verify_state_load": "the state of another run is not at hand",
    "log_store_compressed": "compressed logs cannot be read back here",
    "file_append": "it would make the target longer",
    "ioscheduler": "it changes a setting of the device that nothing would put back",
    "cgroup": "it changes control groups of the host",
    "cgroup_weight": "it changes control groups of the host",
    "cgroup_nodelete": "it changes control groups of the host",
    "profile": "its jobs are not known here; write them out",
    "include": "only one text is read; paste the included lines",
    "section": "take the sections that are not wanted out of the job file",
    "server": _WIRE, "client": _WIRE, "remote-config": _WIRE, "daemonize": _WIRE,
    "status-interval": "the result would be several documents; the observer shows each second",
    "debug": "its lines would be mixed into the result",
    "latency-log": "use write_lat_log", "bandwidth-log": "use write_bw_log",
    "inflate-log": _STOPS, "showcmd": _STOPS, "parse-only": _STOPS, "version": _STOPS,
    "help": _STOPS, "cmdhelp": _STOPS, "enghelp": _STOPS, "crctest": _STOPS,
    "cpuclock-test": _STOPS, "memcpytest": _STOPS,
}  # fmt: skip
"""Refused, because after them the guard would have looked at the wrong thing."""

LOGS: Final = {
    "write_bw_log": ("bw",),
    "write_iops_log": ("iops",),
    "write_lat_log": ("lat", "slat", "clat"),
    "write_hist_log": ("clat_hist",),
}
"""Option → the kinds of log that fio then writes; the paths are led into our directory."""

ARGUMENTS: Final = frozenset({"alloc-size", "idle-prof", "warnings-fatal", "readonly"})
"""Options of the command, not of a job, that pass through."""
ARGUMENT_FLAGS: Final = _names(
    """
    minimal append-terse readonly warnings-fatal showcmd parse-only version help
    merge-blktrace-only cpuclock-test
    """
)

ENGINES: Final = _names(
    """
    sync psync vsync pvsync pvsync2 libaio posixaio io_uring io_uring_cmd mmap splice sg libpmem
    dev-dax mtd null cpuio
    """
)
"""I/O engines that reach nothing but `filename`. Others open connections, programs or files."""

SYNCHRONOUS: Final = _names("sync psync vsync pvsync pvsync2 mmap splice")
"""I/O engines that have one I/O in flight whatever `iodepth` says."""

OPTION_NAMES: Final = _names(
    """
    allow_file_create allow_mounted_write allrandrepeat apptag apptag_mask atomic ba
    block_error_percentiles blockalign blocksize blocksize_range blocksize_unaligned bs
    bs_is_seq_rand bs_unaligned bsrange bssplit buffer_compress_chunk buffer_compress_percentage
    buffer_pattern buffered bwavgtime cdb_len cgroup cgroup_nodelete cgroup_weight
    clat_percentiles clocksource cmd_type cmdprio cmdprio_bssplit cmdprio_class cmdprio_hint
    cmdprio_percentage comm continue_on_error cpuchunks cpuload cpumask cpumode cpus_allowed
    cpus_allowed_policy create_fsync create_on_open create_only create_serialize data_placement
    dataplacement deac dedupe_global dedupe_mode dedupe_percentage dedupe_working_set_percentage
    description direct directory disable_bw disable_bw_measurement disable_clat disable_lat
    disable_slat disk_util do_verify dp_scheme end_fsync end_syncfs error_dump exec_postrun
    exec_prerun exit_what exitall exitall_on_error experimental_verify fadvise_hint fallocate
    fdatasync fdp fdp_pli fdp_pli_select file_append file_service_type filename filename_format
    fileoffset filesize filetype fill_device fill_fs fixedbufs flow flow_id flow_sleep
    flow_watermark force_async fsync fsync_on_close gid gpu_dev_id group_reporting gtod_cpu
    gtod_reduce hipri hipri_percentage hugepage-size ignore_error ignore_zone_limits
    initial_zone_reset invalidate io_limit io_size io_submit_mode iodepth iodepth_batch
    iodepth_batch_complete iodepth_batch_complete_max iodepth_batch_complete_min
    iodepth_batch_submit iodepth_low ioengine iomem iomem_align iopsavgtime ioscheduler
    job_max_open_zones job_start_clock_id kb_base lat_percentiles latency_percentile latency_run
    latency_target latency_window libaio_vectored lockfile lockmem log_alternate_epoch
    log_alternate_epoch_clock_id log_avg_msec log_compression log_compression_cpus log_entries
    log_hist_coarseness log_hist_msec log_issue_time log_max_value log_offset log_prio
    log_store_compressed log_unix_epoch log_window_value loops max_latency max_open_zones
    md_per_io_size mem mem_align merge_blktrace_file merge_blktrace_iters merge_blktrace_scalars
    name new_group nice nonvectored norandommap nowait nr_files nrfiles num_range numa_cpu_nodes
    numa_mem_policy number_ios numjobs offset offset_align offset_increment opendir openfiles
    overwrite per_job_logs percentage_random percentage_sequential percentile_list pi_act pi_chk
    plid_select plids pre_read prio prioclass priohint profile ramp_size ramp_time
    random_distribution random_generator random_sequence_stride randrepeat randseed rate
    rate_cycle rate_ignore_thinktime rate_iops rate_iops_min rate_min rate_process ratecycle
    ratemin read_beyond_wp read_iolog read_iolog_chunked read_mode readfua readwrite
    recover_zbd_write_error refill_buffers registerfiles replay_align replay_no_stall
    replay_redirect replay_scale replay_skip replay_time_scale runtime rw rw_sequencer rwmixcycle
    rwmixread rwmixwrite scramble_buffers serialize_overlap sg_write_mode significant_figures size
    skip_bad slat_percentiles softrandommap spr_cs spr_num_regions spr_op sprandom sqthread_poll
    sqthread_poll_cpu ss ss_dur ss_interval ss_ramp startdelay stats steadystate
    steadystate_check_interval steadystate_duration steadystate_ramp_time stonewall stream_id sync
    sync_file_range thinkcycles thinktime thinktime_blocks thinktime_blocks_type thinktime_iotime
    thinktime_spin thp thread time_based timeout trim_backlog trim_backlog_batch trim_percentage
    trim_verify_zero uid uncached unified_rw_reporting unique_filename unit_base unlink
    unlink_each_loop userspace_reap verify verify_async verify_async_cpus verify_backlog
    verify_backlog_batch verify_bytchk verify_dump verify_fatal verify_header_seed verify_interval
    verify_mode verify_offset verify_only verify_pattern verify_pattern_interval verify_policy
    verify_state_load verify_state_save verify_write_sequence verifysort verifysort_nr wait_for
    wait_for_previous write_barrier write_bw_log write_hint write_hist_log write_iolog
    write_iops_log write_lat_log write_mode write_zone_remainder writefua zero_buffers
    zone_reset_frequency zone_reset_threshold zonecapacity zonemode zonerange zonesize zoneskip
    """
)
"""Names and aliases of job options, for "did you mean"."""

PROFILE_NAMES: Final = _names(
    """
    block device-names dir large-block-op-kbytes load numruns prep read-req-num-512-blocks size
    test-duration threads threads-per-queue
    """
)
"""Options of the profiles act and tiobench, which any command of fio may have.

Source: fio 3.33, profiles/act.c and tiobench.c; profile.c, add_profile_ops().
"""

TWICE: Final = frozenset({"profile", "size"})
"""What the table of fio's options has twice, of the jobs and of the command: no beginning of these
is taken ("option '--siz=1M' is ambiguous; possibilities: '--size' '--size'")."""
