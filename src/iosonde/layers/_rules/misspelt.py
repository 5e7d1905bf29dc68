"""Names of files, variables and settings that nothing reads, close to ones that are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding

_FILES = {
    "sysctl": ("/etc/sysctl.conf",),
    "nfs": ("/etc/sysconfig/nfs", "/etc/default/nfs-kernel-server", "/etc/default/nfs-common",
            "/etc/nfs.conf", "/etc/conf.d/nfs"),
}  # fmt: skip
_READERS = {"sysctl": "sysctl", "nfs": "the start of the NFS server"}
_FOLDERS = re.compile(r"/(?:etc|run|usr/lib|usr/local/lib|lib)/sysctl\.d/[\w.-]+\.conf$")


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_VARIABLES = _names(
    """BLKMAPDARGS GSS_USE_PROXY LOCKD_TCPPORT LOCKD_UDPPORT MOUNTD_NFS_V1 MOUNTD_NFS_V2
    MOUNTD_NFS_V3 MOUNTD_PORT NEED_GSSD NEED_IDMAPD NEED_STATD NEED_SVCGSSD NFS3_SERVER_SUPPORT
    NFS4_SUPPORT NFSD_MODULE NFSD_V4_GRACE NFSD_V4_LEASE NFS_SECURITY_GSS RPCGSSDARGS
    RPCGSSDOPTS RPCIDMAPDARGS RPCMOUNTDARGS RPCMOUNTDOPTS RPCNFSDARGS RPCNFSDCOUNT RPCNFSDOPTS
    RPCNFSDPRIORITY RPCRQUOTADOPTS RPCSVCGSSDARGS RPCSVCGSSDOPTS RQUOTAD RQUOTAD_PORT SECURE_NFS
    SECURE_NFS_MODS SMNOTIFYARGS STATDARG STATDOPTS STATD_HA_CALLOUT STATD_OUTGOING_PORT
    STATD_PORT TUNE_QUEUE USE_KERNEL_NFSD_NUMBER"""
)
_SETTINGS = {
    "vm.": _names(
        """admin_reserve_kbytes block_dump compact_memory compact_unevictable_allowed
        compaction_proactiveness dirty_background_bytes dirty_background_ratio dirty_bytes
        dirty_expire_centisecs dirty_ratio dirty_writeback_centisecs dirtytime_expire_seconds
        drop_caches extfrag_threshold highmem_is_dirtyable hugetlb_shm_group laptop_mode
        legacy_va_layout lowmem_reserve_ratio max_map_count memory_failure_early_kill
        memory_failure_recovery min_free_kbytes min_slab_ratio min_unmapped_ratio mmap_min_addr
        nr_hugepages nr_hugepages_mempolicy nr_overcommit_hugepages nr_pdflush_threads numa_stat
        numa_zonelist_order oom_dump_tasks oom_kill_allocating_task overcommit_kbytes
        overcommit_memory overcommit_ratio page-cluster page_lock_unfairness pagecache
        panic_on_oom percpu_pagelist_fraction percpu_pagelist_high_fraction
        scan_unevictable_pages stat_interval stat_refresh swap_token_timeout swappiness
        unprivileged_userfaultfd user_reserve_kbytes vdso_enabled vfs_cache_pressure
        watermark_boost_factor watermark_scale_factor zone_reclaim_mode"""
    ),
    "net.core.": _names(
        """bpf_jit_enable bpf_jit_harden bpf_jit_kallsyms bpf_jit_limit busy_poll busy_read
        default_qdisc dev_weight dev_weight_rx_bias dev_weight_tx_bias flow_limit_cpu_bitmap
        flow_limit_table_len gro_normal_batch high_order_alloc_disable max_skb_frags
        message_burst message_cost netdev_budget netdev_budget_usecs netdev_max_backlog
        netdev_rss_key netdev_tstamp_prequeue optmem_max rmem_default rmem_max rps_default_mask
        rps_sock_flow_entries skb_defer_max somaxconn tstamp_allow_data txrehash warnings
        wmem_default wmem_max xfrm_acq_expires xfrm_aevent_etime xfrm_aevent_rseqth
        xfrm_larval_drop"""
    ),
    "net.ipv4.tcp_": _names(
        """abc abort_on_overflow adv_win_scale allowed_congestion_control app_win autocorking
        available_congestion_control available_ulp base_mss challenge_ack_limit
        child_ehash_entries comp_sack_delay_ns comp_sack_nr comp_sack_slack_ns
        congestion_control cookie_size dma_copybreak dsack early_demux early_retrans ecn
        ecn_fallback ehash_entries fack fastopen fastopen_blackhole_timeout_sec fastopen_key
        fin_timeout frto frto_response fwmark_accept invalid_ratelimit keepalive_intvl
        keepalive_probes keepalive_time l3mdev_accept limit_output_bytes low_latency max_orphans
        max_reordering max_ssthresh max_syn_backlog max_tw_buckets mem migrate_req min_rtt_wlen
        min_snd_mss min_tso_segs moderate_rcvbuf mtu_probe_floor mtu_probing no_metrics_save
        no_ssthresh_metrics_save notsent_lowat orphan_retries pacing_ca_ratio pacing_ss_ratio
        plb_enabled probe_interval probe_threshold recovery reflect_tos reordering
        retrans_collapse retries1 retries2 rfc1337 rmem rto_min_us rto_max_ms sack shrink_window
        slow_start_after_idle stdurg syn_linear_timeouts syn_retries synack_retries syncookies
        thin_dupack thin_linear_timeouts timestamps tso_rtt_log tso_win_divisor tw_recycle
        tw_reuse tw_reuse_delay user_cwnd_max vegas_cong_avoid westwood window_scaling wmem
        workaround_signed_windows"""
    ),
}
_CLOSE = 2


def distance(word: str, other: str) -> int:
    """Letters to add, leave out, change, or swap with the next, to make one word of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(word, 1):
        above, before, row = before, row, [place]
        for column, wanted in enumerate(other, 1):
            least = min(before[column] + 1, row[-1] + 1, before[column - 1] + (letter != wanted))
            swapped = column > 1 and place > 1 and letter == other[column - 2]
            if swapped and word[place - 2] == wanted:
                least = min(least, above[column - 2] + 1)
            row.append(least)
    return row[-1]


