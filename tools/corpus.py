"""Measures `import` on real documents: `python -m tools.corpus TEXTS [--held-back] [--json]`.

What each document says was written down by reading, before it was imported, and stands in
tests/corpus/*.yaml. The texts are other people's and are not kept here: TEXTS is a folder that
holds them as KEY.*, KEY being the first twelve hex digits of the SHA-256 of the document's id.

A third of the documents is held back by its key and only ever measured; one that was looked at
all the same says so (`opened`), and is worked with since. Of each output:

- right: a record of the import stands at its lines and says every figure that was written down;
- wrong: a record names the same figure with another value;
- partly: a record stands there and lacks a figure;
- unread: an entry of `unread` stands at its lines;
- lost: nothing stands there.

A finding is judged by reading as well (tests/corpus/findings.yaml); unjudged ones are listed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from iosonde.errors import IosondeError
from iosonde.verbs.explain import explain
from iosonde.verbs.import_ import import_
from tools.corpus_messages import says_message
from tools.corpus_units import duration_of, says_in_units

ROOT = Path(__file__).parents[1]
TRUTHS = ROOT / "tests" / "corpus"
JUDGED = "findings.yaml"
_HELD_BACK = 3
_RECORDS = ("trials", "captures", "counters", "loads")
_OUTCOMES = ("right", "wrong", "partly", "unread", "lost")

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one output of a document."""

    key: str
    tool: str
    line: int
    outcome: str
    why: str = ""


@dataclass(slots=True)
class Measured:
    """What import and explain made of one document."""

    document: Json
    size: int
    seconds: float
    outcomes: list[Outcome] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)


def documents(held_back: bool | None) -> list[Json]:
    """The documents that were read; of the third that is held back, of the rest, or all."""
    yaml = YAML(typ="safe")
    read = [
        document
        for file in sorted(TRUTHS.glob("*.yaml"))
        if file.name != JUDGED
        for document in yaml.load_all(file)
        if document
    ]
    for document in read:  # YAML takes some keys for numbers
        document["key"] = hashlib.sha256(document["id"].encode()).hexdigest()[:12]
    return [
        document for document in read if held_back is None or is_held_back(document) == held_back
    ]


def is_held_back(document: Json) -> bool:
    """Whether a document belongs to the third that is only measured; not since it was `opened`."""
    return int(document["key"], 16) % _HELD_BACK == 0 and "opened" not in document


def measure(document: Json, text: Path) -> Measured:
    """Imports a document as its author would, and compares."""
    start = time.monotonic()
    imported = _imported(str(text))
    measured = Measured(document, text.stat().st_size, time.monotonic() - start)
    outputs = document.get("outputs") or ()
    for at, output in enumerate(outputs):
        last = int(output.get("last") or output["line"])
        following = outputs[at + 1]["line"] if at + 1 < len(outputs) else math.inf
        measured.outcomes.append(
            judged(document["key"], output, int(output["line"]), last, following, imported)
        )
    measured.extra = (
        [
            f"{record['tool']}:{record['source']['first_line']}"
            for name in _RECORDS
            for record in imported.get(name, ())
            if not any(
                _overlap(record, int(output["line"]), int(output.get("last") or output["line"]))
                for output in outputs
            )
        ]
        if len(outputs) < 8
        else []
    )
    explained = _explained(str(text))
    measured.findings = [finding["rule"] for finding in explained.get("findings", ())]
    return measured


def _imported(text: str) -> Json:
    """What `iosonde import --dry-run --json` says; empty where it refuses the document."""
    try:
        return import_(text, dry_run=True).to_json()
    except IosondeError:
        return {}


def _explained(text: str) -> Json:
    """What `iosonde explain --json` says; empty where it refuses the document."""
    try:
        return explain(text).to_json()
    except IosondeError:
        return {}


def judged(
    key: str, output: Json, first: int, last: int, following: float, imported: Json
) -> Outcome:
    """What became of an output."""
    tool = str(output["tool"])
    records = [
        record
        for name in _RECORDS
        for record in imported.get(name, ())
        if _overlap(record, first, last) and record["source"]["first_line"] < following
    ]
    for wanted in output.get("figures") or ():
        if (wrong := _contradiction(wanted, records)) is not None:
            return Outcome(key, tool, first, "wrong", wrong)
    lacking = [
        f"{wanted['name']} = {wanted['value']}"
        for wanted in output.get("figures") or ()
        if not any(_is_said(wanted, record, output.get("kind", "")) for record in records)
    ]
    if records and not lacking:
        return Outcome(key, tool, first, "right")
    for part in imported.get("unread", ()):
        if _overlap(part, first, last):
            return Outcome(key, tool, first, "unread", part["reason"])
    if records:
        return Outcome(key, tool, first, "partly", "; ".join(lacking))
    return Outcome(key, tool, first, "lost")


