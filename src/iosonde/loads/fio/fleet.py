"""fio's own way to load several hosts at once: `fio --server` on each, one `fio --client`.

The client sends every server its job file, waits until all have understood it, and then tells all
to run. Only the job file travels, so what the guard asks for stands in it, in a first [global]
section: no later one can change it, because `declare` has taken those options out.

Source:
    fio 3.33: client.c, fio_start_all_clients(), handle_iolog(); server.c, init.c; HOWTO,
    "Client/server".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import LoadFailed, UsageError
from iosonde.loads._fleet import SOCKET, Fleet
from iosonde.loads.fio.command import RESULT, command, filename_line
from iosonde.loads.fio.demand import demand_of
from iosonde.loads.fio.job import JOB_FILE, job_of
from iosonde.loads.fio.result import find_document, spoken
from iosonde.records.load import Load, LoadCommand, RawOutput, Target
from iosonde.records.stack import Json

# Paths of unix sockets hold 107 bytes (unix(7)) and fio takes a colon for a port, so the client
# stands in the directory and names them 0, 1, …
_IN_DIRECTORY = 'cd -- "$1" && shift && exec "$@"'
_VERSION = re.compile(r"fio-(\d+\.\d+)")
_SHOWN = 400


class FioFleet(Fleet):
    """See `iosonde.loads._fleet.Fleet`."""

    version = ("fio", "--version")

    @override
    def line(self, said: str) -> str:
        """The protocol changes with most releases, never within 3.33.x."""
        match = _VERSION.search(said)
        if not match:
            raise LoadFailed(f"`fio --version` said {said.strip()[:80]!r}, which names no version")
        return match[1]

    @override
    def check(self, load: Load, *, where: str) -> None:
        """Of `idle-prof` the servers do not tell the client."""
        for argument in job_of(load).arguments:
            if argument.startswith("--idle-prof"):
                raise UsageError(
                    "idle-prof is not reported by fio's servers",
                    where=where,
                    hint="take it out, or say `simultaneous` in place of `together`",
                )

    @override
    def server(self, load: Load, *, directory: str) -> tuple[str, ...]:
        job = job_of(load)
        only_reads = not demand_of(job, where=load.name).writes
        own = [argument for argument in job.arguments if argument != "--readonly"]
        readonly = only_reads or len(own) < len(job.arguments)
        return (
            "fio", *own, *(["--readonly"] if readonly else []), f"--aux-path={directory}",
            f"--server=sock:{directory}/{SOCKET}",
        )  # fmt: skip

    @override
    def client(
        self, load: Load, targets: Sequence[Target], *, directory: str, seconds: float | None
    ) -> LoadCommand:
        singles = [
            command(load, target, directory=directory, seconds=seconds) for target in targets
        ]
        files: dict[str, bytes] = {}
        clients: list[str] = []
        for number, (target, single) in enumerate(zip(targets, singles, strict=True)):
            (text,) = single.files.values()
            job = f"{directory}/{number}.fio"
            files[job] = kerneltext.encoded(_guarded(target)) + text
            clients += [f"--client=sock:{number}", job]
        result = f"{directory}/{RESULT}"
        logs = [path for path in singles[0].outputs if path != result]
        limits = [single.timeout for single in singles]
        bounded = [limit for limit in limits if limit is not None]
        return LoadCommand(
            argv=(
                "sh", "-c", _IN_DIRECTORY, "sh", directory,
                "fio", f"--output={result}", "--output-format=json+", "--eta=never", *clients,
            ),
            files=files,
            outputs=(result, *(f"{log}.{n}" for log in logs for n in range(len(targets)))),
            timeout=max(bounded) if len(bounded) == len(limits) else None,
        )  # fmt: skip

    @override
    def split(self, raw: RawOutput, count: int) -> tuple[RawOutput | None, ...]:
        """Fio marks each part with the server's "hostname", here its number."""
        document = find_document(raw.files.get(RESULT, b"").decode(errors="replace"))
        if document is None:
            return (None,) * count
        said = self.complaints(raw)
        return tuple(_part(document, raw.files, str(number), said) for number in range(count))

    @override
    def complaints(self, raw: RawOutput) -> str:
        texts = [raw.files.get(RESULT, b""), raw.stdout, raw.stderr]
        lines = [line.strip() for text in texts for line in spoken(text.decode(errors="replace"))]
        return " / ".join(dict.fromkeys(line for line in lines if line))[:_SHOWN]


def _guarded(target: Target) -> str:
    """The section that holds the job to its target."""
    return f"[global]\n{filename_line(target.path)}\nallow_file_create=0\n"


def _part(
    document: Mapping[str, Json], files: Mapping[str, bytes], number: str, said: str
) -> RawOutput | None:
    """The jobs, disks and logs of one server."""
    jobs = _of_server(document.get("client_stats"), number)
    if not jobs:
        return None
    parts: dict[str, Json] = {
        key: value
        for key, value in document.items()
        if key not in {"client_stats", "disk_util", "jobs"}
    }
    own = {**parts, "client_stats": cast("Json", jobs),
           "disk_util": cast("Json", _of_server(document.get("disk_util"), number))}  # fmt: skip
    failed = any(job.get("error") for job in jobs)
    ending = f".{number}"
    logs = {
        name.removesuffix(ending): content
        for name, content in files.items()
        if name != RESULT and name.endswith(ending)
    }
    job = files.get(f"{number}.fio")
    return RawOutput(
        status=int(failed),
        stdout=b"",
        stderr=kerneltext.encoded(said) if failed else b"",
        files={
            RESULT: json.dumps(own, indent=1).encode(),
            **({} if job is None else {JOB_FILE: job}),
            **logs,
        },
    )


def _of_server(listed: Json, number: str) -> list[dict[str, Json]]:
    """Those of a list that one server sent; the sum that the client makes is nobody's."""
    if not isinstance(listed, list):
        return []
    return [
        entry
        for entry in listed
        if isinstance(entry, dict)
        and entry.get("hostname") == number
        and entry.get("jobname") != "All clients"
    ]
