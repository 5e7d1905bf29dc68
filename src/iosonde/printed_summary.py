"""Settings and counters in a few words, for the terminal and pages: the values that tell most.

A health, a state, a level and sizes tell more of a device than its serial number or its UUID, and
they have the same names whatever tool printed them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from iosonde import units
from iosonde.printed_order import BAD, is_in_trouble
from iosonde.records.printed import PrintedState, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.visible import visible, with_name

# In the order in which they are said.
TELLING = (
    "health", "health_checks", "health_status", "health_passed", "smart_problem",
    "critical_warning", "overall_status", "state", "array_state", "volume_state",
    "operational_status", "status", "online", "disk_state", "peer_disk_state", "connection",
    "role", "login", "level", "raid_level", "of", "faulty", "degraded", "missing",
    "failed_paths", "entries_split_brain", "media_errors", "pending_sectors",
    "reallocated_sectors", "sync_share", "sync_speed", "raid_disks", "osds", "osds_up", "paths",
    "model", "product", "server", "media_wear", "unsafe_shutdowns", "iqn", "nqn",
    "data_profile", "metadata_profile", "cipher", "fstype", "vers", "sec", "used_share", "full",
    "size", "used", "free", "available", "segments", "stripes", "copies", "partition_table",
    "format", "blocks", "block_size", "chunk_size", "working_slots", "bricks", "firmware",
    "compression", "compressratio", "recordsize", "target", "policy", "kernel_release",
    "write_policy", "disk_cache", "type",
)  # fmt: skip
_FULL = "used_share"
_IDS = re.compile(
    r"(?:.*_)?(?:uuid|id|wwn|wwid|serial|serial_number|sn|guid|time|date)|below|mounts|report|since_boot"
)
_BYTES = re.compile(  # names that are bytes of every tool; a stripe_cache_size counts pages
    r"(?:(?:used|array|data|device|volume|object|file|block|logical_block|physical_block|sector"
    r"|inode|node|chunk|strip|bucket|extent|allocation_group|journal|log|cache|read|write|scrub"
    r"|region|old|new|printed|contained)_)?size|recordsize|volblocksize|fsavail|(?:Mem|Swap)(?:Total|Free|Available|Cached)|Dirty|Buffers|Cached|Writeback"
    r"|(?:(?:raw|memory|swap|data|metadata|system)_)?(?:used|free|available)|allocated|stored|Slab"
    r"|(?:memory|swap|data|metadata|system)_total|memory_(?:installed|max)|referenced|stripe_width"
    r"|\w+_bytes|bytes_used"
)
_LEAST = 512  # bytes: a smaller size is a number of copies or of characters
TROUBLES = frozenset({
    "degraded", "missing", "failed_paths", "entries_split_brain", "faulty", "media_errors",
    "pending_sectors", "reallocated_sectors",
})  # fmt: skip
"""Said of what is in trouble alone."""
_SHARE = re.compile(r"(?:.*_)?share|full|media_wear|spare|cpu_\w+|util")
_RATES = {"iops": "1/s", "bandwidth": "B/s"}
_SPEED = frozenset({"sync_speed"})
_LATENCY = re.compile(r"(?:.*[._])?(?:latency(?:\.\w+)?|await|time_left)")
_BUSY = ("util", "await", "read.await", "write.await")
"""What iostat and its like say of how busy a device is."""
_BUSY_PROCESS = 0.5  # of a processor
_OF_HOST = (
    "cpu_iowait", "cpu_system", "cpu_user", "cpu_idle", "memory_available", "memory_used",
    "swap_used", "load_1m",
)  # fmt: skip
"""What a host's processors and memory do; how long it has been up tells nothing of its disks."""
_LEAST_SAID = frozenset({"uptime"})
_DONE = ("tps",)
"""What a benchmark of a database is run for: more than a latency, it is its result."""
_SAID = 3  # values of a device
_PHRASES = 12  # of a device, of which those are said that changed
_LONGEST = 40  # characters of a value; a longer one is a sentence
_REASONS = frozenset({"health_checks"})
"""Sentences that the first lines say all the same: why the value before them is what it is."""
_REASON = 100  # characters of them
_MESSAGE = 60  # characters of a message of a log


_SUMS = frozenset({"health", "degraded"})
"""What a pool or a cluster says of all that it stands on."""