def meant(name: str, names: Sequence[str]) -> str | None:
    """The known name that is closest; None where the name is known, or close to none."""
    if name in names:
        return None
    near = [candidate for candidate in names if abs(len(candidate) - len(name)) <= _CLOSE]
    close = [(distance(name, candidate), candidate) for candidate in near]
    best = min(close, default=(_CLOSE + 1, ""))
    most = _CLOSE if len(name) > 6 else 1  # short names are close to many
    return best[1] if best[0] <= most else None


def files(case: EvidenceSet) -> Iterator[Finding]:
    """Files of settings by names that nothing reads."""
    for file in case.of_kind("file"):
        holds = str(file.values.get("holds", ""))
        names = _FILES.get(holds, ())
        right = None if _FOLDERS.match(file.name) else meant(file.name, names)
        if right is None:
            continue
        count = sum(
            len(state.values) for state in case.of_kind("host") if state.where == file.where
        )
        lost = f", and its {count} settings are lost at the next boot" if count > 1 else ""
        then = "`sysctl --system`" if holds == "sysctl" else "restart the NFS server"
        yield _finding(
            file,
            file.name,
            right,
            f"{_READERS[holds]} reads no file of the first name{lost}",
            f"`cat {file.name} >> {right}` where the file is really called so, and {then}",
            f"`ls {file.name}`; after a boot, the values in /proc/sys" if holds == "sysctl" else "",
        )


def variables(case: EvidenceSet) -> Iterator[Finding]:
    """Variables of a file of the NFS server that its start does not know."""
    for state in case.of_kind("file"):
        if state.values.get("holds") != "nfs":
            continue
        for name, value in state.values.items():
            right = meant(name, _VARIABLES) if name.isupper() else None
            if right is not None:
                threads = right == "RPCNFSDCOUNT"
                yield _finding(
                    state,
                    name,
                    right,
                    f"no script of the NFS server knows this variable, and {value} has no effect",
                    f"write {right}={value} into {state.name or 'the file'} and restart the NFS "
                    "server, which interrupts its clients for a moment",
                    "`cat /proc/fs/nfsd/threads` after the restart" if threads else "",
                )


def settings(case: EvidenceSet) -> Iterator[Finding]:
    """Settings of the kernel that it does not have."""
    for state in case.of_kind("host"):
        for name, value in state.values.items():
            for start, names in _SETTINGS.items():
                if name.startswith(start) and (right := meant(name.removeprefix(start), names)):
                    whole = start + right
                    yield _finding(
                        state,
                        name,
                        whole,
                        f"the kernel has no setting of this name, and {value} has no effect",
                        f"`sysctl -w {whole}={value}`, and the same name in the file",
                        f"`sysctl {whole}`",
                    )


def _finding(
    state: StateEvidence, name: str, right: str, why: str, remedy: str, confirm: str = ""
) -> Finding:
    return Finding(
        rule="misspelt",
        severity="warning",
        subject=name,
        message=f"{name} is probably meant to be {right}: {why}.",
        evidence=(Evidence("as written", name, "", state.where),),
        remedy=remedy,
        confirm=confirm,
    )


_SYSCTL = "sysctl.conf(5), sysctl.d(5); Linux Documentation/admin-guide/sysctl/"
_NFS = "/etc/sysconfig/nfs of RHEL 5 to 7, /etc/default/nfs-kernel-server of Debian 9 to 11"
RULES: tuple[Rule, ...] = (
    Rule("misspelt", "host, nfsd", "A file of settings has a name that nothing reads.",
         f"{_SYSCTL}; {_NFS}", files),
    Rule("misspelt", "nfsd", "A variable that the NFS server's start does not know.", _NFS,
         variables),
    Rule("misspelt", "host", "A setting that the kernel does not have.", _SYSCTL, settings),
)  # fmt: skip
