"""What is concluded from the samples, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.zfs.findings import RULES
from iosonde.text.document import of_bytes

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"


@pytest.mark.parametrize(
    ("name", "findings"),
    [
        ("status", {("degraded", "tank"), ("checksum-errors", "sdb"), ("io-errors", "sdc"),
                    ("misaligned", "sdf")}),
        ("list", {("degraded", "tank"), ("out-of-space", "tank")}),
        ("iostat", set()),
        ("zfs-list", set()),
        ("zfs-get", set()),
    ],
)  # fmt: skip
def test_the_samples(name: str, findings: set[tuple[str, str]]) -> None:
    case, _ = of_document(of_bytes("page", (PLACE / f"{name}.txt").read_bytes()))
    assert {(each.rule, each.subject) for rule in RULES for each in rule.find(case)} == findings


@pytest.mark.parametrize(
    ("vdevs", "reads"),
    [
        (("mirror-0",), ", and reads of what is missing go to the other side of the mirror;"),
        (("raidz2-0",), ", and reads of what is missing are computed from parity;"),
        (("draid1:4d:6c:1s-0",), ", and reads of what is missing are computed from parity;"),
        ((), "it runs with less redundancy;"),
    ],
)
def test_only_parity_is_computed(vdevs: tuple[str, ...], reads: str) -> None:
    rows = "".join(f"\t  {vdev}  DEGRADED  0  0  0\n" for vdev in vdevs)
    text = (
        "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
        f"\ttank  DEGRADED  0  0  0\n{rows}\t    sda  ONLINE  0  0  0\n"
        "\t    sdb  UNAVAIL  0  0  0\n\nerrors: No known data errors\n"
    )
    case, _ = of_document(of_bytes("page", text.encode()))
    (said,) = [each for rule in RULES for each in rule.find(case) if each.rule == "degraded"]
    assert reads in said.message


def degraded(*outputs: str) -> list[str]:
    """What is said of pools in a text of several outputs."""
    case, _ = of_document(of_bytes("page", "\n\n".join(outputs).encode()))
    return [each.message for rule in RULES for each in rule.find(case) if each.rule == "degraded"]


def status(state: str, *rows: str, prompt: str = "") -> str:
    table = "".join(f"\t{row}\n" for row in rows)
    return (
        f"{prompt}  pool: tank\n state: {state}\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
        f"{table}\nerrors: No known data errors\n"
    )


SLOW = (
    "tank  DEGRADED  0  0  0", "  mirror-0  DEGRADED  0  0  0",
    "    sda  DEGRADED  0  0  0  too many slow I/Os", "    sdb  ONLINE  0  0  0",
)  # fmt: skip


def test_a_device_with_errors_or_slow_ios_is_not_missing() -> None:
    (said,) = degraded(status("DEGRADED", *SLOW))
    assert "no device is missing" in said
    assert "of sda (DEGRADED, too many slow I/Os) and goes on using" in said
    assert "redundancy" not in said


def test_a_device_that_is_missing_beside_one_with_errors() -> None:
    (said,) = degraded(status("DEGRADED", *SLOW, "    sdc  REMOVED  0  0  0"))
    assert "reads of what is missing go to the other side of the mirror" in said
    assert said.endswith("not whole: sdc (REMOVED), sda (DEGRADED, too many slow I/Os).")


def test_devices_are_those_of_the_same_output() -> None:
    first = status("DEGRADED", *SLOW, prompt="root@a:~# zpool status\n")
    second = status(
        "DEGRADED", "tank  DEGRADED  0  0  0", "  mirror-0  DEGRADED  0  0  0",
        "    sdc  ONLINE  0  0  0", "    sdb  DEGRADED  0  0  0  too many errors",
        prompt="root@b:~# zpool status\n",
    )  # fmt: skip
    here, there = degraded(first, second)
    assert "sda (DEGRADED" in here
    assert "sdb" not in here
    assert "sdb (DEGRADED" in there
    assert "sda" not in there


@pytest.mark.parametrize("state", ["FAULTED", "UNAVAIL", "REMOVED"])
def test_a_pool_called_online_that_lacks_a_device(state: str) -> None:
    rows = (
        "tank  ONLINE  0  0  0", "  mirror-0  ONLINE  0  0  0", "    sda  ONLINE  0  0  0",
        f"    sdb  {state}  3  80  12  too many errors",
    )  # fmt: skip
    (said,) = degraded(status("ONLINE", *rows))
    assert said.startswith("The pool tank is called ONLINE, but lacks a device")
    assert said.endswith(f"not whole: sdb ({state}, too many errors).")


@pytest.mark.parametrize("section", ["spares", "cache"])
def test_spares_and_caches_that_are_gone_degrade_no_pool(section: str) -> None:
    rows = ("tank  ONLINE  0  0  0", "  sda  ONLINE  0  0  0", section, "  sdd  UNAVAIL  0  0  0")
    assert degraded(status("ONLINE", *rows)) == []


def test_a_pool_that_another_host_imported_whole_is_not_told() -> None:
    scan = "  scan: resilvered 72K in 0 days 00:00:05 with 0 errors on Sat Jan 16 21:38:17 2021\n"
    text = (
        "ann@{}:~$ zpool status\n  pool: tank\n state: {}\n" + scan + "config:\n\n"
        "\tNAME        STATE     READ WRITE CKSUM\n\ttank        {}  0  0  0\n"
        "\t  mirror-0  {}  0  0  0\n\t    sda     ONLINE  0  0  0\n"
        "\t    sdb     {}  0  0  0\n\nerrors: No known data errors\n"
    )
    lost = text.format("db1", *("DEGRADED",) * 3, "FAULTED")
    whole = text.format("db2", *("ONLINE",) * 4)

    def said(given: str) -> set[str]:
        case, _ = of_document(of_bytes("page", given.encode()))
        return {each.rule for rule in RULES for each in rule.find(case)}

    assert said(lost + whole) == set()
    assert said(whole + lost) == {"degraded"}
    assert said(lost + whole.replace("21:38:17", "23:00:00")) == {"degraded"}
