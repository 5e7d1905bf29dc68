"""Root by the real sudo over a real sshd, and what sudo says where it refuses.

`test_hosts.py` runs its whole suite over such a host among the slow tests.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.errors import HostFailed, PermissionMissing, UsageError
from iosonde.hosts import open_host
from iosonde.hosts.become import set_become
from iosonde.hosts.ssh.become import refusal
from tests import sudo
from tests.contract.conftest import gone, until

# sudo's own texts: sudo 1.9.13 (check.c, logging.c, exec.c), sudo-rs 0.2.8, become.sh.
REFUSALS = [
    (b"sudo: a password is required\n", "asks this user for a password"),
    (b"sudo: unable to resolve host a1: Name or service not known\nsudo: a password is required\n",
     "asks this user for a password"),
    (b"sudo: interactive authentication is required\n", "asks this user for a password"),
    (b"sudo: sorry, you must have a tty to run sudo\n", "without a terminal"),
    (b"bob is not in the sudoers file.\nThis incident has been reported.\n", "not name this user"),
    (b"Sorry, user bob is not allowed to execute '/usr/bin/sh -c x' as root on a1.\n",
     "run a shell as root"),
    (b"sudo: I'm sorry bob. I'm afraid I can't do that\n", "run a shell as root"),
    (b'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.\n',
     "no new privileges"),
    (b"sudo: command not found\n", "has no sudo"),
    (b"sudo: account validation failure, is your account locked?\n", "is your account locked"),
    (b"Welcome\nsudo: /etc/sudo.conf is world writable\n", "sudo.conf is world writable"),
]  # fmt: skip
OTHERS = [
    b"",
    b"sudo: unable to resolve host a1: Name or service not known\n",
    b"This account is not available.\n",
    b"bash: a password is required\n",
    b"Ask Bob, who is not in the sudoers' office\n",
]


@pytest.mark.parametrize(("said", "message"), REFUSALS)
def test_a_refusal_says_what_to_do(said: bytes, message: str) -> None:
    problem = refusal("web1", said)
    assert problem is not None
    assert problem.where == "web1"
    assert message in problem.message
    assert problem.hint


@pytest.mark.parametrize("said", OTHERS)
def test_what_sudo_did_not_say_is_no_refusal(said: bytes) -> None:
    assert refusal("web1", said) is None


@pytest.mark.parametrize("address", ["sudo:local", "sudo:lab:n1", "sudo:recording:d", "sudo:"])
async def test_sudo_stands_before_an_address_of_ssh_alone(address: str) -> None:
    with pytest.raises(UsageError, match=r"expected|before the address of a host over ssh"):
        await open_host(address)


@pytest.fixture
def box(sudo_box: sudo.SudoBox, monkeypatch: pytest.MonkeyPatch) -> Iterator[sudo.SudoBox]:
    """The server as sudo comes: USER may do everything without a password."""
    monkeypatch.setenv("HOME", str(sudo_box.sshd.home))
    yield sudo_box
    sudo.allow(sudo_box.sudoers, sudo.ALL)


@contextmanager
def hidden(box: sudo.SudoBox, program: str) -> Iterator[None]:
    """A program is none in the server's mounts; this system keeps it."""
    enter = ["nsenter", "--mount", f"--target={box.sshd.pid}"]
    subprocess.run([*enter, "mount", "--bind", "/dev/null", program], check=True)
    try:
        yield
    finally:
        subprocess.run([*enter, "umount", program], check=True)


@pytest.mark.root
@pytest.mark.parametrize(
    ("sudoers", "message"),
    [
        ("", "asks this user for a password"),
        (f"{sudo.USER} ALL=(ALL) ALL\n", "asks this user for a password"),
        (f"{sudo.USER} ALL=(ALL) NOPASSWD: /bin/true\n", "asks this user for a password"),
        (f"Defaults !authenticate\n{sudo.USER} ALL=(ALL) /bin/true\n", "run a shell as root"),
        ("Defaults !authenticate\n", "not name this user"),
        (f"Defaults requiretty\n{sudo.ALL}", "without a terminal"),
        (f"Defaults runas_default=nobody\n{sudo.ALL}", "number 65534 there; expected root"),
    ],
)
async def test_sudo_itself_refuses(box: sudo.SudoBox, sudoers: str, message: str) -> None:
    sudo.allow(box.sudoers, sudoers)
    with pytest.raises(HostFailed, match=message) as caught:
        await open_host("sudo:box")
    assert caught.value.where == "sudo:box"
    assert caught.value.hint


@pytest.mark.root
async def test_a_host_without_sudo_or_sftp_server_says_so(box: sudo.SudoBox) -> None:
    with hidden(box, "/usr/bin/sudo"), pytest.raises(HostFailed, match="it has no sudo"):
        await open_host("sudo:box")
    host = await open_host("sudo:box")
    with (
        hidden(box, "/usr/lib/openssh/sftp-server"),
        pytest.raises(HostFailed, match="no SFTP server that sudo could run") as caught,
    ):
        await host.read("/etc/shadow")
    assert "openssh-sftp-server" in caught.value.hint
    assert b"root" in await host.read("/etc/shadow")  # it is there again
    await host.close()


@pytest.mark.root
async def test_one_host_is_roots_and_another_name_of_it_is_not(
    box: sudo.SudoBox, tmp_path: Path
) -> None:
    root, plain = await open_host("sudo:box"), await open_host("box")
    assert (await root.run(["id", "-u"])).stdout == b"0\n"
    assert (await plain.run(["id", "-un"])).stdout.decode() == f"{sudo.USER}\n"
    await root.write(str(tmp_path / "made"), b"", mode=0o600)
    assert (tmp_path / "made").stat().st_uid == 0
    with pytest.raises(PermissionMissing, match="sudo:HOST where sudo makes root"):
        await plain.read("/etc/shadow")
    with pytest.raises(HostFailed, match="sudo does not lead there"):
        await root.dial("/run/some.sock")  # type: ignore[attr-defined]
    for host in (root, plain):
        await host.close()


@pytest.mark.root
async def test_the_option_is_for_every_host_over_ssh(box: sudo.SudoBox) -> None:
    set_become(True)
    try:
        host = await open_host("box")
        assert host.name == "box"
        assert (await host.run(["id", "-u"])).stdout == b"0\n"
        await host.close()
        assert (await open_host("local")).name == "local"
    finally:
        set_become(False)


@pytest.mark.root
async def test_a_cut_connection_ends_what_root_runs_there(
    box: sudo.SudoBox, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    host = await open_host("sudo:box")
    process = await host.start(["sh", "-c", f"echo $$ > {pid}; exec sleep 80"])
    assert await until(lambda: pid.exists() and pid.read_text().strip() != "")
    host._connection.abort()  # type: ignore[attr-defined]
    with pytest.raises(HostFailed, match="connection was lost"):
        await process.wait(10)
    assert await until(lambda: gone(int(pid.read_text())))


@pytest.mark.root
async def test_rights_that_are_taken_away_later_are_told(box: sudo.SudoBox) -> None:
    host = await open_host("sudo:box")
    sudo.allow(box.sudoers, "")
    with pytest.raises(HostFailed, match="asks this user for a password"):
        await host.run(["true"])
    await host.close()
