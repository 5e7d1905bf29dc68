"""dd's last lines: how much was copied, and how fast; of several runs in a row each.

A rate is bytes over seconds where the text has both: the rate that dd prints has three digits, the
seconds have six. It is the rate of the operand that is no source or sink of the kernel: `read` into
/dev/null, `write` of /dev/zero; of two files, or where the command is not known, it is `copy`.

Some print no sum (POSIX asks for none): where `time` stands below the records, and the command with
its block size is known, the rate is records × block size over `real`, and said to be `derived`.

Source: coreutils 9.1, src/dd.c, print_xfer_stats(): prefixes of 1000, the seconds as %g, or as
whole ones while it goes on (status=progress); on SIGUSR1 it prints the same lines as at its end.
busybox 1.36, coreutils/dd.c, prints prefixes of 1024 without a blank. FreeBSD 14, bin/dd/misc.c,
summary(), as macOS, NetBSD and OpenBSD: "N bytes transferred in S secs (R bytes/sec)".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from typing_extensions import override

from iosonde import units
from iosonde.errors import UsageError
from iosonde.loads._dd_calls import block_size, calls_of, direction_of, options_of, split_calls
from iosonde.loads._dd_faults import MARKS, ended_by, faults_of, records_below
from iosonde.loads._dd_languages import ANCHORS, in_english
from iosonde.loads._dd_result import DdResult
from iosonde.loads._timing import Timing, timing_at
from iosonde.loads.dd_command import command_above, echo_of_turn, is_loop, of_turn
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, joined, lines, prompt_in

_IN = re.compile(r"(?:\+\d+|^)\s*records in\b")
_RECORDS = re.compile(r"\d+\+\d+ records (?:in|out)")
_RECORDED = re.compile(r"(\d{1,20}\+\d{1,20})records(in|out)")
_DONE = re.compile(
    r"(?P<bytes>\d{1,25})bytes?(?:\([^)]{0,40}\))?(?:copied|transferred),"
    r"(?P<time>\d{1,20}(?:[.,]\d{1,20})?(?:e-?\d{1,3})?)s(?:econds|ec)?,[`*]{0,2}"
    r"(?P<rate>\d{1,20}(?:[.,]\d{1,20})?)(?P<unit>[kKMGT]?)B(?:ytes?)?/s"
)
_BSD = re.compile(
    r"bytestransferredin(\d{1,20}(?:[.,]\d{1,20})?)sec(?:ond)?s?\((\d{1,20}(?:\.\d{1,9})?)bytes/sec\)"
)
_SHORT = re.compile(
    r"\(\d[\d.,]{0,9} ?[kMGT]i?B(?:, \d[\d.,]{0,9} ?[kKMGT]i?B)?\) ?copied, "
    r"(?P<time>\d{1,20}(?:[.,]\d{1,20})?) s, [`*]{0,2}"
    r"(?P<rate>\d{1,20}(?:[.,]\d{1,20})?) ?(?P<unit>[kMGT]?)B/s"
)
"""A result of which somebody kept what stands behind the bytes, such as in a comment."""
_LEFT_OUT = re.compile(
    r"\s*+(?:[:(\[<]?\s*+(?:\.{2,}|…+|snip(?:ped)?|中?略|省略)\s*+[:)\]>]?|:+)\s*", re.IGNORECASE
)
_FIRST = re.compile(r"\d bytes? (?:\(|transferred in (?:\d+\.\d{3,6}(?: secs|$)|$))")
_SUM = re.compile(r"cop|\d bytes transferred in |bytes/sec\)")
_OTHER = re.compile(r"copied, Throughput: ?\d")
"""What `gluster volume top` measured by itself. Source: Gluster, Monitoring Workload."""
_BUSYBOX = re.compile(r"\([\d.]{1,20}[kMG]B\)")
_BARE = re.compile(r"\d{1,18}\+\d{1,18}recordsin\d{1,18}\+\d{1,18}recordsout")
_AFTER_TIME = re.compile(r"(?:^|(?<=[\s;/(]))time\s+(?:-[hlpv]\s+)?")
_ALONE = re.compile(
    r"(?:sudo\s+)?(?:(?:ba|da)?sh\s+-c\s+[\"'])?[({\s]*(?:[\w./]{0,60}/)?dd\s[^;|&]{5,400}"
    r"(?:(?:;|&&)\s*sync\s*)?[\"')};\s]*(?:done\s*)?"
)
"""What is timed is dd, and a sync at most; a loop may stand around both."""
_UNFINISHED = re.compile(r"\d\+\d{1,9}records|\dbytes?")
"""What a report without a speed holds, without its blanks; else it is what people wrote behind."""
_CALL = re.compile(r"(?:^|[\s/])dd\s+(?:if|of|bs|count)=")
_TIMES = re.compile(r"^\s*(?:real|user|sys)\s+[\d.]+m?[\d.]*s?\s*$")
_COMPLAINT = re.compile(r"\s*(?:[^\s:]*/)?dd: ")
"""With conv=noerror dd complains, reports, and goes on."""
_REPEATS = re.compile(r"(?:^|[\s;])(?:for|while|until|xargs|seq|watch)\s")
_PIECES = 9  # lines that one result may go over, blank ones among them
_MOST = 400


class Dd(Output):
    tool = "dd"
    anchors = (
        "records out", "records in", "copied, ", "bytes transferred in ", "dd: error ",
        "dd: writing ", "dd: reading ", "dd: /", *MARKS, *ANCHORS,
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The first of the lines on records, or the sum without them; or what went wrong before."""
        if records_below(cursor, cursor.at):
            return cursor.at
        if _OTHER.search(cursor.line(cursor.at)):
            return None
        first = cursor.at if _shortened(cursor.line(cursor.at)) else None
        for index in range(cursor.at, max(cursor.at - 6, -1), -1):
            line = in_english(cursor.line(index))
            if line and not _RECORDS.search(line) and not _SUM.search(line):
                break
            if line and (_RECORDS.search(line) or _FIRST.search(line)):
                first = index
            if line and _IN.search(line):
                return index
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        if match := _shortened(cursor.line(first)):
            return _of_short(cursor, first, match)
        begin, prompt = command_above(cursor, first)
        results, unread = _results(
            cursor, records_below(cursor, first) or first, turns=is_loop(prompt.command)
        )
        ends, timings = _timings(cursor, results)
        if not prompt.command and len(timings) == 1:
            prompt = Prompt(next(iter(timings.values())).command)
        above = in_english(cursor.line(first - 1) or cursor.line(first - 2))
        is_sure = not unread and not _RECORDS.search(above)
        results, without = _with_rates(results, prompt.command, timings, is_sure=is_sure)
        unread += without
        if not results:
            raise Unreadable("no speed follows")
        last = max(ends, results[-1].last) if results[-1].last in timings else results[-1].last
        kept = _without_progress(results, prompt.command)
        faults = faults_of(cursor, first, [result.last for result in kept], prompt.command)
        errors = ended_by(cursor, first, [result.last for result in kept])
        calls, before = calls_of(prompt.command, len(kept)), _progress(results, kept)
        trials = tuple(
            _trial(
                result,
                of_turn(call, result.echoed),
                prompt,
                timings.get(result.last),
                progress,
                wrong,
                error,
            )
            for result, call, progress, wrong, error in zip(
                kept, calls, before, faults, errors, strict=True
            )
        )
        said = tuple((at, at, "no speed follows") for at in unread if at <= last)
        return OutputReading(begin, last, trials=trials, unread=said)


