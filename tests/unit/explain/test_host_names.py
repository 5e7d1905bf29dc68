"""The full name of a host and the short one of its prompt."""

from __future__ import annotations

import pytest

from iosonde.explain.host_names import short_names
from iosonde.records.evidence import EvidenceSet
from tests.unit.explain.cases import case_of

IOSTAT = """\
Linux 5.15.0-88-generic ({}) \t08/02/2021 \t_x86_64_\t(8 CPU)

Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
sda               6.00        10.00        50.00     100000     500000

"""
LSBLK = """\
root@web1:~# lsblk
NAME   MAJ:MIN RM   SIZE RO TYPE MOUNTPOINT
sda      8:0    0 100G  0 disk

"""


def hosts_of(case: EvidenceSet) -> set[str]:
    return {state.host for state in case.states} | {counted.host for counted in case.counters}


@pytest.mark.parametrize("text", [
    IOSTAT.format("web1.example.org") + LSBLK, LSBLK + "\n" + IOSTAT.format("web1.example.org"),
    IOSTAT.format("web1") + LSBLK,
])  # fmt: skip
def test_a_full_and_a_short_name_are_of_one_host(text: str) -> None:
    case = case_of(text)
    assert case.counters
    assert hosts_of(case) == {"web1"}


@pytest.mark.parametrize("host", ["web2.example.org", "web10.example.org", "web2"])
def test_hosts_of_other_names_stay_apart(host: str) -> None:
    case = case_of(IOSTAT.format(host) + LSBLK)
    assert hosts_of(case) == {"web1", host}


@pytest.mark.parametrize(("hosts", "short"), [
    ({"web1", "web1.example.org"}, {"web1.example.org": "web1"}),
    ({"web1.example.org"}, {}), ({"web1", "web1.a.org", "web1.b.org"}, {}),
    ({"10", "10.0.0.1"}, {}), ({"", "web1"}, {}),
])  # fmt: skip
def test_which_names_are_short_ones(hosts: set[str], short: dict[str, str]) -> None:
    assert short_names(hosts) == short
