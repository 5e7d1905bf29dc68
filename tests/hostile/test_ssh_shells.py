"""Hosts over ssh whose login shell talks before our commands do, or runs none.

Each sshd runs in a private mount namespace with a password file of its own, so that the login shell
and its start-up files are real, and nothing of this machine's user is touched.
"""

from __future__ import annotations

import os
import pwd
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iosonde.errors import HostFailed
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from tests import sshd
from tests.cli.conftest import Ended

pytestmark = pytest.mark.root

_PRIVATE = 'mount --bind "$1" /etc/passwd && shift && exec "$@"'
Box = Callable[..., sshd.Sshd]


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    """Starts an sshd: shell, what its .bashrc says, further lines or changes of sshd_config."""
    running = []

    def start(
        shell: str = "/bin/bash", bashrc: str = "", more: str = "", external_sftp: bool = False
    ) -> sshd.Sshd:
        made = sshd.configure(tmp_path)
        home = tmp_path / "login"
        home.mkdir()
        (home / ".bashrc").write_text(bashrc)
        (home / ".profile").write_text(bashrc)
        name = pwd.getpwuid(os.getuid()).pw_name
        (tmp_path / "passwd").write_text(
            f"{name}:x:0:0:root:{home}:{shell}\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n"
        )
        config = (tmp_path / "sshd_config").read_text().replace("SetEnv SHLVL=2\n", "") + more
        if external_sftp:
            config = config.replace("internal-sftp", "/usr/lib/openssh/sftp-server")
        (tmp_path / "sshd_config").write_text(config)
        within = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c", _PRIVATE,
                  "sh", str(tmp_path / "passwd")]  # fmt: skip
        running.append(sshd.start(made, within))
        monkeypatch.setenv("HOME", str(made.home))
        return made

    yield start
    for process in running:
        process.terminate()
        process.wait(10)


_LOUD = (
    "echo 'Welcome to \x1b[31mthe box\x1b[0m'; printf 'no newline'; echo 'on stderr' >&2\n"
    "printf 'iosonde-0000000000000000-0000000000000000\\n'\n"
)


async def _all_is_read(host: Host, tmp_path: Path) -> None:
    done = await host.run(["printf", "%s\\n", "out"])
    assert (done.stdout, done.stderr) == (b"out\n", b"")
    done = await host.run(["sh", "-c", "cat; echo complaint >&2; exit 3"], stdin=b"in\0\xff",
                          check=False)  # fmt: skip
    assert (done.status, done.stdout, done.stderr) == (3, b"in\0\xff", b"complaint\n")
    assert (await host.run(["true"])).stdout == b""
    odd = tmp_path / "caf\udce9 \u2028\n"
    odd.mkdir()
    (odd / "file").write_bytes(b"content")
    assert (await host.run(["cat", str(odd / "file")])).stdout == b"content"
    assert await host.read(str(odd / "file")) == b"content"
    assert await host.glob(f"{odd.parent}/caf*/file") == (str(odd / "file"),)
    assert await host.resolve(str(odd)) == str(odd)
    await host.write(str(odd / "new"), b"x")
    assert (odd / "new").read_bytes() == b"x"
    await host.remove(str(odd / "new"))
    process = await host.start(["sleep", "60"])
    ended = await process.stop()
    assert ended.status in {-15, 143}


@pytest.mark.parametrize(
    "bashrc",
    ["", _LOUD, "set -x\n", "set -v\n", "yes banner | head -c 300000\n",
     "echo 'export PATH=/usr/bin'; cd /; umask 0\n"],
    ids=["silent", "loud", "traces", "echoes", "long", "directory"],
)  # fmt: skip
async def test_what_a_login_shell_prints_is_not_ours(box: Box, bashrc: str, tmp_path: Path) -> None:
    host = await open_host(box(bashrc=bashrc).address)
    try:
        await _all_is_read(host, tmp_path)
    finally:
        await host.close()


