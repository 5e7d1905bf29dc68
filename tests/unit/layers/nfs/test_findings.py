"""Rules about NFS servers, exports, mounts and journals: each fires once and is silent once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.explain.judge import findings as judged
from iosonde.layers.ext4 import findings as journal
from iosonde.layers.nfs import findings as nfs
from iosonde.layers.nfs import findings_server as nfsd
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar
from iosonde.text.document import of_bytes
from tests.mangle import counters
from tests.unit.explain.cases import trial

OUTPUTS = Path(__file__).parents[3] / "outputs"
OLD = OUTPUTS / "linux-2.6.18-nfs"
NEW = OUTPUTS / "linux-6.1-nfs"


def case_of(*files: Path) -> EvidenceSet:
    """What is found in some outputs, as one text."""
    text = "\n\nthen\n\n".join(file.read_text() for file in files)
    return of_document(of_bytes("page", text.encode()))[0]


def state(kind: str, name: str = "", host: str = "", /, **values: Scalar) -> StateEvidence:
    return StateEvidence(kind, name, host, values, "page:1", "page")


def lossy(name: str, **values: Scalar) -> StateEvidence:
    return StateEvidence(
        "export", name, "", {**values, "async": True, "sync": False}, "page:1", "page"
    )


def sole_finding(find: Callable[[EvidenceSet], Iterable[Finding]], case: EvidenceSet) -> Finding:
    (output,) = find(case)
    return output


def figures(finding: Finding) -> dict[str, Scalar]:
    return {evidence.what: evidence.value for evidence in finding.evidence}


def test_all_threads_busy_by_the_histogram() -> None:
    finding = sole_finding(nfsd.all_busy, case_of(OLD / "nfsd.txt"))
    assert (finding.rule, finding.severity) == ("nfsd-threads", "warning")
    assert finding.message == (
        "All 128 threads of the NFS server were busy at once 931,051 times, for 1935.5 s in sum, "
        "35 times as long as 90 % or more but not all: calls that came then waited, and how many "
        "more threads they would have kept busy cannot be seen."
    )
    assert figures(finding)["time all were busy"] == 1935.526
    share = figures(finding)["share of the time when 10 % or more were busy"]
    assert share == pytest.approx(0.0342, abs=1e-4)
    assert "echo 256 > /proc/fs/nfsd/threads" in finding.remedy
    assert "128 MiB more memory" in finding.remedy


@pytest.mark.parametrize("line", [
    "th 8 0 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000",
    "th 64 12 9000.100 800.000 70.000 20.000 9.000 8.000 4.000 3.000 1.000 0.200",
])  # fmt: skip
def test_threads_that_suffice(line: str) -> None:
    (counted,) = counters(line)
    case = EvidenceSet(
        counters=(CounterEvidence("nfsd", "nfsd", "", "", counted.values, "page:1", "page"),)
    )
    assert list(nfsd.all_busy(case)) == []


def test_pools_whose_threads_are_all_busy() -> None:
    old = list(nfsd.no_idle_thread(case_of(NEW / "pool_stats-2.6.30.txt")))
    assert [finding.subject for finding in old] == ["nfsd pool 0"]  # pool 1 waits for 0.3 %
    # those enqueued, less the ones for which threads were waking already
    assert figures(old[0])["share that found none idle"] == pytest.approx(
        (412_077 - 20_310) / 1_840_322
    )
    new = sole_finding(nfsd.no_idle_thread, case_of(NEW / "nfsd.txt", NEW / "pool_stats.txt"))
    # here every packet is enqueued, and only those that woke no thread waited
    assert new.message == (
        "Of 3,095 arrivals at pool 0 of the NFS server, 958 (31 %) found no idle thread and had to "
        "wait for one."
    )
    assert "echo 16 > /proc/fs/nfsd/threads" in new.remedy


def test_pools_with_idle_threads_and_few_arrivals() -> None:
    values = {"packets-arrived": 9000, "sockets-enqueued": 9000, "threads-woken": 8999}
    idle = CounterEvidence("pool_stats", "nfsd", "pool 0", "", values, "page:1", "page")
    few = CounterEvidence(
        "pool_stats", "nfsd", "pool 0", "", {"packets-arrived": 10}, "page:1", "page"
    )
    assert list(nfsd.no_idle_thread(EvidenceSet(counters=(idle, few)))) == []


def test_byte_counters_that_wrapped() -> None:
    reads, writes = nfsd.wrapped(case_of(OLD / "nfsd.txt"))
    assert (reads.rule, reads.severity) == ("counter-wrap", "warning")
    assert figures(reads)["bytes per READ"] == pytest.approx(11.124, abs=1e-3)
    assert figures(writes)["bytes per WRITE"] == pytest.approx(9.812, abs=1e-3)
    least = figures(reads)["bytes at the least"]
    assert isinstance(least, int)
    assert least % 2**32 == 4_191_757_345 % 2**32
    assert 376_819_530 * 512 <= least < 376_819_530 * 512 + 2**32
    assert reads.message == (
        "3.90 GiB for 376,819,530 READs are 11.1 bytes each, which cannot be: the byte counter has "
        "32 bits and began again at 0 after every 4 GiB; if each moved only 512 bytes, that was 44 "
        "times, and the true amount is 180 GiB or more."
    )


def test_byte_counters_that_hold() -> None:
    assert list(nfsd.wrapped(case_of(NEW / "nfsd.txt"))) == []


def test_an_interface_s_counter_that_wrapped() -> None:
    def link(size: int) -> EvidenceSet:
        values = {"rx_bytes": size, "rx_packets": 900_000_000, "tx_bytes": 10, "tx_packets": 1}
        return EvidenceSet(
            counters=(CounterEvidence("ifconfig", "link", "eth0", "", values, "page:1", "page"),)
        )

    assert figures(sole_finding(nfsd.wrapped, link(1_200_000_000)))["RX packets"] == 900_000_000
    assert list(nfsd.wrapped(link(900_000_000_000))) == []


def test_reads_against_writes() -> None:
    finding = sole_finding(nfsd.mix, case_of(OLD / "nfsd.txt"))
    assert (finding.rule, finding.severity, finding.remedy) == ("read-write-mix", "note", "")
    assert finding.message == "The clients' calls for data are 86.5 % READs and 13.5 % WRITEs."
    assert figures(finding)["share of WRITEs"] == pytest.approx(58_706_883 / 435_526_413)
    assert list(nfsd.mix(EvidenceSet())) == []


def test_reads_against_writes_on_a_raid_level_with_a_divided_cache() -> None:
    case = case_of(OLD / "nfsd.txt")
    set_ = EvidenceSet(
        counters=case.counters,
        states=(
            state("hwraid", "cciss/c0d1", raid_level="raid5"),
            state("controller", "slot2", slot=2, cache_read_share=0.75, cache_write_share=0.25),
        ),
    )
    finding = sole_finding(nfsd.mix, set_)
    assert finding.message == (
        "The clients' calls for data are 86.5 % READs and 13.5 % WRITEs; on RAID 5, where a small "
        "write costs 4 disk I/Os, writes are 38.4 % of the disks' work; the controller keeps 75 % "
        "of its cache for reads."
    )
    assert "cacheratio=25/75" in finding.remedy


@pytest.mark.parametrize(
    ("state_evidence", "text"),
    [(state("md", "md0", level="raid4"), "on RAID 4, where a small write costs 4 disk I/Os"),
     (state("lvm", "vg/data", segment_type="raid5_ls"), "on RAID 5, where a small write costs 4"),
     (state("hwraid", "c0/v1", raid_level="RAID6"), "on RAID 6, where a small write costs 6"),
     (state("md", "md0", level="raid0"), ""),  # a write there is a write
     (state("md", "md0", level="linear"), "")],
)  # fmt: skip
def test_writes_are_counted_at_the_level_s_own_cost(
    state_evidence: StateEvidence, text: str
) -> None:
    case = EvidenceSet(counters=case_of(OLD / "nfsd.txt").counters, states=(state_evidence,))
    message = sole_finding(nfsd.mix, case).message
    assert text in message if text else "disk I/Os" not in message


def test_an_export_that_loses_data() -> None:
    case = EvidenceSet(states=(lossy("/srv", clients="10.0.0.0/24", rw=True),))
    finding = sole_finding(nfs.unsafe_export, case)
    assert (finding.severity, finding.subject) == ("error", "/srv")
    assert "before they are on stable storage (async)" in finding.message


def test_an_export_to_everybody() -> None:
    wide, slow = sorted(nfs.unsafe_export(case_of(OLD / "exports.txt")), key=lambda x: x.severity,
                        reverse=True)  # fmt: skip
    assert (wide.severity, slow.severity) == ("warning", "note")
    assert "all clients are one user" in wide.message
    assert "waits for stable storage (sync)" in slow.message
    assert figures(wide) == {"clients": "*", "insecure": True, "all_squash": True}
    root = state("export", "/srv", clients="*", rw=True, no_root_squash=True)
    assert (
        "may write as root" in sole_finding(nfs.unsafe_export, EvidenceSet(states=(root,))).message
    )


def test_an_export_with_a_blank_before_its_options() -> None:
    case = of_document(of_bytes("page", b"/srv trusted (rw)\n"))[0]
    finding = sole_finding(nfs.unsafe_export, case)
    assert finding.severity == "error"
    assert "A blank stands between trusted and its options" in finding.message


@pytest.mark.parametrize(
    ("values", "alarms"),
    [
        ({"sec": "krb5p"}, 0),
        ({"sec": "krb5i:krb5"}, 0),
        ({"xprtsec": "mtls"}, 0),
        ({"sec": "krb5:sys"}, 1),
        ({"sec": "sys"}, 1),
        ({"xprtsec": "tls:mtls"}, 1),
        ({"sec": "krb5p", "async": True}, 1),
    ],
)
def test_everybody_who_proves_who_he_is(values: dict[str, Scalar], alarms: int) -> None:
    state_evidence = state("export", "/srv", clients="*", rw=True, **values)
    assert len(list(nfs.unsafe_export(EvidenceSet(states=(state_evidence,))))) == alarms


def test_a_safe_export() -> None:
    safe = state("export", "/srv", clients="10.0.0.0/24", rw=True, sync=True, wdelay=True)
    public = lossy("/iso", clients="*", ro=True)
    assert list(nfs.unsafe_export(EvidenceSet(states=(safe, public)))) == []


@pytest.mark.parametrize("values", [
    {"server": "localhost"}, {"server": "127.0.0.1"}, {"server": "node1"},
    {"server": "10.0.0.1", "address": "10.0.0.1", "clientaddr": "10.0.0.1"},
])  # fmt: skip
def test_a_mount_of_the_host_s_own_export(values: dict[str, Scalar]) -> None:
    finding = sole_finding(nfs.loopback, EvidenceSet(states=(own_mount(**values),)))
    assert (finding.rule, finding.severity, finding.subject) == ("loopback-nfs", "note", "/mnt")


def own_mount(where: str = "node1", /, **values: Scalar) -> StateEvidence:
    return replace(state("nfs", "/mnt", "node1", **values), where=where)


def test_a_text_that_measures_nothing_on_such_a_mount() -> None:
    mount = own_mount("page:4", server="localhost")
    assert list(nfs.loopback(EvidenceSet(states=(mount,)))) == []
    load = replace(trial({"write.iops": [9.0]}), target="/mnt/f", source="page", host="node1")
    assert list(nfs.loopback(EvidenceSet(trials=(load,), states=(mount,))))
    elsewhere = replace(load, target="/srv/f")
    assert list(nfs.loopback(EvidenceSet(trials=(elsewhere,), states=(mount,)))) == []


def test_a_mount_of_another_host() -> None:
    values: dict[str, Scalar] = {"server": "10.0.0.2", "address": "10.0.0.2",
                                 "clientaddr": "10.0.0.1"}  # fmt: skip
    assert list(nfs.loopback(EvidenceSet(states=(own_mount(**values),)))) == []


def test_a_word_in_the_place_of_two_addresses_says_nothing() -> None:
    values: dict[str, Scalar] = {"server": "SERVER", "address": "IP", "clientaddr": "IP"}
    assert list(nfs.loopback(EvidenceSet(states=(own_mount(**values),)))) == []


def test_over_datagrams_a_call_is_as_large_as_it_can_be() -> None:
    udp = state("nfs", "/mnt", read_size=32_768, write_size=32_768, protocol="udp")
    finding = sole_finding(nfs.small_transfers, EvidenceSet(states=(udp,)))
    assert "(rsize and wsize), the most that NFS over UDP carries: 1 MiB" in finding.message
    assert finding.remedy.startswith("mount it with proto=tcp")


def test_of_a_list_of_mounts_nobody_knows_who_chose_the_sizes() -> None:
    listed = state("nfs", "/mnt", read_size=32_768, write_size=32_768, protocol="tcp",
                   address="10.0.0.2")  # fmt: skip
    remedy = sole_finding(nfs.small_transfers, EvidenceSet(states=(listed,))).remedy
    assert "if they are among them" in remedy
    assert "max_block_size" in remedy
    asked = state("nfs", "/mnt", read_size=32_768, write_size=32_768)
    assert (
        "max_block_size"
        not in sole_finding(nfs.small_transfers, EvidenceSet(states=(asked,))).remedy
    )


@pytest.mark.parametrize(("line", "exports"), [
    ("/home (rw,nosuid,nodev)", 0),
    ("/boot (rw)", 0),
    ("/var/tmp (rw,noatime,sync)", 0),
    ("/srv (rw,no_root_squash)", 1),
    ("/srv *(rw)", 1),
    ("/srv *(rw,nosuid)", 1),
    ("/srv 10.0.0.4 (rw,sync)", 1),
    ("/srv    10.0.0.4        (rw,sync)", 0),
])  # fmt: skip
def test_how_a_partition_is_to_be_mounted_is_no_export(line: str, exports: int) -> None:
    case = of_document(of_bytes("page", f"Partitions:\n\n{line}\n".encode()))[0]
    assert len(list(case.of_kind("export"))) == exports


def test_mounts_that_move_little() -> None:
    small = state("nfs", "/mnt", read_size=32_768, write_size=8192)
    finding = sole_finding(nfs.small_transfers, EvidenceSet(states=(small,)))
    assert "8 KiB in one call (rsize and wsize): 1 MiB takes 128 calls" in finding.message
    large = state("nfs", "/mnt", read_size=65_536, write_size=1 << 20)
    assert list(nfs.small_transfers(EvidenceSet(states=(large,)))) == []
    none = state("nfs", "/mnt", read_size=0, write_size=0)
    assert list(nfs.small_transfers(EvidenceSet(states=(none,)))) == []


def test_one_connection_over_a_fast_link() -> None:
    def case(connections: int, speed: int) -> EvidenceSet:
        mount = StateEvidence(
            "nfs",
            "/mnt",
            "n",
            {"connections": connections, "protocol": "tcp"},
            "page:1",
            "page",
            below=("eth0",),
        )
        return EvidenceSet(states=(mount, state("link", "eth0", "n", speed=speed)))

    assert (
        "one connection over a link"
        in sole_finding(nfs.one_connection, case(1, 3_125_000_000)).message
    )
    assert list(nfs.one_connection(case(4, 3_125_000_000))) == []
    assert list(nfs.one_connection(case(1, 125_000_000))) == []


def test_options_that_do_nothing_or_lose_data() -> None:
    mount = state("nfs", "/mnt", noatime=True, soft=True)
    idle, soft = nfs.without_effect(EvidenceSet(states=(mount,)))
    assert (idle.severity, soft.severity) == ("note", "warning")
    assert idle.message.startswith("noatime has no effect on the NFS mount /mnt")
    assert list(nfs.without_effect(EvidenceSet(states=(state("nfs", "/mnt", hard=True),)))) == []


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("nolock,vers=3", ["hold on this client alone (nolock): programs"]),
        ("nolock", ["(nolock), if it is of NFS 3 or older (NFS 4 does not follow nolock)"]),
        ("nolock,vers=4.2", []),
        ("nolock,vers=3,ro", []),
        ("noac,vers=4", ["keeps no attributes and writes at once (noac"]),
        ("actimeo=0,hard,lock", []),
    ],
)
def test_locks_and_attributes_of_a_mount(options: str, parts: list[str]) -> None:
    line = f"10.0.0.9:/vol /backup nfs hard,proto=tcp,{options} 0 0\n"
    case = of_document(of_bytes("fstab", line.encode()))[0]
    said = list(nfs.locks_and_attributes(case))
    assert [finding.severity for finding in said] == ["note"] * len(parts)
    assert all(part in finding.message for part, finding in zip(parts, said, strict=True))


def test_a_journal_that_takes_data() -> None:
    finding = sole_finding(journal.double_write, case_of(OLD / "fstab.txt"))
    assert (finding.rule, finding.subject) == ("journal-double-write", "/mnt/nfs")
    assert "writes all data twice" in finding.message
    ordered = state("ext4", "/srv", data="ordered")
    assert list(journal.double_write(EvidenceSet(states=(ordered,)))) == []


def test_a_real_mount_of_an_own_export_is_told_by_all_that_is_known() -> None:
    case = case_of(NEW / "mountstats.txt")
    assert "nfs-mount" in {finding.rule for finding in judged(case)}
    live = replace(case, states=tuple(replace(each, where="node1") for each in case.states))
    assert "loopback-nfs" in {finding.rule for finding in judged(live)}