def settings_said(state: PrintedState) -> str:
    """What a state says first: `state clean, level raid5, size 2.69 TiB, 24 more settings`.

    Of several devices it is what one of them says: the fullest, one that failed, or the first where
    that stands above the others (`tank: state DEGRADED, 30 more settings`); else how many there are
    of each kind: `4 × disk, 2 × partition, 29 settings`.
    """
    number = sum(len(subject.values) for subject in state.subjects)
    device = first_said(state.subjects)
    said = values_said(device.values) if device else ()
    if device is None or not said:
        kinds = Counter(subject.kind for subject in state.subjects)
        each = [f"{count} × {kind}" for kind, count in kinds.items()] if len(kinds) > 1 else []
        return ", ".join((*each, units.counted(number, "setting")))
    rest = _with_rest(said, number - len(said), "more setting")
    return (
        with_name(visible(device.name), rest) if device.name and len(state.subjects) > 1 else rest
    )


def _with_rest(said: Sequence[str], more: int, what: str) -> str:
    """Values in a row, and how many there are besides."""
    return ", ".join((*said, *([units.counted(more, what)] if more else ())))


def first_said(subjects: Sequence[PrintedSubject]) -> PrintedSubject | None:
    """The device whose values are said; None where no device stands for the others."""
    full = [subject for subject in subjects if isinstance(subject.values.get(_FULL), float)]
    if len(full) > 1:
        return max(full, key=lambda subject: float(str(subject.values[_FULL])))
    sums_up = bool(subjects) and bool(_SUMS.intersection(subjects[0].values))
    if not sums_up and (
        bad := next((subject for subject in subjects if is_in_trouble(subject.values)), None)
    ):
        return bad
    kinds = Counter(subject.kind for subject in subjects)
    return subjects[0] if subjects and kinds[subjects[0].kind] == 1 else None


def counters_in_short(values: Mapping[str, Json]) -> str:
    """`memory total 983 MiB, memory used 248 MiB, 6 more counters`; of lists only how many."""
    said = counted_said(values)
    more = len(values) - len(said)
    if not said:
        return units.counted(more, "counter")
    return _with_rest(said, more, "more counter")


def _busiest(values: Mapping[str, Json]) -> Iterator[str]:
    """The process that takes most of a processor, where one takes half of it or more."""
    listed = values.get("processes")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    shares = [(row.get("cpu"), str(row.get("command"))) for row in rows if row.get("command")]
    most = max(
        ((share, name) for share, name in shares if isinstance(share, float)), default=(0.0, "")
    )
    if most[0] >= _BUSY_PROCESS:
        yield f"{cut(visible(most[1]))} {units.show(most[0], 'fraction')} of a CPU"


def counted_said(values: Mapping[str, Json]) -> Sequence[str]:
    """How busy a device is and how long it takes, then its rates, then what it counts."""
    single = {name: value for name, value in values.items() if not isinstance(value, list | dict)}
    rates = [
        name
        for name in single
        if _unit(name) in {"1/s", "B/s", "s"} and single[name] and name not in _LEAST_SAID
    ]
    busy = [name for name in (*_BUSY, *_DONE) if single.get(name)]
    host = [name for name in _OF_HOST if single.get(name)]
    return (*_busiest(values), *values_said(single, [*busy, *rates, *host]))[:_SAID]


_WORST = ("panic", "fatal", "error", "warning", "warn")
_ERRORS = ("err", "error")
_GRAVEST = (
    re.compile(
        r"read-?only|shut(?:ting)? ?down|remov(?:ing|ed) after|disk failure|offlin|giving up"
        r"|g[ai]ve up|(?:device|controller) (?:is )?(?:dead|gone)|operational on \d+/",
        re.IGNORECASE,
    ),
    re.compile(
        r"i/o error|medium error|unc\b|uncorrect|unrecover|unreadable|timed? ?out|timeout",
        re.IGNORECASE,
    ),
    BAD,
)
"""What became of a device tells more than an error of it, and that more than a reset."""


def messages_said(values: Mapping[str, Json]) -> str:
    """How many messages a program or the kernel left, and the first; empty where it left none.

    Of messages that have a level it is the first of the worst, with the error that it names.
    """
    listed = values.get("messages") or values.get("entries")
    if not isinstance(listed, list) or not listed:
        return ""
    texts = [_message(entry) for entry in listed]
    levels = [str(entry.get("level")) if isinstance(entry, dict) else "" for entry in listed]
    worst = next((level for level in _WORST if level in levels), "")
    text = texts[levels.index(worst)] if worst else _gravest(texts)
    count = units.counted(len(listed), "message")
    grade = f", {levels.count(worst)} of them {worst}" if worst and len(listed) > 1 else ""
    return f"{count}{grade}: {cut(visible(text), _MESSAGE)}"


