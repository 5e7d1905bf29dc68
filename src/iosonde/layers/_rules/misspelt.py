"""Names of files, variables and settings that nothing reads, close to ones that are read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iosonde.layers import SETTINGS_FILES
from iosonde.layers._commands.configuration import SettingsFile
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Scalar

_SYSCTL_FILE = SettingsFile(
    files=("/etc/sysctl.conf",),
    reader="sysctl",
    renewed_by="`sysctl --system`",
    confirm="after a boot, the values in /proc/sys",
)
_FOLDERS = re.compile(r"/(?:etc|run|usr/lib|usr/local/lib|lib)/sysctl\.d/[\w.-]+\.conf$")


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


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


def _file(holds: Scalar) -> SettingsFile | None:
    """What is known of the file whose settings a text holds."""
    if holds in SETTINGS_FILES:
        return SETTINGS_FILES.load(str(holds))
    return _SYSCTL_FILE if holds == "sysctl" else None


def files(case: EvidenceSet) -> Iterator[Finding]:
    """Files of settings by names that nothing reads."""
    for state in case.of_kind("file"):
        file = _file(state.values.get("holds"))
        if file is None or _FOLDERS.match(state.name):
            continue
        right = meant(state.name, file.files)
        if right is None:
            continue
        count = sum(
            len(other.values) for other in case.of_kind("host") if other.where == state.where
        )
        lost = f", and its {count} settings are lost at the next boot" if count > 1 else ""
        yield _finding(
            state,
            state.name,
            right,
            f"{file.reader} reads no file of the first name{lost}",
            f"`cat {state.name} >> {right}` where the file is really called so, and "
            f"{file.renewed_by}",
            f"`ls {state.name}`; {file.confirm}" if file.confirm else "",
        )


def variables(case: EvidenceSet) -> Iterator[Finding]:
    """Variables of a file of settings that its reader does not know."""
    for state in case.of_kind("file"):
        file = _file(state.values.get("holds"))
        if file is None or file.variables is None:
            continue
        for name, value in state.values.items():
            right = meant(name, file.variables.names) if name.isupper() else None
            if right is not None:
                yield _finding(
                    state,
                    name,
                    right,
                    f"{file.variables.unknown}, and {value} has no effect",
                    f"write {right}={value} into {state.name or 'the file'} and "
                    f"{file.renewed_by}{file.variables.cost}",
                    file.variables.confirm.get(right, ""),
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
_SERVER = "/etc/sysconfig/nfs of RHEL 5 to 7, /etc/default/nfs-kernel-server of Debian 9 to 11"
RULES: tuple[Rule, ...] = (
    Rule("misspelt", "host, nfsd", "A file of settings has a name that nothing reads.",
         f"{_SYSCTL}; {_SERVER}", files),
    Rule("misspelt", "nfsd", "A variable that the NFS server's start does not know.", _SERVER,
         variables),
    Rule("misspelt", "host", "A setting that the kernel does not have.", _SYSCTL, settings),
)  # fmt: skip
