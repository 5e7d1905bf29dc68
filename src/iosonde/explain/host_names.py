"""Names of hosts in a text: a full one and the short one that a prompt shows are one host.

Source: sysstat prints the nodename of uname(2), which may be the full name; bash(1), PROMPTING: the
usual prompt has the name up to the first dot.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from iosonde.records.evidence import (
    CommandEvidence,
    CounterEvidence,
    EvidenceSet,
    StateEvidence,
    TrialEvidence,
)

Named = TypeVar("Named", TrialEvidence, StateEvidence, CounterEvidence, CommandEvidence)


def with_one_name(case: EvidenceSet) -> EvidenceSet:
    """The case, each host by its short name where the text has both and no other host is so called.

    Args:
        case: of one source.
    """
    hosts = {trial.host for trial in case.trials} | {state.host for state in case.states}
    hosts |= {counters.host for counters in case.counters}
    hosts |= {command.host for command in case.commands}
    short = short_names(hosts - {host.name for host in case.hosts})
    if not short:
        return case

    def renamed(records: tuple[Named, ...]) -> tuple[Named, ...]:
        return tuple(
            replace(record, host=short.get(record.host, record.host)) for record in records
        )

    return replace(
        case,
        trials=renamed(case.trials),
        states=renamed(case.states),
        counters=renamed(case.counters),
        commands=renamed(case.commands),
    )


def short_names(hosts: Collection[str]) -> dict[str, str]:
    """Full name → short name, of hosts that both are there of; none that two full names share."""
    full: dict[str, list[str]] = {}
    for host in hosts:
        label, dot, _ = host.partition(".")
        if dot and label in hosts and not label.isdecimal():
            full.setdefault(label, []).append(host)
    return {names[0]: label for label, names in full.items() if len(names) == 1}