def _with_rates(
    results: Sequence[DdResult], command: str, timings: Mapping[int, Timing], *, is_sure: bool
) -> tuple[list[DdResult], list[int]]:
    """The results, those of records alone with a rate; and where those begin that get none.

    Where other records stand without a time, the one below them may be of all; and of several the
    command is that of the first, unless it is a loop.
    """
    most = len(results) if _REPEATS.search(command) else 1
    every = [
        _derived(result, command, timings[result.last])
        if result.derived and is_sure and place < most
        else result
        for place, result in enumerate(results)
    ]
    without = [result.first for result in every if not result.rate and result.derived]
    return [result for result in every if result.rate or not result.derived], without


def _derived(result: DdResult, command: str, timing: Timing) -> DdResult:
    """Records that were copied over the time of the command, if that is of this dd alone.

    Source: POSIX.1-2017, dd, STDERR: "records out" counts whole and partial blocks of obs= or bs=.
    """
    timed = _AFTER_TIME.split(command)[-1]
    whole, _, partial = result.records.get("out", "").partition("+")
    (call,) = calls_of(command, 1)
    size = call.get("bs") or call.get("obs") or "512"
    if not _ALONE.fullmatch(timed) or partial != "0" or not timing.real:
        return result
    try:
        amount = int(whole) * block_size(size)
    except UsageError:
        return result
    rate = amount / timing.real
    time, half = f"{timing.real:g}", rate * timing.step / timing.real
    return replace(result, bytes=amount, time=time, rate=rate, step=half)


