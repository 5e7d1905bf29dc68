"""Writes docs/reference/, docs/validation/rules.md, and pages of what is read in texts alone.

Also src/iosonde/text/outputs.json, by which a search knows what to look for.

docs/reference/ lists the outputs that are read, the rules there are, and where each kind of layer
is named; docs/layers/ceph.md and others (PRINTED) what is read and concluded of technologies that
are no layer; docs/validation/rules.md the cases of tests/contract/rules that every rule is held to.

`python tools/reference.py` writes; `--check` says what is not fresh and ends with 1.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set
from importlib import import_module
from pathlib import Path
from typing import Any

from iosonde.explain.judge import rules
from iosonde.layers import CACHES, KERNEL_MESSAGES, LAYERS, LEDGERS, RULES, TARGETS
from iosonde.layers import OUTPUTS as OF_LAYERS
from iosonde.loads import OUTPUTS as OF_LOADS
from iosonde.monitors import OUTPUTS as OF_MONITORS
from iosonde.monitors import SAMPLERS
from iosonde.records.evidence import Rule
from iosonde.registry import Table
from iosonde.settings import MECHANISMS
from iosonde.text.output_kinds import INDEX, index

ROOT = Path(__file__).parents[1]
EVERY: dict[str, Table[type]] = {"loads": OF_LOADS, "layers": OF_LAYERS, "monitors": OF_MONITORS}
"""Tables of outputs."""
PLACE = ROOT / "docs" / "reference"
LAYER_PAGES = ROOT / "docs" / "layers"
VALIDATION = ROOT / "docs" / "validation"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _outputs() -> str:
    lines = [
        "# Outputs that `iosonde import` reads",
        "",
        "Made from the tables by `make reference`. One file each, beside what it is the output of;",
        "its docstring names the sources.",
        "",
        "| output | tool | what |",
        "| --- | --- | --- |",
    ]
    for folder, table in EVERY.items():
        for name in table:
            module = import_module(table[name].split(":")[0])
            first = _cell((module.__doc__ or "").strip().split("\n\n")[0])
            tool = getattr(table.load(name), "tool", name)
            lines.append(f"| {folder}/{name} | {_cell(str(tool))} | {first} |")
    return "\n".join(lines) + "\n"


PRINTED = {
    "ceph": ("Ceph", "iosonde.layers.ceph", ("iosonde.layers.ceph.",)),
    "esxi": ("ESXi", "iosonde.layers.multipath.findings_esxi",
             ("iosonde.layers.multipath.printed_esxi", "iosonde.layers.multipath.findings")),
    "gluster": ("Gluster", "iosonde.layers.gluster", ("iosonde.layers.gluster.",)),
    "storage_spaces": ("Windows: drives and Storage Spaces", "iosonde.layers.disk.findings_windows",
                       ("iosonde.layers.disk.printed_windows",
                        "iosonde.layers.disk.findings_windows")),
    "swap": ("Swap", "iosonde.layers._mounts.printed_swap",
             ("iosonde.layers._mounts.printed_swap",)),
    "zfs": ("ZFS", "iosonde.layers.zfs", ("iosonde.layers.zfs.",)),
}  # fmt: skip
"""Technologies that are read in texts alone, which have no kind of layer and so no page of one.

Page → title, the module whose docstring says what it is, and how the names of its modules begin.
"""


def _paragraphs(module: str) -> tuple[list[str], str]:
    """What a module's docstring says, and its sources."""
    text = import_module(module).__doc__ or ""
    parts = [" ".join(part.split()) for part in text.split("\n\n")]
    says = [part for part in parts if part and not part.startswith("Source:")]
    return says, "".join(part[8:] for part in parts if part.startswith("Source:"))


def _printed(title: str, about: str, prefixes: tuple[str, ...]) -> str:
    """The page of a technology that is read in texts alone."""
    says, _ = _paragraphs(about)
    readers = {
        table[name]: table.load(name)
        for table in EVERY.values()
        for name in table
        if table[name].startswith(prefixes)
    }
    messages = sum(len(KERNEL_MESSAGES.load(name)) for name in KERNEL_MESSAGES
                   if KERNEL_MESSAGES[name].startswith(prefixes))  # fmt: skip
    concluded = [rule for name in RULES if RULES[name].startswith(prefixes)
                 for rule in RULES.load(name)]  # fmt: skip
    modules = dict.fromkeys(place.partition(":")[0] for place in readers)
    lines = [f"# {title}", "", "Made from the sources by `make reference`.", ""]
    lines += [line for part in says for line in (part, "")]
    lines += ["## What `iosonde import` reads", "", "| output | what |", "| --- | --- |"]
    for module in modules:
        tools = dict.fromkeys(
            str(getattr(reader, "tool", "")) for place, reader in readers.items()
            if place.startswith(f"{module}:")
        )  # fmt: skip
        lines.append(f"| {_cell(', '.join(tools))} | {_cell(_paragraphs(module)[0][0])} |")
    if messages:
        lines.append(f"| the kernel's log | {messages} messages |")
    lines += ["", "## What `iosonde explain` concludes", ""]
    if concluded:
        lines += ["| rule | about | what it looks for | source |", "| --- | --- | --- | --- |"]
        lines += [_row(rule) for rule in concluded]
    else:
        lines.append("Nothing.")
    lines += ["", "## Sources of the readers", ""]
    lines += [f"- {source}" for module in modules if (source := _paragraphs(module)[1])]
    return "\n".join(lines) + "\n"