def _overlap(record: Json, first: int, last: int) -> bool:
    source = record["source"]
    return bool(source["first_line"] <= last and source["last_line"] >= first)


def _contradiction(wanted: Json, records: Sequence[Json]) -> str | None:
    """A metric of the wanted name with another value, where no record has the right one."""
    name, seen = wanted["name"], []
    for record in records:
        for path, value, reach in _values(record):
            if path != f"metrics.{name}":
                continue
            if _says(wanted, value, reach):
                return None
            seen.append(value)
    if not seen:
        return None
    return f"{name} is {', '.join(str(value) for value in seen[:3])}, not {wanted['value']}"


def _values(record: Json) -> Iterator[tuple[str, object, float]]:
    """Every figure and word of a record with its path, and half of the last digit it was read from.

    A metric by its mean, median and loops.
    """
    for name, metric in (record.get("metrics") or {}).items():
        reach = metric.get("precision") or 0.0
        for value in (metric.get("mean"), metric.get("median"), *(metric.get("loops") or ())):
            yield f"metrics.{name}", value, reach
    for name, value in record.items():
        if name not in {"metrics", "source"}:
            yield from ((path, leaf, 0.0) for path, leaf in _leaves(name, value))


def _leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield path, name
            yield from _leaves(f"{path}.{name}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(path, inner)
    else:
        yield path, value


_AMOUNT = re.compile(
    r"(?P<figure>\d+(?:[.,]\d+)?) ?(?P<prefix>[kKmMgGtTpP]?)(?:i?[bB](?:ytes)?)?"
    r"|(?P<share>\d+(?:[.,]\d+)?)%"
)
_COUNTED = re.compile(
    r"(0x[0-9a-f]+|\d[\d.,]* ?[kKmMgGtTpP]?) ?"
    r"(?:x|Celsius|chunks?|pages?|sectors|blocks|bits|rpm|daemons)"
)
_COUNT = re.compile(r"(\d{1,18})(?: sectors| blocks)?")
_PREFIXES = "kmgtp"
_NUMBERED = re.compile(r"(?P<count>\d{1,9}) (?P<what>[a-z]{2,20})")
_OPTION = re.compile(r"(?P<name>[A-Za-z][\w. -]*?) ?(?:=|:(?=[^:]*$)) ?(?P<value>[^=]+)")
_SWITCHES = {
    True: {"true", "on", "yes", "enabled", "y", "1"},
    False: {"false", "off", "no", "disabled", "n", "0"},
}
_ALIKE = {
    "ok": "optimal", "optl": "optimal", "dgrd": "degraded", "onln": "online", "rbld": "rebuild",
}  # fmt: skip
_IN_KIB = ("_kb", ".speed_limit_min", ".speed_limit_max")
"""Settings that the kernel counts in KiB, or KiB/s."""
_SECTOR, _KIB, _LEAST = 512, 1024, 100
"""Units in which tools count; of smaller counts, products are too common to mean anything."""


def _is_said(wanted: Json, record: Json, kind: str = "") -> bool:
    """Whether a record says what was written down: as a value, or a list of it part by part."""
    size = next((value for path, value, _ in _values(record) if path.endswith(".block_size")), 0)
    blocks = (size,) if isinstance(size, int) else ()
    if any(
        _says(wanted, value, reach)
        or _is_multiple(wanted["value"], path, value, blocks)
        or (kind == "counters" and _says_in_units(wanted, value))
        or (path == "command" and _is_operand(wanted, str(value)))
        or _is_switch(wanted, path, value)
        or _is_message(wanted["value"], record["tool"], value)
        for path, value, reach in _values(record)
    ):
        return True
    if says_message(wanted, record):
        return True
    subjects = record.get("subjects") or (record,)
    return isinstance(wanted["value"], str) and any(
        _lists(wanted["value"], tuple(_values(subject))) for subject in subjects
    )


def _is_switch(wanted: Json, path: str, value: object) -> bool:
    """Whether a setting of the same name is on or off: `rotational` 0 is false."""
    named = path.rpartition(".")[2].lower() in str(wanted["name"]).lower().split()
    return (
        isinstance(value, bool) and named and wanted["value"] in {0, 1} and wanted["value"] == value
    )


def _is_message(truth: object, tool: str, value: object) -> bool:
    """Whether a message was written down behind the name of the tool that prints it."""
    name, colon, rest = str(truth).partition(": ")
    return (
        bool(colon) and name == tool.partition(" ")[0] and isinstance(value, str) and rest in value
    )


def _is_multiple(truth: object, path: str, value: object, blocks: Sequence[int]) -> bool:
    """Whether a value in bytes is a count of sectors, KiB or the file system's own blocks."""
    if isinstance(truth, str) and (count := _COUNT.fullmatch(truth)):
        truth = int(count[1])
    if not isinstance(truth, int) or not isinstance(value, int) or isinstance(value, bool):
        return False
    in_kib = path.endswith(_IN_KIB)
    size = value * _KIB if in_kib else value
    named = in_kib or truth >= _LEAST or "block" in path
    if in_kib and size == truth:
        return True
    return truth > 0 and named and any(size == truth * of for of in (_SECTOR, _KIB, *blocks))


def _lists(truth: str, values: Sequence[tuple[str, object, float]]) -> bool:
    """Whether one subject says each part of what was printed as a list of values and options."""
    parts = [part.strip() for part in re.split(r"[,;()\[\]{}]", truth) if part.strip()]
    return bool(parts) and all(
        _is_part(part, values)
        or any(
            len(pieces) > 1 and all(_is_part(piece, values) for piece in pieces)
            for pieces in (part.split(), part.split("/"))
        )
        for part in parts
    )


def _is_part(part: str, values: Sequence[tuple[str, object, float]]) -> bool:
    option = _OPTION.fullmatch(part)
    if option is not None:
        name = re.sub(r"[ -]", "_", option["name"].strip().lower())
        return any(
            re.sub(r"[ -]", "_", path.lower()).endswith(name) and _equals(option["value"], value)
            for path, value, _ in values
        )
    counted = _NUMBERED.fullmatch(part)
    if counted and any(
        counted["what"] in path.rpartition(".")[2].lower().split("_")
        and value == int(counted["count"])
        for path, value, _ in values
    ):
        return True  # "1 up" of `osds_up`
    flag = re.sub(r"[ -]", "_", part.lower())
    return any(
        _equals(part, value) or (value is True and path.rpartition(".")[2].lower() == flag)
        for path, value, _ in values
    )


def _equals(text: str, value: object) -> bool:
    if isinstance(value, bool):
        return text.strip().lower() in _SWITCHES[value]
    if isinstance(value, (int, float)):
        return _says({"value": text}, value)
    plain = _plain(text)
    return any(plain == _plain(word) for word in (str(value), *re.split(r"[\s,]+", str(value))))


def _plain(text: str) -> str:
    word = re.sub(r"[ +_-]", "", text).lower()
    return _ALIKE.get(word, word)


def _says(wanted: Json, value: object, precision: float = 0.0) -> bool:
    """Whether a value is the one that was written down, as exactly as it was printed."""
    truth = wanted["value"]
    if isinstance(truth, bool) or isinstance(value, bool):
        if isinstance(truth, str) and isinstance(value, bool):
            return truth.lower() in _SWITCHES[value] - {"0", "1"}
        return str(truth).lower() == str(value).lower()
    if isinstance(truth, (int, float)) and isinstance(value, (int, float)):
        reach = max(float(wanted.get("step") or 0) + precision, 1e-6 * abs(truth), 1e-12)
        return abs(value - truth) <= reach * 1.000001
    if isinstance(value, (int, float)):
        text = " ".join(str(truth).split()).removeprefix("<")  # LVM's "a bit less than"
        counted = _COUNTED.fullmatch(text)
        text = counted[1].strip() if counted else text
        if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text):
            return int(text, 16) == value
        amount, span = _AMOUNT.fullmatch(text), duration_of(text)
        if amount or span:
            every = [*(_meant(amount) if amount else ()), *((span,) if span else ())]
            return any(abs(value - meant) <= reach * 1.000001 for meant, reach in every)
    return value is not None and _stands_in(truth, str(value), wanted.get("step") or 0)