@pytest.mark.parametrize("shell", ["tcsh", "fish", "dash", "zsh"])
async def test_any_login_shell_hands_commands_on(box: Box, shell: str, tmp_path: Path) -> None:
    """csh ends a quote at a line break and knows `!`; fish reads backslashes within quotes."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"needs {shell}")
    made = box(path)
    (tmp_path / "login" / ".cshrc").write_text("echo Welcome; echo again\n")
    host = await open_host(made.address)
    try:
        await _all_is_read(host, tmp_path)
        odd = 'a\'b\\c\\\\d!e !! $HOME `id` "f"\n\tg\\n%b%s ~ * {x,y} é\n'
        assert (await host.run(["printf", "%s", odd])).stdout.decode() == odd
        talk = await host.converse(["sh", "-c", 'read -r x; printf "%s\\n" "$x!"'])
        talk.send(b"a \\ b\n")
        heard = b""
        while part := await talk.receive():
            heard += part
        assert heard.endswith(b"a \\ b!\n")
        await talk.close(5)
    finally:
        await host.close()


async def test_a_loud_host_is_measured_like_any_other(
    box: Box, iosonde: Callable[..., Ended], environment: dict[str, str], tmp_path: Path
) -> None:
    made = box(bashrc=_LOUD)
    environment["HOME"] = str(made.home)
    place = tmp_path / "caf\udce9"
    place.mkdir()
    ran = iosonde("run", "--fio", "fio --name w --rw write --bs 64k --size 1m", "--loops", "1",
                  "--target", f"{made.address}:{place}", "--json")  # fmt: skip
    assert ran.status == 0, ran.stderr
    assert ran.json["trials"][0]["target"].startswith(str(place))
    assert list(place.iterdir()) == []


async def test_a_banner_before_sftp_is_one_sentence_with_what_to_do(box: Box) -> None:
    host = await open_host(box(bashrc="echo Welcome\n", external_sftp=True).address)
    try:
        with pytest.raises(HostFailed, match="prints text at its start, which breaks SFTP: Welc"):
            await host.read("/proc/version")
        assert (await host.run(["echo", "x"])).stdout == b"x\n"
    finally:
        await host.close()


async def test_sftp_of_a_silent_login_shell_works(box: Box) -> None:
    host = await open_host(box(external_sftp=True).address)
    try:
        assert b"Linux" in await host.read("/proc/version")
    finally:
        await host.close()


@pytest.mark.parametrize(
    ("shell", "more", "said"),
    [("/usr/sbin/nologin", "", "status 1: This account is currently not available"),
     ("/bin/false", "", r"status 1 \("),
     ("/bin/true", "", r"status 0 \("),
     ("/bin/bash", "ForceCommand echo 'only backups here'\n", "status 0: only backups here")],
    ids=["nologin", "false", "true", "forced"],
)  # fmt: skip
async def test_a_shell_that_runs_nothing_is_one_sentence(
    box: Box, shell: str, more: str, said: str
) -> None:
    host = await open_host(box(shell, more=more).address)
    try:
        with pytest.raises(
            HostFailed, match=rf"login shell did not run stat and ended with {said}"
        ):
            await host.run(["stat", "/"])
    finally:
        await host.close()


async def test_a_start_up_file_that_exits_is_one_sentence(box: Box) -> None:
    host = await open_host(box(bashrc="echo bye >&2; exit 7\n").address)
    try:
        with pytest.raises(HostFailed, match="ended with status 7: bye"):
            await host.run(["true"])
    finally:
        await host.close()


def test_nologin_ends_with_4(
    box: Box, iosonde: Callable[..., Ended], environment: dict[str, str]
) -> None:
    made = box("/usr/sbin/nologin")
    environment["HOME"] = str(made.home)
    ended = iosonde("run", "--load", "latency", "--target", f"{made.address}:/tmp", "--loops", "1")
    assert ended.status == 4, ended.stderr
    assert ended.stderr.count("iosonde: ") == 1
    assert "login shell did not run" in ended.stderr
    assert "Traceback" not in ended.stderr


async def test_a_command_that_fails_is_still_its_own_failure(box: Box) -> None:
    """Near miss: the shell runs, the command does not exist."""
    host = await open_host(box(bashrc=_LOUD).address)
    try:
        done = await host.run(["no-such-command-here"], check=False)
    finally:
        await host.close()
    assert done.status == 127
    assert b"Welcome" not in done.stdout + done.stderr
