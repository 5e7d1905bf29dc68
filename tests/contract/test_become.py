"""Root by the real sudo and doas over a real sshd, and what they say where they refuse.

`test_hosts.py` runs its whole suite over such a host among the slow tests.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from iosonde.errors import HostFailed, PermissionMissing, UsageError
from iosonde.hosts import open_host
from iosonde.hosts.become import set_become
from iosonde.hosts.packages import install_hint
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
# doas's own: OpenDoas 6.8.2 and 6.0 (doas.c, pam.c), become.sh.
DOAS_REFUSALS = [
    (b"doas: Authentication required\n", "its doas asks this user for a password"),
    (b"doas: Authorization required\n", "its doas asks this user for a password"),
    (b"doas: a tty is required\n", "its doas asks this user for a password"),
    (b"doas: Operation not permitted\n", "its doas.conf does not let this user"),
    (b"doas: doas is not enabled, /etc/doas.conf: No such file or directory\n",
     "has no /etc/doas.conf"),
    (b"doas: command not found\n", "it has no doas"),
    (b"doas: syntax error at line 1\n", "its doas runs nothing: syntax error at line 1"),
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


@pytest.mark.parametrize(("said", "message"), DOAS_REFUSALS)
def test_a_refusal_of_doas_says_what_to_do(said: bytes, message: str) -> None:
    problem = refusal("web1", said, "doas")
    assert problem is not None
    assert message in problem.message
    assert "sudoers" not in f"{problem.message} {problem.hint}"
    assert problem.hint


@pytest.mark.parametrize("said", OTHERS)
def test_what_sudo_did_not_say_is_no_refusal(said: bytes) -> None:
    assert refusal("web1", said) is None


@pytest.mark.parametrize(
    "address", ["sudo:local", "sudo:lab:n1", "sudo:recording:d", "sudo:", "doas:local"]
)
async def test_sudo_stands_before_an_address_of_ssh_alone(address: str) -> None:
    with pytest.raises(UsageError, match=r"expected|before the address of a host over ssh"):
        await open_host(address)


@pytest.fixture
def box(sudo_box: sudo.SudoBox, monkeypatch: pytest.MonkeyPatch) -> Iterator[sudo.SudoBox]:
    """The server as sudo comes: USER may do everything without a password."""
    monkeypatch.setenv("HOME", str(sudo_box.sshd.home))
    yield sudo_box
    sudo.allow(sudo_box.sudoers, sudo.ALL)
    sudo_box.doas_conf.write_text(sudo.DOAS_ALL)


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A directory that USER can enter, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@contextmanager
def mounted(box: sudo.SudoBox, what: Path, over: str) -> Iterator[None]:
    """Something stands in place of a path in the server's mounts; this system keeps its own."""
    enter = ["nsenter", "--mount", f"--target={box.sshd.pid}"]
    subprocess.run([*enter, "mount", "--bind", str(what), over], check=True)
    try:
        yield
    finally:
        subprocess.run([*enter, "umount", "--lazy", over], check=True)


def hidden(box: sudo.SudoBox, program: str) -> AbstractContextManager[None]:
    """A program is none in the server's mounts."""
    return mounted(box, Path("/dev/null"), program)


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
        (f"Defaults lecture=always\n{sudo.USER} ALL=(ALL) ALL\n", "asks this user for a password"),
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


DOAS = pytest.mark.skipif(shutil.which("doas") is None, reason="needs doas")


@DOAS
@pytest.mark.root
async def test_doas_makes_root_for_commands_files_and_conversations(
    box: sudo.SudoBox, tmp_path: Path
) -> None:
    host = await open_host("doas:box")
    assert host.name == "doas:box"
    done = await host.run(["sh", "-c", "id -u; cat; exit 3"], stdin=b"in\0", check=False)
    assert (done.status, done.stdout) == (3, b"0\nin\0")
    await host.write(str(tmp_path / "made"), b"x", mode=0o600)
    assert (tmp_path / "made").stat().st_uid == 0
    assert b"root" in await host.read("/etc/shadow")
    talk = await host.converse(["sh", "-c", 'read -r x; printf "%s %s" "$x" "$(id -u)"'])
    talk.send(b"heard\n")
    heard = b""
    while part := await talk.receive():
        heard += part
    assert heard == b"heard 0"
    await talk.close(5)
    pid = tmp_path / "pid"
    process = await host.start(["sh", "-c", f"echo $$ > {pid}; exec sleep 80"])
    assert await until(lambda: pid.exists() and pid.read_text().strip() != "")
    assert (await process.stop()).status in {-15, 143}
    assert gone(int(pid.read_text()))
    await host.close()