def _shortened(line: str) -> re.Match[str] | None:
    """A result in a line that does not say how many bytes were copied."""
    english = in_english(line)
    return None if re.search(r"\d bytes?\b", english) else _SHORT.search(english)


def _of_short(cursor: TextCursor, first: int, match: re.Match[str]) -> OutputReading:
    """A result with the command that stands before it in the line, or else above it."""
    before = cursor.line(first).partition("#")
    call = before[0].strip() if before[1] and _CALL.search(before[0]) else ""
    begin, prompt = (first, Prompt(call)) if call else command_before(cursor, first, ("dd",))
    speed, seconds = (match[name].replace(",", ".") for name in ("rate", "time"))
    rate, step = units.printed(speed + match["unit"])
    result = DdResult(0, seconds, rate, step, first, first, {})
    trial = _trial(result, calls_of(prompt.command, 1)[0], prompt)
    return OutputReading(begin, first, trials=(trial,))


def _results(cursor: TextCursor, first: int, *, turns: bool) -> tuple[list[DdResult], list[int]]:
    """Each report up to a line that is no part of one, and where others begin that have no speed.

    It does not matter where their lines were broken. Between those of a loop's turns stands what
    each of them echoes.
    """
    echoed = echo_of_turn(cursor, first - 1) if turns else ""
    results: list[DdResult] = []
    unread: list[int] = []
    start, end, timed, text = first, first, -1, ""
    for index, printed in lines(cursor, first, _MOST):
        line = in_english(printed)
        if index <= timed:
            continue
        if _BARE.fullmatch(text) and (timing := timing_at(cursor, index)):
            records = {way: count for count, way in _RECORDED.findall(text)}
            results.append(DdResult(0, "0", 0.0, 0.0, start, end, records, derived=True))
            timed, text = timing.last, ""
            continue
        if text and (_IN.search(line) or index - start >= _PIECES):
            unread += [start] if _UNFINISHED.search(text) else []
            text = ""
        if not line or (not text and results and _is_beside(line)):
            continue
        if turns and not text and (echo := echo_of_turn(cursor, index)):
            echoed = echo
            continue
        if (index > first and _is_other(line)) or (not text and results and not _begins(line)):
            break
        start, end = start if text else index, index
        text = _BSD.sub(r"bytestransferred,\1s,\2B/s", text + "".join(line.split()))
        while match := _DONE.search(text):
            binary = bool(_BUSYBOX.search(joined(cursor, start, index)))
            records = {way: count for count, way in _RECORDED.findall(text[: match.start()])}
            results.append(_result(match, (start, index), records, echoed, binary=binary))
            text, start = text[match.end() :], index
    if _UNFINISHED.search(text):
        unread.append(start)
    return results, unread


def _is_other(line: str) -> bool:
    return not _is_part(line) or bool(prompt_in(line) or _CALL.search(line))