def _row(rule: Rule) -> str:
    """A rule as a row of a table."""
    cells = (rule.name, rule.about, rule.says, rule.source)
    return f"| {' | '.join(map(_cell, cells))} |"


def _rules() -> str:
    lines = [
        "# Rules of `iosonde explain`",
        "",
        "Made from the tables by `make reference`; `iosonde explain --rules` shows the same.",
        "",
        "| rule | about | what it looks for | source |",
        "| --- | --- | --- | --- |",
    ]
    lines += [_row(rule) for rule in rules()]
    return "\n".join(lines) + "\n"


def _rule_cases() -> str:
    sys.path.insert(0, str(ROOT))
    cases = {case.rule: case for case in import_module("tests.contract.rules").CASES}
    lines = [
        "# Rules, each with a case that fires and a near miss",
        "",
        "Made from `tests/contract/rules` by `make reference`. `tests/contract/test_rules.py` asks",
        "every rule of `iosonde explain` for both: a case in which it has a finding, and one that",
        "looks alike and is right, in which it must not. A rule without them fails.",
        "",
        "| rule | severity | fires | near miss |",
        "| --- | --- | --- | --- |",
    ]
    for rule in rules():
        case = cases[f"{rule.name}.{rule.find.__name__.strip('_')}"]
        severities = dict.fromkeys(
            finding.severity for finding in rule.find(case.case) if finding.rule == rule.name
        )
        cells = (rule.name, ", ".join(severities), case.fires, case.silent)
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _technologies() -> str:
    """Where each kind of layer is named in the package, besides its own folder."""
    sys.path.insert(0, str(ROOT))
    house = import_module("tools.house")
    texts: Mapping[str, str] = house.sources(house.SOURCE)
    named: Mapping[str, Set[str]] = house.named(texts)
    tables: dict[str, Table[Any]] = {
        "LAYERS": LAYERS, "LEDGERS": LEDGERS, "OUTPUTS": OF_LAYERS, "RULES": RULES,
        "MECHANISMS": MECHANISMS, "TARGETS": TARGETS, "CACHES": CACHES, "SAMPLERS": SAMPLERS,
    }  # fmt: skip
    lines = [
        "# Where each kind of layer is named",
        "",
        "Made from the sources by `make reference`. A technology is named in its folder, its",
        "tests, its page and its rows; what else names it is in the last column: as a string that",
        "is its name, in an identifier, or by importing its folder. Prose does not count, nor does",
        "an ordinary word (disk, link, loop) that is the kind of a printed record, a word of what",
        "is read, or a homonym (last table). `make check` refuses what is not listed below.",
        "",
        "| kind | folder | tests | rows | named elsewhere in `src/iosonde` |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind in LAYERS:
        folder = house.home(kind)
        own = f"iosonde.{folder.replace('/', '.')}"
        single = f"{folder}.py" in texts
        rows = [
            f"{name} × {count}" if count > 1 else name
            for name, table in tables.items()
            if (count := sum(f"{table[row]}:".startswith((f"{own}.", f"{own}:")) for row in table))
        ]
        tests = ROOT / "tests" / "unit" / folder
        elsewhere = [path for path, names in named.items() if kind in names]
        cells = (
            f"[{kind}](../layers/{kind}.md)", f"{folder}.py" if single else f"{folder}/",
            f"tests/unit/{folder}/" if tests.is_dir() else "", ", ".join(rows),
            ", ".join(elsewhere),
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    places = [
        (path, name, why) for path, names in house.NAMED.items() for name, why in names.items()
    ]
    lines += [
        "",
        f"## Why the {len(places)} places stay",
        "",
        "| file | kind | why |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {' | '.join(place)} |" for place in places]
    lines += [
        "",
        "## Homonyms",
        "",
        "Ordinary words in modules that cannot mean a kind by them (they lie in another room,",
        "import nothing of the layers, and no name in their code has “kind” in it), and types of",
        "devices as lsblk has them, in a table or a function that is named for types.",
        "",
        "| file | words |",
        "| --- | --- |",
    ]
    lines += [
        f"| {path} | {', '.join(sorted(words))} |"
        for path, words in sorted(house.homonyms(texts).items())
    ]
    return "\n".join(lines) + "\n"


def pages() -> Mapping[Path, str]:
    """File → its text as it should be."""
    return {
        PLACE / "outputs.md": _outputs(),
        PLACE / "rules.md": _rules(),
        PLACE / "technologies.md": _technologies(),
        VALIDATION / "rules.md": _rule_cases(),
        **{LAYER_PAGES / f"{page}.md": _printed(*of) for page, of in PRINTED.items()},
        ROOT / "src" / "iosonde" / "text" / INDEX: index(),
    }


def main() -> int:
    """Write or check."""
    stale = [
        file
        for file, text in pages().items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv:
        for file in stale:
            sys.stderr.write(f"{file.name} is not fresh: `make reference` writes it\n")
        return int(bool(stale))
    PLACE.mkdir(exist_ok=True)
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
