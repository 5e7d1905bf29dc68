"""What is behind a disk, as a text shows it; and what is said of errors then."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._backing import backing_of
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.stack import Json, Scalar
from iosonde.verbs.explain import explain

ERROR = (
    "[  902.300000] I/O error, dev {}, sector 8 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 0\n"
)


def _state(name: str, kind: str = "disk", host: str = "", **values: Scalar) -> StateEvidence:
    return StateEvidence(kind, name, host, values, "page:1", "page")


def _log(name: str, **values: Json) -> CounterEvidence:
    return CounterEvidence("kernel log", "disk", name, "", values, "page:1", "page")


@pytest.mark.parametrize(("name", "shown", "backing"), [
    ("sda", (), "unknown"),
    ("", (_state("iqn.2003-01.org:x", "iscsi"),), "unknown"),
    ("vda", (), "virtual"),
    ("vda1", (), "virtual"),
    ("ata2.00", (), "drive"),
    ("sda1", (_state("sda", model="QEMU HARDDISK", transport="sata"),), "virtual"),
    ("sda", (_state("sda", model="Virtual disk", vendor="VMware"),), "virtual"),
    ("sda", (_state("sdb", model="Virtual disk", vendor="VMware"),), "unknown"),
    ("sda", (_state("sda", transport="sata", model="ST4000NM0033"),), "drive"),
    ("sda", (_state("sda", transport="sas", vendor="NETAPP", model="X423_HCOBE900A10"),), "drive"),
    ("sda", (_state("sda", vendor="NETAPP", model="LUN C-Mode"),), "lun"),
    ("sda", (_state("sda", transport="fc"),), "lun"),
    ("sda", (_state("sda", hctl="3:0:0:1"), _log("host3", drivers=["iSCSI Initiator over TCP/IP"])),
     "lun"),
    ("sda", (_state("sda", hctl="3:0:0:1"), _log("host30", drivers=["Virtio SCSI HBA"])),
     "unknown"),
    ("sda", (_state("iqn.2003-01.org:x", "iscsi", disks="sdb sda"),), "lun"),
    ("sda", (_state("iqn.2003-01.org:x", "iscsi", disks="sdaa"),), "unknown"),
    ("sdb", (_log("sdb", messages=["sd 2:0:0:0: [sdb] Attached SCSI disk"]),
             _log("2:0:0:0", models=["VMware   Virtual disk"])), "virtual"),
    ("nvme0n1p2", (_log("nvme0", failed_reconnects=2),), "namespace"),
    ("nvme0n1", (_state("nvme0n1", model="Linux"),), "namespace"),
    ("nvme0n1", (_state("nvme0", "nvmeof", transport="tcp"),), "namespace"),
    ("nvme0n1", (_state("nvme0n1", model="Amazon Elastic Block Store"),), "virtual"),
    ("nvme0", (_log("nvme0", timeouts=2),), "unknown"),
    ("nvme10n1", (_log("nvme1", failed_reconnects=2),), "unknown"),
])  # fmt: skip
def test_backing_is_what_the_text_shows(
    name: str, shown: tuple[StateEvidence | CounterEvidence, ...], backing: str
) -> None:
    states = tuple(item for item in shown if isinstance(item, StateEvidence))
    counters = tuple(item for item in shown if isinstance(item, CounterEvidence))
    assert backing_of(EvidenceSet(states=states, counters=counters), _log(name), name) == backing


def test_another_host_s_disk_of_the_name_says_nothing() -> None:
    case = EvidenceSet(states=(_state("sda", host="a", transport="iscsi"),))
    assert backing_of(case, _state("sda", host="b"), "sda") == "unknown"
    assert backing_of(case, _state("sda", host="a"), "sda") == "lun"


@pytest.mark.parametrize(("before", "disk", "holds", "lacks"), [
    ("$ lsscsi\n[3:0:0:1]    disk    LIO-ORG  lun1             4.0   /dev/sdb\n\n", "sdb",
     "iscsiadm", "smartctl"),
    ("", "vdb", "hypervisor", "smartctl"),
    ("[    2.100000] scsi 0:0:0:0: Direct-Access     ATA      ST4000NM0033     GA67 PQ: 0 ANSI: 5\n"
     "[    2.200000] sd 0:0:0:0: [sda] Attached SCSI disk\n", "sda", "its cable", "hypervisor"),
    ("", "sdc", "of a virtual disk", "replace"),
])  # fmt: skip
def test_the_remedy_is_that_of_what_is_behind(
    tmp_path: Path, before: str, disk: str, holds: str, lacks: str
) -> None:
    (tmp_path / "log.txt").write_text(before + ERROR.format(disk))
    (finding,) = explain(str(tmp_path / "log.txt")).findings
    assert holds in finding.remedy
    assert lacks not in finding.remedy
