"""A real PostgreSQL server of the tests' own, on loopback, gone when they end."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

_PATIENCE = 60.0  # seconds until a server answers


def _programs() -> Path:
    paths = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    assert paths, "install the Debian package postgresql"
    return paths[-1].parent


def _as_postgres(argv: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *argv]


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty database; the server ends with the context."""
    directory = Path(tempfile.mkdtemp(prefix="iosonde-postgresql-"))
    as_user = _as_postgres if os.getuid() == 0 else list
    if os.getuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(directory, account.pw_uid, account.pw_gid)
    programs, port = _programs(), free_port()
    try:
        cluster = directory / "cluster"
        initdb = [f"{programs}/initdb", "-D", str(cluster), "-U", "tester", "-A", "trust", "-N"]
        subprocess.run(as_user(initdb), check=True, capture_output=True, cwd=directory)
        options = ["-h", "127.0.0.1", "-p", str(port), "-k", str(directory), "-F"]
        with (directory / "log").open("wb") as log:
            postgres = subprocess.Popen(
                as_user([f"{programs}/postgres", "-D", str(cluster), *options]),
                stdout=log, stderr=log, cwd=directory,
            )  # fmt: skip
        try:
            _wait(programs, port, directory)
            yield f"postgresql://tester@127.0.0.1:{port}/postgres"
        finally:
            postgres.send_signal(signal.SIGINT)
            postgres.wait(20)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _wait(programs: Path, port: int, directory: Path) -> None:
    ready = [f"{programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.05)
    raise AssertionError((directory / "log").read_text())