@DOAS
@pytest.mark.root
@pytest.mark.parametrize(
    ("conf", "message"),
    [
        ("", "does not let this user run a shell as root"),
        (f"permit {sudo.USER} as root\n", "asks this user for a password"),
        (f"permit nopass {sudo.USER} as root cmd true\n", "does not let this user"),
        ("permit nopass\n", "its doas runs nothing: syntax error at line"),
    ],
)
async def test_doas_itself_refuses(box: sudo.SudoBox, conf: str, message: str) -> None:
    box.doas_conf.write_text(conf)
    with pytest.raises(HostFailed, match=message) as caught:
        await open_host("doas:box")
    assert caught.value.where == "doas:box"
    assert caught.value.hint


@pytest.mark.root
async def test_a_sudo_that_prints_a_banner_is_used_like_any_other(
    box: sudo.SudoBox, open_place: Path
) -> None:
    """What a wrapper, or a module of PAM, prints before the command is dropped."""
    real = open_place / "sudo"
    shutil.copy("/usr/bin/sudo", real)
    real.chmod(0o4755)
    wrapper = open_place / "wrapper"
    wrapper.write_text(f'#!/bin/sh\necho All is logged.\necho Beware. >&2\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    with mounted(box, wrapper, "/usr/bin/sudo"):
        host = await open_host("sudo:box")
        done = await host.run(["sh", "-c", "id -u; echo bad >&2"])
        assert (done.stdout, done.stderr) == (b"0\n", b"bad\n")
        assert b"root" in await host.read("/etc/shadow")
        await host.close()
        sudo.allow(box.sudoers, "")
        with pytest.raises(HostFailed, match="asks this user for a password"):
            await open_host("sudo:box")


@pytest.mark.root
async def test_a_secure_path_hides_nothing_of_usr_local(box: sudo.SudoBox, tmp_path: Path) -> None:
    """That of RHEL has no /usr/local/bin, where a fio of one's own is installed."""
    place = tmp_path / "local"
    place.mkdir()
    (place / "fio").write_text("#!/bin/sh\necho fio-9.9\n")
    (place / "fio").chmod(0o755)
    sudo.allow(box.sudoers, f'Defaults secure_path="/sbin:/usr/sbin:/bin"\n{sudo.ALL}')
    with hidden(box, "/usr/bin/fio"), mounted(box, place, "/usr/local/bin"):
        host = await open_host("sudo:box")
        assert (await host.run(["fio", "--version"])).stdout == b"fio-9.9\n"
        talk = await host.converse(["fio", "--version"])
        assert await talk.receive() == b"fio-9.9\n"
        await talk.close(5)
        await host.close()


@pytest.mark.root
async def test_a_tool_outside_of_secure_path_is_told_so(box: sudo.SudoBox, tmp_path: Path) -> None:
    with hidden(box, "/usr/bin/fio"):
        host = await open_host("sudo:box")
        hint = await install_hint(host, "fio")
        assert hint.endswith("install fio, or name its directory in secure_path there by `visudo`")
        await host.close()
        plain = await open_host("box")
        assert "secure_path" not in await install_hint(plain, "fio")
        await plain.close()


@pytest.mark.root
async def test_a_socket_of_roots_lets_the_user_in_and_nobody_else(
    box: sudo.SudoBox, open_place: Path
) -> None:
    place = open_place / "own"
    place.mkdir(mode=0o700)
    path = place / "some.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o777)  # as fio has it
        listener.listen()
        host = await open_host("sudo:box")
        _, writer = await host.dial(str(path))  # type: ignore[attr-defined]
        writer.close()
        await host.close()
    assert (path.stat().st_uid, path.stat().st_mode & 0o777) == (sudo.NUMBER, 0o600)
    assert (place.stat().st_uid, place.stat().st_mode & 0o777) == (0, 0o710)


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