def _is_named(truth: object, name: str) -> bool:
    """Whether a device that was written down by its path is called so."""
    return (
        isinstance(truth, str) and truth.startswith("/dev/") and truth.removeprefix("/dev/") == name
    )


def _stands_in(truth: object, text: str, step: float) -> bool:
    """Whether a text has what was written down; of a number the whole, not a part of another."""
    if isinstance(truth, (int, float)):
        whole = re.search(rf"(?<![\w.]){re.escape(str(truth))}(?![\w.])", text)
        in_hex = re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text) and int(text, 16) == truth
        return bool(in_hex) or whole is not None or says_in_units(truth, step, text)
    wanted, said = (" ".join(str(words).lower().split()) for words in (truth, text))
    return wanted in said or _is_named(truth, text) or _is_version(wanted, said)


def _is_version(wanted: str, said: str) -> bool:
    """Whether a version was written down with the `v` that its tool prints before it."""
    return re.fullmatch(r"v\d[\w.+~-]*", wanted) is not None and wanted[1:] == said


def _says_in_units(wanted: Json, value: object) -> bool:
    """Whether a counter in bytes is the one that was written down as printed, in KiB or sectors."""
    truth, step = wanted["value"], float(wanted.get("step") or 0)
    if isinstance(truth, bool) or not isinstance(truth, (int, float)):
        return False
    return any(
        _says({"value": truth * unit, "step": step * unit}, value) for unit in (1024, 512) if truth
    )