def _gravest(texts: Sequence[str]) -> str:
    """The message that tells most of what went wrong; the first, where nothing did."""
    for form in _GRAVEST:
        if text := next(filter(form.search, texts), ""):
            return text
    return texts[0]


def _message(entry: Json) -> str:
    """A message, with the error that it names."""
    if not isinstance(entry, dict):
        return str(entry)
    parts = (entry.get("message"), *(entry.get(name) for name in _ERRORS))
    return ": ".join(str(part) for part in parts if part)


def values_said(values: Mapping[str, Scalar], telling: Sequence[str] = TELLING) -> Sequence[str]:
    """Up to three values, those that tell most first; no ids, no sentences, and nothing twice.

    Args:
        values: of one device.
        telling: names in the order of what they tell; the others come in their own order.
    """
    return tuple(phrases_of(values, telling, _SAID).values())


def phrases_of(
    values: Mapping[str, Scalar], telling: Sequence[str] = TELLING, most: int = _PHRASES
) -> Mapping[str, str]:
    """As `values_said`, with the name of each, and up to `most` of them."""
    others = (name for name in values if name not in telling and not _IDS.fullmatch(name))
    names = [
        name for name in (*telling, *others)
        if values.get(name) not in {None, ""} and (values[name] or name not in TROUBLES)
    ]  # fmt: skip
    said, phrases = dict[str, str](), dict[str, str]()
    for name in names:
        text = visible(str(values[name]))
        twice = isinstance(values[name], str) and any(text in other for other in said.values())
        alike = _said(name, values[name])  # health PASSED, and health_passed
        twice = twice or _is_among(alike, phrases.values())
        if not twice and (len(text) <= _LONGEST or (name in _REASONS and most > _SAID)):
            said[name] = text
            phrases[name] = alike
        if len(said) == most:
            break
    return phrases or {name: _said(name, values[name]) for name in names[:1]}


def _is_among(phrase: str, phrases: Iterable[str]) -> bool:
    """Whether a phrase was said already, in whatever case."""
    return phrase.casefold() in map(str.casefold, phrases)


def all_said(values: Mapping[str, Json]) -> str:
    """Every value in the order of the tool, a list as its first and how many there are."""
    return ", ".join(_said(name, value) for name, value in values.items() if value is not None)


def value_words(name: str, value: Json) -> str:
    """A value of a setting or a counter in its unit; of a list the first, and how many.

    Args:
        name: as discovery and readers call it: it tells bytes, shares, rates and times.
        value: in bytes, seconds, 1/s, or as it was printed.
    """
    if isinstance(value, dict):
        return f"[{all_said(value)}]"
    if isinstance(value, list):
        first = value_words("", value[0]) if value else "[]"
        return f"{first}, … ({len(value)})" if len(value) > 1 else first
    if isinstance(value, bool):
        return "yes" if value else "no"
    unit = _unit(name) if isinstance(value, int | float) else ""
    if unit == "B" and float(str(value)) < _LEAST:
        unit = ""
    if unit:
        return units.show(float(str(value)), unit)
    return f"{value:.6g}" if isinstance(value, float) else visible(str(value))


def _unit(name: str) -> str:
    if _BYTES.fullmatch(name):
        return "B"
    if _SHARE.fullmatch(name):
        return "fraction"
    if name in _SPEED:
        return "B/s"
    return (
        "s"
        if name == "uptime" or _LATENCY.fullmatch(name)
        else _RATES.get(name.rpartition(".")[2], "")
    )


def _said(name: str, value: Json) -> str:
    word, text = visible(name), value_words(name, value)
    word = word if word.startswith("_") else word.replace("_", " ")  # `_netdev` is so called
    if isinstance(value, bool):
        if value:
            return word
        if word.startswith("no "):
            return word.removeprefix("no ")
        test = word.removesuffix(" passed")
        return f"no {word}" if test == word else f"{test} not passed"
    way, _, last = word.rpartition(".")
    text = cut(text, _REASON if name in _REASONS else _LONGEST) if isinstance(value, str) else text
    if last in _RATES:
        return f"{way} {text}".lstrip()
    return f"{way} await {text}".lstrip() if last == "await" else f"{word} {text}"


def cut(text: str, most: int = _LONGEST) -> str:
    """A text up to so many characters, with a sign where more of it follows."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
