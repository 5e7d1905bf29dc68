"""What do these measurements, texts and hosts mean?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.contract import ADDED, HIDDEN, VerbResult
from iosonde.errors import StoreFailed, UsageError
from iosonde.explain import judge
from iosonde.explain.gather import of_document, of_run, together
from iosonde.inputs import hint_of_missing
from iosonde.records.evidence import EvidenceSet, Rule
from iosonde.records.finding import Finding
from iosonde.records.printed import Unread
from iosonde.records.sheet import Waterfall
from iosonde.store import has_store, open_store
from iosonde.text.archive import Passed, open_documents
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    import polars

_RUN = re.compile(r"last|[2-9a-hj-km-np-z]{4,8}")
_HOSTS = ("lab:", "recording:", "ssh:", "sudo:", "doas:")
_TEXTS = (".txt", ".md", ".html", ".pdf", ".log")


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """What was recognised in a text but could not be read; or a whole text."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation(VerbResult):
    """Findings, the worst first.

    Figures in the unit named beside them: 1/s, B/s, s, B, fraction, or none.
    """

    SCHEMA = "iosonde.explain/1"
    recognised: int = field(metadata={"schema": {"minimum": 0}, **ADDED})
    """How many trials, states, counter sets and commands were looked at; 0: nothing could be
    judged, and the exit code is 1."""
    findings: tuple[Finding, ...]
    waterfall: tuple[Waterfall, ...]
    """What each layer costs, the base first; empty without --waterfall."""
    unread: tuple[UnreadPart, ...] = field(metadata=ADDED)
    """What was recognised in a text but could not be read."""
    looked_at: Mapping[str, int] = field(metadata=HIDDEN)
    """Trials, settings snapshots, counter sets and commands: how many of each."""
    silent: tuple[str, ...] = field(metadata=HIDDEN)
    """Names in which nothing was recognised."""
    skipped: tuple[Unread, ...] = field(metadata=HIDDEN)
    """Outputs that could not be read."""
    failed: tuple[UsageError, ...] = field(metadata=HIDDEN)
    """Why texts could not be read at all, where others could."""

    def frame(self) -> polars.DataFrame:
        """The findings as a table: rule, severity, subject, message, remedy."""
        import polars

        columns = ("rule", "severity", "subject", "message", "remedy")
        rows = [{name: getattr(finding, name) for name in columns} for finding in self.findings]
        return polars.DataFrame(rows, schema=dict.fromkeys(columns, polars.String))


@dataclass(frozen=True, slots=True)
class RuleList(VerbResult):
    """All rules of `explain`, by name."""

    SCHEMA = "iosonde.rules/1"
    rules: tuple[Rule, ...]


def explain(
    *what: str, waterfall: bool = False, order: Sequence[str] = (), store: str | None = None
) -> Explanation:
    """What is wrong with runs, texts and hosts, how one knows, and what mends it.

    Everything named is explained together.

    Args:
        what: files with outputs of tools, runs of the store, hosts; none: this host.
        waterfall: also what each layer costs, over trials of the same load.
        order: words of the labels of a waterfall, from the bottom up.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: there is no such file or run, or no text could be read.
        HostFailed: a host cannot be reached.
    """
    cases, skipped, failed = _gather(what or ("local",), store)
    case = together(cases.values())
    findings = judge.findings(case)
    looked_at = _looked_at(case)
    return Explanation(
        recognised=sum(looked_at.values()),
        findings=findings,
        waterfall=_waterfalls(case, findings, order) if waterfall or order else (),
        unread=(
            *(UnreadPart(str(part.place), f"{part.tool}: {part.reason}") for part in skipped),
            *(UnreadPart(problem.where, problem.message) for problem in failed),
        ),
        looked_at=looked_at,
        silent=tuple(name for name, of in cases.items() if not any(_looked_at(of).values())),
        skipped=tuple(skipped),
        failed=tuple(failed),
    )


def _waterfalls(
    case: EvidenceSet, findings: Sequence[Finding], order: Sequence[str]
) -> tuple[Waterfall, ...]:
    from iosonde.explain.waterfall import waterfalls  # few ask for it

    return waterfalls(case, findings, order)


def list_rules() -> RuleList:
    """All rules with what they look for and their sources."""
    return RuleList(judge.rules())


def _gather(
    names: Sequence[str], store: str | None
) -> tuple[dict[str, EvidenceSet], list[Unread], list[UsageError]]:
    """The cases of what was named, by name: files that are there, else runs, else hosts.

    Then what could not be read: outputs in texts, and whole texts where others could be read.
    """
    cases: dict[str, EvidenceSet] = {}
    unread: list[Unread] = []
    failed: list[UsageError] = []
    hosts = []
    for name in names:
        if name == "-" or Path(name).exists():
            passed, of_texts = Passed(), []
            try:
                for document in open_documents(name, passed):
                    case, missed = of_document(document)
                    of_texts.append(case)
                    unread += missed
            except UsageError as problem:  # one bad file does not lose the others
                failed.append(problem)
            failed += passed.failed
            if of_texts:
                cases[name] = together(of_texts)
        elif _RUN.fullmatch(name) or _is_run(name, store):
            cases[name] = _stored(name, store)
        elif not name.startswith(_HOSTS) and ("/" in name or name.endswith(_TEXTS)):
            raise UsageError(
                "there is no such file, and it is no run's id",
                where=name,
                hint=hint_of_missing(name),
            )
        else:
            hosts.append(name)
    if hosts:
        from iosonde.explain.host import of_hosts  # texts and runs do without the hosts

        cases[", ".join(hosts)] = run_async(of_hosts(hosts))
    if failed and not cases:
        raise failed[0]
    return cases, unread, failed


def _is_run(name: str, store: str | None) -> bool:
    """Whether the store has a run of this name or tag; a store that does not answer has none.

    Raises:
        UsageError: several runs have the tag.
    """
    if name.startswith(_HOSTS) or "/" in name or not has_store(store):
        return False
    from iosonde.store.store import NoSuchRun

    with suppress(NoSuchRun, StoreFailed):
        kept = open_store(store)
        try:
            return bool(kept.find(name))
        finally:
            kept.close()
    return False


def _stored(name: str, store: str | None) -> EvidenceSet:
    from iosonde.measure.again import read_again  # texts do without measuring
    from iosonde.measure.sheet import sheet

    kept = open_store(store)
    try:
        run = read_again(kept.load(name))
        return of_run(sheet(run), kept.evidence(run.id))
    finally:
        kept.close()


def _looked_at(case: EvidenceSet) -> dict[str, int]:
    """How much there is that rules can look at."""
    return {
        "trial": len(case.trials), "settings snapshot": len(case.states),
        "counter set": len(case.counters), "command": len(case.commands),
    }  # fmt: skip
