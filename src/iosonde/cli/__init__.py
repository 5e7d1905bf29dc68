"""The verbs: one file each, imported only when the verb is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS: Table[Callable[..., int | None]] = Table(
    "verb",
    {
        "show": "iosonde.cli.show:show",
        "config": "iosonde.cli.config:config",
        "completion": "iosonde.cli.completion:completion",
        "schema": "iosonde.cli.schema:schema",
        "demo": "iosonde.cli.demo:demo",
        "run": "iosonde.cli.run:run",
        "loads": "iosonde.cli.loads:loads",
        "list": "iosonde.cli.list:list_runs",
        "tag": "iosonde.cli.tag:tag",
        "rm": "iosonde.cli.rm:rm",
        "prune": "iosonde.cli.rm:prune",
        "compare": "iosonde.cli.compare:compare",
        "baseline": "iosonde.cli.baseline:baseline",
        "trend": "iosonde.cli.trend:trend",
        "report": "iosonde.cli.report:report",
        "export": "iosonde.cli.export:export",
        "log": "iosonde.cli.log:log",
        "import": "iosonde.cli.import_:import_files",
        "up": "iosonde.cli.up:up",
        "down": "iosonde.cli.up:down",
        "lab": "iosonde.cli.lab:lab",
        "trace": "iosonde.cli.trace:trace",
        "replay": "iosonde.cli.replay:replay",
        "explain": "iosonde.cli.explain:explain",
        "predict": "iosonde.cli.predict:predict",
        "tune": "iosonde.cli.tune:tune",
        "calibrate": "iosonde.cli.calibrate:calibrate",
        "settings": "iosonde.cli.settings:settings",
        "set": "iosonde.cli.set:set_values",
        "rollback": "iosonde.cli.rollback:rollback",
        "persist": "iosonde.cli.persist:persist",
    },
)

ACTIONS: Table[Callable[..., int | None]] = Table(
    "action",
    {
        "lab up": "iosonde.cli.lab:up",
        "lab list": "iosonde.cli.lab:list_labs",
        "lab ssh": "iosonde.cli.lab:ssh",
        "lab down": "iosonde.cli.lab:down",
        "lab cut": "iosonde.cli.lab:cut",
        "lab kill": "iosonde.cli.lab:kill",
        "lab start": "iosonde.cli.lab:start",
        "lab fail": "iosonde.cli.lab:fail",
        "lab slow": "iosonde.cli.lab:slow",
        "lab heat": "iosonde.cli.lab:heat",
        "lab heal": "iosonde.cli.lab:heal",
        "trace describe": "iosonde.cli.trace:describe",
        "trace convert": "iosonde.cli.trace:convert",
        "trace record": "iosonde.cli.trace:record",
        "trace formats": "iosonde.cli.trace:formats",
        "trace replay": "iosonde.cli.replay:replay",
    },
)
"""Verb and action → its function, which has options of its own."""

SUMMARIES: dict[str, dict[str, str]] = {
    "Look": {
        "show": "the storage stack of hosts, layer by layer, with settings and hazards",
        "explain": "what measurements and settings mean: findings with remedies",
        "import": "what others measured: tool outputs in any text",
    },
    "Measure": {
        "demo": "a first measurement here, in under two minutes, and a page of it",
        "run": "measure a study, or one load at one target",
        "loads": "bundled loads, to use or to copy",
        "replay": "a block trace again at a target, at its times (also: trace replay)",
        "compare": "other runs against a baseline: better, worse, equivalent or undecided",
        "baseline": "runs that others are compared with, by name",
        "trend": "where the runs of a study changed their level",
        "report": "a page to share",
        "list": "the runs in the store: what they reached, what changed",
        "tag": "names and tags of runs, as good as their ids",
        "rm": "remove runs from the store",
        "prune": "remove old runs, after showing which",
        "export": "stored runs as csv, json, parquet or markdown",
    },
    "Change": {
        "tune": "find the best settings in the least device time, and prove them",
        "settings": "what can be set on a host: value now, at boot, kept, allowed",
        "set": "change settings of a host, all of them or none",
        "persist": "keep changed settings over a reboot",
        "rollback": "put back the settings that iosonde changed on a host",
    },
    "Build": {
        "up": "build a declared stack on its hosts",
        "down": "remove what `up` built",
        "lab": "virtual hosts with the real kernel, to build and to break stacks on",
    },
    "Predict": {
        "predict": "what each layer will read and write for a load, and how fast",
        "calibrate": "measure the speed of a device, for `predict`",
        "trace": "block traces: recorded, described, as Parquet",
        "log": "fio's per-I/O logs and traces: percentiles, sizes, grid, seconds",
    },
    "Programs": {
        "config": "the defaults that hold here, and where each comes from",
        "completion": "a script that completes verbs, options and runs in bash, zsh or fish",
        "schema": "the JSON schema of what a verb prints with --json",
    },
}
"""Heading → verb → what it does, in the order of `iosonde --help`."""
