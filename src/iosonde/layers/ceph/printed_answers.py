"""What single commands of Ceph answer of a pool or of a daemon.

`ceph osd pool get` and `set`, lines that grep chose of `ceph osd dump` and of a daemon's `config
show`, whose longest values people break.

The name of the pool or of the daemon stands in the command alone, which is why that is looked for.

Source: Ceph 0.80 to 19, mon/OSDMonitor.cc (preprocess_command(), "osd pool get": "NAME: VALUE";
prepare_command_pool_set(): "set pool ID NAME to VALUE"), osd/OSDMap.cc (OSDMap::print()),
common/config.cc (show_config(): each option as a text).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers.ceph.facts import SECRET
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import PartlyReadItems, StateOutput, close_lines

_POOL_ASKED = re.compile(
    r"\bceph (?:-[\w-]{1,20}(?:[= ]\S{1,80})? ){0,3}osd pool (?P<verb>get|set) "
    r"(?P<pool>[\w.:{}-]{1,100}) (?P<name>[a-z_]{2,40})(?:\s|$)"
)
_GOT = re.compile(r"\s*(?P<name>[a-z_]{2,40}): (?P<value>\S{1,80})\s*$")
_SET = re.compile(r"\s*set pool (?P<id>\d{1,9}) (?P<name>[a-z_]{2,40}) to (?P<value>\S{1,80})\s*$")
_MAP_ASKED = re.compile(r"\bceph (?:\S{1,40} ){0,3}osd dump ?\| ?(?:sudo )?[ef]?grep ")
_RATIO = re.compile(
    r"\s*(?P<name>full_ratio|backfillfull_ratio|nearfull_ratio) (?P<value>\d\.\d{1,9}|\d)\s*$"
)
_CONFIG_ASKED = re.compile(
    r"\bceph (?:daemon|tell) (?P<daemon>[a-z]{2,12}\.[\w.*-]{1,60}) config show ?\| ?[ef]?grep "
)
_OPTION = re.compile(r"\s*\"(?P<name>[a-z][a-z0-9_]{2,80})\": \"(?P<value>[^\"]{0,2000})\",?\s*$")
_BEGUN = re.compile(r"\s*\"[a-z][a-z0-9_]{2,80}\": \"[^\"]{1,400}$")
_PIECES = 8  # lines of a value
_NUMBER = re.compile(r"0|[1-9]\d{0,17}")
_RATE = re.compile(r"\d{1,9}\.\d{1,9}")
_MOST = 400


class CephAnswers(StateOutput):
    tool = "ceph"
    answers = True
    anchors = ("osd pool get ", "osd pool set ", "osd dump |", "osd dump|", " config show")
    commands = ("ceph", "microceph.ceph")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        below = cursor.at + 1
        pairs = next(_answers(cursor.line(cursor.at), cursor, below), None)
        return below if pairs else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        asked = cursor.line(first - 1)
        values: dict[str, Scalar] = {}
        last = first
        for index, name, text in _answers(asked, cursor, first):
            last = index
            if not SECRET.search(name):
                values[name] = _value(text)
        if pool := _POOL_ASKED.search(asked):
            subject = ("ceph_pool", pool["pool"])
        elif config := _CONFIG_ASKED.search(asked):
            subject = ("ceph_daemon", config["daemon"])
        else:
            subject = ("ceph", "ceph")
        return last, [PrintedSubject(*subject, values, prompt.host)] if values else []


def _answers(asked: str, cursor: TextCursor, first: int) -> Iterator[tuple[int, str, str]]:
    """Index, name and value of each line that answers a command; none where it asked otherwise."""
    pool = _POOL_ASKED.search(asked)
    if pool:
        form = _GOT if pool["verb"] == "get" else _SET
    elif _CONFIG_ASKED.search(asked):
        form = _OPTION
    elif _MAP_ASKED.search(asked):
        form = _RATIO
    else:
        return
    begun, pieces = "", 0
    for index, line in close_lines(cursor, first, _MOST):
        text = begun + line.strip()
        match = form.match(text)
        if prompt_in(line) or pieces > _PIECES:
            return
        if match is None and form is _OPTION and _BEGUN.match(text):
            begun, pieces = text, pieces + 1
            continue
        begun, pieces = "", 0
        if match is None:
            return
        if pool and pool["name"] not in {"all", match["name"]}:
            return
        yield index, match["name"], match["value"]


def _value(text: str) -> Scalar:
    if text in {"true", "false"}:
        return text == "true"
    if _NUMBER.fullmatch(text):
        return int(text)
    return float(text) if _RATE.fullmatch(text) else text
