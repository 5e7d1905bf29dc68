"""fio's own record of the requests it makes, one line each.

Source: fio 3.33, iolog.c (`init_iolog_write()`, `log_io_u()`): all jobs append to the file of that
name, each through a buffer of its own, so that lines of several jobs are torn. A line is written
when a request is issued, and takes about 40 bytes.
"""

from __future__ import annotations

from dataclasses import replace

from iosonde.loads.fio.demand import jobs_of
from iosonde.loads.fio.job import effective, job_of
from iosonde.loads.load import REQUESTS
from iosonde.records.load import Load, LoadCommand


def recorded(load: Load, command: LoadCommand, *, directory: str) -> LoadCommand:
    """See `Recording.recorded`; a load of several jobs stays as it is."""
    sections = effective(job_of(load))
    if sum(jobs_of(section, load.name) for section in sections) != 1:
        return command
    path = f"{directory}/{REQUESTS}"
    *options, file = command.argv
    return replace(
        command,
        argv=(*options, f"--write_iolog={path}", file),
        outputs=(*command.outputs, path),
    )
