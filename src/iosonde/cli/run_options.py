"""The options of `iosonde run`: what is measured, where, how often, and what is done with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FioLoads = Annotated[
    list[str] | None,
    typer.Option(help="A fio command line as pasted, or the path of a .fio job file."),
]
NamedLoads = Annotated[
    list[str] | None, typer.Option(help="A named load; `iosonde loads` lists them.")
]
Targets = Annotated[
    list[str] | None,
    typer.Option(help="Where: a directory, a new scratch file or a device; HOST:/PATH."),
]
RunName = Annotated[
    str | None, typer.Option(help="A name for this run, as good as its id everywhere.")
]
RunTags = Annotated[list[str] | None, typer.Option(help="A tag for this run; may be repeated.")]
Loops = Annotated[int | None, typer.Option(min=1, help="Loops of each trial (5).")]
Until = Annotated[
    str | None,
    typer.Option(help="Loop until the 95 % interval is within this, such as 2%."),
]
MaxSeconds = Annotated[
    str | None,
    typer.Option(help="With --until or --require: give up after this long (10 min)."),
]
Requirements = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'METRIC < LIMIT'",
        help="Pass or fail, such as 'sync.latency.p99 < 10 ms'; loops go on until it is decided.",
    ),
]
LoopSeconds = Annotated[str | None, typer.Option(help="Length of one loop (as the load says).")]
ScratchSize = Annotated[str | None, typer.Option(help="Size of scratch files.")]
Simultaneous = Annotated[
    bool | None, typer.Option("--simultaneous", help="Measure all targets at the same time.")
]
Together = Annotated[
    bool | None,
    typer.Option(
        "--together", help="Measure all targets as one load that fio starts on all hosts."
    ),
]
Interleave = Annotated[
    tuple[str, str] | None,
    typer.Option(
        metavar="A B",
        help="Two targets, loads or settings (LAYER.NAME=VALUE), measured in turns: drift cancels.",
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory limit of a load and its page cache (root)."),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="LAYER.KEY=VALUE",
        help="Value of a key, in place of the one in the study's stack.",
    ),
]
DropCaches = Annotated[
    bool | None, typer.Option("--drop-caches", help="Drop the page cache before (root).")
]
Ledger = Annotated[
    bool | None,
    typer.Option("--ledger", help="Count I/Os of every device of the stack and predict them."),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with an interrupted run (default: the last).")
]
Report = Annotated[Path | None, typer.Option(help="Write an HTML report here.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show the trials and commands; run nothing.")
]
AllMetrics = Annotated[bool, typer.Option("--all", help="Show every metric of every trial.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the run as JSON.")]