def _result(
    match: re.Match[str],
    place: tuple[int, int],
    records: Mapping[str, str],
    echoed: str,
    *,
    binary: bool,
) -> DdResult:
    speed, seconds = (match[name].replace(",", ".") for name in ("rate", "time"))
    rate, step = units.printed(speed + match["unit"], binary=binary)
    return DdResult(int(match["bytes"]), seconds, rate, step, *place, records, echoed=echoed)


def _is_beside(line: str) -> bool:
    return bool(_TIMES.match(line) or _LEFT_OUT.fullmatch(line) or _COMPLAINT.match(line))


def _timings(cursor: TextCursor, results: Sequence[DdResult]) -> tuple[int, Mapping[int, Timing]]:
    """What `time` printed below results: by the index of the result's last line.

    And the index of the last line of all, 0 where the last result has none.
    """
    timings: dict[int, Timing] = {}
    last = 0
    for result in results:
        last = 0
        for index in range(result.last + 1, result.last + 4):
            if timing := timing_at(cursor, index):
                timings[result.last], last = timing, timing.last
                break
            if cursor.line(index):
                break
    return last, timings


def _is_part(line: str) -> bool:
    return bool(_RECORDS.search(line) or re.search(r"bytes|copied|B/s|^\s*[\d.]+ [kMGT]?B?", line)
                or re.fullmatch(r"\s*(?:GiB|MiB|KiB|s|B|/|ec|[(),]){1,4}", line))  # fmt: skip


def _begins(line: str) -> bool:
    return bool(_RECORDS.search(line) or re.search(r"\d bytes?\b", line))


def _without_progress(results: Sequence[DdResult], command: str) -> list[DdResult]:
    """The results without what the same run printed while it went on.

    With status=progress these are lines of whole seconds, without the lines on records; on SIGUSR1
    whole reports, of which the amounts of a single call grow.
    """
    kept: list[DdResult] = []
    for result in reversed(results):
        after = kept[0] if kept else None
        going_on = (
            after is not None and not result.counted
            and (after.counted or "status=progress" in command)
            and result.time.isdecimal()
            and result.bytes <= after.bytes and result.seconds <= after.seconds
        )  # fmt: skip
        if not going_on:
            kept.insert(0, result)
    single = len(split_calls(command)) == 1 and not _REPEATS.search(command)
    if single and all(a.bytes < b.bytes and a.seconds < b.seconds for a, b in pairwise(kept)):
        return kept[-1:]
    return kept


def _progress(results: Sequence[DdResult], kept: Sequence[DdResult]) -> list[list[Json]]:
    """What was printed on the way to each of the results that are kept."""
    before: list[list[Json]] = [[]]
    for result in results:
        if len(before) <= len(kept) and result is kept[len(before) - 1]:
            before.append([])
        else:
            before[-1].append(
                {"bytes": result.bytes, "seconds": result.seconds, "bandwidth": result.rate}
            )
    return before[: len(kept)]


def _trial(
    result: DdResult,
    call: Mapping[str, str],
    asked: Prompt,
    timing: Timing | None = None,
    progress: Sequence[Json] = (),
    faults: tuple[str, ...] = (),
    error: str = "",
) -> PrintedTrial:
    direction = direction_of(call)
    name = f"{direction}.bandwidth"
    rate, step = result.exact()
    details: dict[str, Json] = {"bytes": result.bytes} if result.bytes else {}
    details |= {f"records_{way}": count for way, count in result.records.items()}
    details |= {"derived": "records × block size over real"} if result.derived else {}
    if error:
        details["ended_by"] = error
    if result.is_other_than_printed:
        details["printed_bandwidth"] = result.rate
    if progress:
        details["progress"] = list(progress)
    if timing:
        details |= {"real": timing.real, "user": timing.user, "system": timing.system}
    return PrintedTrial(
        tool="dd",
        loops=(replace(LoadResult.of({name: rate}), faults=faults),),
        command=asked.command,
        host=asked.host,
        label=result.echoed,
        target=call.get({"read": "if", "write": "of"}.get(direction, ""), ""),
        elapsed=(result.seconds,) if result.is_consistent else None,
        options=dict(options_of(call, direction)),
        steps={name: step},
        details=details,
    )