def _is_operand(wanted: Json, command: str) -> bool:
    """Whether a command gives an option the value that was written down, with a prefix or without.

    A load is a command: `bs=10M` and `--bs 10M` say 10485760.
    """
    for match in re.finditer(rf"(?:^|[\s-]){re.escape(str(wanted['name']))}[= ](\S+)", command):
        amount = _AMOUNT.fullmatch(match[1])
        if str(wanted["value"]) == match[1] or (
            amount
            and isinstance(wanted["value"], (int, float))
            and any(meant == wanted["value"] for meant, _ in _meant(amount))
        ):
            return True
    return False


def _meant(amount: re.Match[str]) -> Iterator[tuple[float, float]]:
    """What an amount with a prefix may be in bytes, or a share as a fraction: value and reach."""
    if share := amount["share"]:
        text = share.replace(",", ".")
        yield float(text) / 100, 0.005 * 10.0 ** -len(text.partition(".")[2])
        return
    text = amount["figure"].replace(",", ".")
    digit = 10.0 ** -len(text.partition(".")[2])
    power = _PREFIXES.find(amount["prefix"].lower()) + 1 if amount["prefix"] else 0
    for base in (1024, 1000):
        yield float(text) * base**power, digit * base**power  # df rounds up by a whole digit


def report(measured: Sequence[Measured], judgements: Mapping[str, Mapping[str, str]]) -> Json:
    """The table of a measurement, as one object."""
    outcomes = Counter(outcome.outcome for document in measured for outcome in document.outcomes)
    by_tool: dict[str, Counter[str]] = {}
    for document in measured:
        for outcome in document.outcomes:
            by_tool.setdefault(outcome.tool, Counter())[outcome.outcome] += 1
    said = Counter(
        judgements.get(document.document["key"], {}).get(rule, "unjudged")
        for document in measured
        for rule in document.findings
    )
    size = sum(document.size for document in measured)
    return {
        "documents": len(measured),
        "results": {name: outcomes[name] for name in _OUTCOMES},
        "tools": {tool: dict(counts) for tool, counts in sorted(by_tool.items())},
        "findings": dict(said),
        "bytes": size,
        "seconds": sum(document.seconds for document in measured),
    }


def main() -> int:
    """Measures and prints; the texts that are missing are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("--held-back", action="store_true", help="the third that is only measured")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--key", help="only the document with this key")
    given = parser.parse_args()
    wanted = documents(None if given.key else given.held_back)
    texts = {file.name[:12]: file for file in given.texts.iterdir()}
    chosen = [
        document
        for document in wanted
        if given.key in (None, document["key"]) and document["key"] in texts
    ]
    measured = [measure(document, texts[document["key"]]) for document in chosen]
    judgements = _judgements()
    result = report(measured, judgements)
    lines = [json.dumps(result, indent=1)] if given.json else [
        *(() if given.held_back else _remarks(measured, judgements)),
        *_table(result),
    ]  # fmt: skip
    sys.stdout.write("\n".join(lines) + "\n")
    if missing := len(wanted) - len(chosen):
        sys.stderr.write(f"{missing} documents have no text in {given.texts}\n")
    return 0


def _judgements() -> Mapping[str, Mapping[str, str]]:
    """Key of a document → rule → true, useless or false, as somebody judged by reading."""
    file = TRUTHS / JUDGED
    return (YAML(typ="safe").load(file) or {}) if file.exists() else {}


def _remarks(
    measured: Sequence[Measured], judgements: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """What is not right in the documents that may be looked into."""
    for document in measured:
        key = document.document["key"]
        for outcome in document.outcomes:
            if outcome.outcome != "right":
                yield f"{key} {outcome.tool} line {outcome.line}: {outcome.outcome}: {outcome.why}"
        if document.extra:
            yield f"{key} beside the truth: {' '.join(document.extra)}"
        for rule in document.findings:
            verdict = judgements.get(key, {}).get(rule, "unjudged")
            if verdict != "true":
                yield f"{key} finding {rule}: {verdict}"


def _table(result: Json) -> Iterator[str]:
    for tool, counts in result["tools"].items():
        yield f"{tool:24} " + "  ".join(f"{name} {count}" for name, count in counts.items())
    for name in ("documents", "results", "findings", "bytes", "seconds"):
        yield f"{name}: {result[name]}"


if __name__ == "__main__":
    sys.exit(main())
