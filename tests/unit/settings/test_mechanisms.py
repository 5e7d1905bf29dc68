"""The mechanisms against this machine's own /sys and /proc, and their pure parsers."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.errors import PermissionMissing
from iosonde.hosts.local import LocalHost
from iosonde.settings import MECHANISMS
from iosonde.settings.host_wide import SYSCTLS, read_host_wide
from iosonde.settings.mechanism import value_of
from iosonde.settings.sysctl import parameter_path
from iosonde.settings.sysfs import Sysfs, parse_attribute


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("none [mq-deadline] kyber bfq\n", "mq-deadline"),
        ("[none] mq-deadline\n", "none"),
        ("none\n", "none"),
        ("128\n", 128),
        ("-1\n", -1),
        ("write back\n", "write back"),
        ("always [madvise] never", "madvise"),
        ("", ""),
    ],
)
def test_attribute(text: str, value: str | int) -> None:
    assert parse_attribute(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20\n", 20),
        ("4096\t131072\t6291456\n", "4096 131072 6291456"),
        ("-1", -1),
        ("1.5", "1.5"),
        ("-", "-"),
        ("Y\n", "Y"),
    ],
)
def test_value(text: str, value: str | int) -> None:
    assert value_of(text) == value


def test_a_slash_in_a_parameter_is_a_dot_in_its_path() -> None:
    assert parameter_path("net.ipv4.conf.eth0/100.forwarding") == (
        "/proc/sys/net/ipv4/conf/eth0.100/forwarding"
    )


async def test_what_a_device_lacks_is_left_out_not_an_error() -> None:
    got = await Sysfs().get(LocalHost(), ["/sys/block/none0/queue/scheduler"])
    assert got == {}


class NoRight(LocalHost):
    """A host whose user may read nothing."""

    def _read(self, path: str) -> bytes:
        raise PermissionMissing(f"{path}: no", where=self.name, hint="run as root")


@pytest.mark.parametrize(("name", "address"), [("sysfs", "/sys/x"), ("sysctl", "vm.x")])
async def test_a_missing_right_is_told(name: str, address: str) -> None:
    got = await MECHANISMS.load(name)().get(NoRight(), [address])
    assert isinstance(got[address], PermissionMissing)


async def test_host_wide_settings_are_those_of_proc() -> None:
    values, gaps = await read_host_wide(LocalHost())
    assert gaps == ()
    for name in SYSCTLS:
        assert str(values[name]) == Path("/proc/sys", *name.split(".")).read_text().strip()


async def test_host_wide_settings_without_the_right_are_unknown_and_gaps() -> None:
    values, gaps = await read_host_wide(NoRight())
    assert set(values.values()) == {None}
    assert len(gaps) == len(SYSCTLS)
    assert gaps[0].remedy == "run as root"
