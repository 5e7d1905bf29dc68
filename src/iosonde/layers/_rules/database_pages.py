"""Pages of a database that are not as it wrote them: what is below it changed or lost them.

Source: PostgreSQL 18, documentation: Data Checksums; zero_damaged_pages and
ignore_checksum_failure; pg_checksums, which needs a server that was shut down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_OUTSIDE = re.compile(r"^.*/(?=(?:base|global|pg_tblspc)/)")
"""The data directory before a file's name: only pg_checksums prints it."""
_COUNTS = ("damaged_pages", "bad_checksums", "checksum_failures", "zeroed_pages")


def _count(thing: CounterEvidence, name: str) -> int:
    value = thing.values.get(name)
    return value if isinstance(value, int) else 0


def _damaged_pages(case: EvidenceSet) -> Iterator[Finding]:
    """Pages that PostgreSQL found damaged, once for each host."""
    hosts: dict[tuple[str, str], list[CounterEvidence]] = {}
    for thing in case.counted("PostgreSQL"):
        if any(_count(thing, name) for name in _COUNTS):
            hosts.setdefault((thing.host, thing.source), []).append(thing)
    for (host, _), things in hosts.items():
        yield _finding(host, things)


def _finding(host: str, things: list[CounterEvidence]) -> Finding:
    pages = {
        _OUTSIDE.sub("", page) for thing in things
        if isinstance(listed := thing.values.get("pages"), list)
        for page in listed if isinstance(page, str)
    }  # fmt: skip
    most = max(max(_count(thing, name) for name in _COUNTS[:2]) for thing in things)
    count = max(len(pages), most)
    what = "a page" if count == 1 else f"{count or 'some'} pages"
    files = sorted({page.rpartition(":")[0] for page in pages})
    of = f" of {', '.join(files[:3])}{' and others' if len(files) > 3 else ''}" if files else ""
    lost = sum(_count(thing, "zeroed_pages") for thing in things)
    zeroed = " It filled some with zeros: their rows are lost where they were written back."
    return Finding(
        rule="checksum-errors",
        severity="error",
        subject=f"{host}: PostgreSQL" if host else "PostgreSQL",
        message=f"PostgreSQL read {what}{of} with a wrong checksum or header: what was read is not "
        f"what it wrote there.{zeroed if lost else ''}",
        evidence=tuple(
            Evidence(name, value, "", thing.where)
            for thing in things for name in _COUNTS if (value := _count(thing, name))
        ),
        remedy="stop the server and copy its data directory before anything else, and leave "
        "zero_damaged_pages off; look for the cause in the kernel's log, the drives, their write "
        "cache, memory, and copies that were made while it ran; then restore from a backup, or "
        "from a standby whose own check is clean",
        confirm="`pg_checksums --check` on the server, shut down, says \"Bad checksums: 0\"",
    )  # fmt: skip


RULES = (
    Rule("checksum-errors", "postgresql", "Pages of PostgreSQL that are not as it wrote them.",
         "PostgreSQL documentation, Data Checksums, pg_checksums", _damaged_pages),
)  # fmt: skip
