"""What programs say when a call of the kernel fails: `cat: ./a: Input/output error`.

Only errors that are about storage or a path to it; of others (no such file, permission denied)
a text is full, and they say nothing of a machine.

What libdevmapper says is read whatever the error: it speaks of nothing but storage.

Source: LVM2 2.03, libdm/ioctl/libdm-iface.c (_do_dm_ioctl(): "device-mapper: %s ioctl on %s %s%s%s
failed: %s"); glibc, sysdeps/gnu/errlist.c (texts of errors in English); coreutils, util-linux and
nvme-cli print "program: what: text" or "what: text", strerror(3) last; rsync 3.2, log.c, rsyserr()
puts its number behind it: "text (5)". Errors in other languages
(`text/error_languages.py`) are counted by their English text, messages kept as printed.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.error_languages import TRANSLATED
from iosonde.text.log_lines import log_prefix
from iosonde.text.prose import is_sentence
from iosonde.text.reader import Items, StateOutput

_ERRORS = (
    "Input/output error", "Structure needs cleaning", "Read-only file system", "Stale file handle",
    "No space left on device", "Device or resource busy", "Remote I/O error",
    "Invalid cross-device link", "No such device or address", "Disk quota exceeded",
    "Transport endpoint is not connected", "Exchange full", "Cannot allocate memory",
    "Connection timed out", "Connection refused", "No route to host", "Host is down",
    "No medium found", "Wrong medium type", "Numerical result out of range",
    "Operation not supported", "Inappropriate ioctl for device", "Message too long",
)  # fmt: skip
_ENGLISH = {text: error for error, texts in TRANSLATED.items() for text in texts}
_TEXTS = "|".join(re.escape(text).replace("'", "['’]") for text in (*_ERRORS, *_ENGLISH))
_PROGRAM = r"(?P<program>(?:[\w./~-]{0,80}/)?[a-z][\w.+-]{1,30})"
_SAID = re.compile(
    rf"\s*+(?:{_PROGRAM}: )?(?P<what>\S.{{0,200}}?)?(?:(?<=\S): |(?<=: )|：)"
    rf"(?P<error>{_TEXTS})(?: \(\d{{1,3}}\))?[.。]?\s*$"
)
_MAPPER = re.compile(
    r"\s*(?P<program>device-mapper): (?P<what>[a-z][\w -]{1,30} ioctl on \S.{0,160}?"
    r"|[a-z][\w -]{1,30} ioctl) +failed: (?P<error>[A-Z][\w /-]{2,60})\s*$"
)
_FAILED = re.compile(r"(?i)\b(?:failed|cannot|can't|could not|couldn't|unable|error)\b")
_TELLS = re.compile(r"(?:I|We|You|He|She|They|My|Our|Then|Now|When|And|But|So)\b")
"""A sentence of a person's."""
_NAMED = re.compile(r"['\"«„‘“`][^\s'\"»”’]|(?<!\S)/\w")
"""A file that a message names; in other languages it cannot be told from a sentence otherwise."""
_MOST = 400
_KEPT = 20  # messages


def _anchors() -> tuple[str, ...]:
    """What marks an error in another language, with each apostrophe and colon that texts have."""
    typed = {text.replace("'", sign) for text in _ENGLISH for sign in "'’"}
    wide = {text for text in typed if max(text) > "\u2e80"}
    return (*sorted(f": {text}" for text in typed), *sorted(f"：{text}" for text in wide))


class ProgramErrors(StateOutput):
    tool = "errors of programs"
    anchors = (
        *(f": {error}" for error in _ERRORS), " ioctl on ", *_anchors(),
    )  # fmt: skip
    commands = ()
    reach = 0

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _said(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counts: dict[str, dict[str, int]] = {}
        messages: dict[str, list[str]] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            match = _said(cursor, index)
            if match is None:
                if index > last + 1 or line:
                    break
                continue
            program = (match["program"] or "").rpartition("/")[2]
            errors = counts.setdefault(program, {})
            error = _ENGLISH.get(match["error"].replace("’", "'"), match["error"])
            errors[error] = errors.get(error, 0) + 1
            messages.setdefault(program, []).append(line.strip())
            last = index
        return last, [
            self._counted(program, errors, messages[program], prompt)
            for program, errors in counts.items()
        ]

    def _counted(
        self, program: str, errors: dict[str, int], messages: list[str], prompt: Prompt
    ) -> PrintedCounters:
        """How often each error was said by a program, and the first twenty messages."""
        values: dict[str, Json] = {"errors": dict(errors), "messages": [*messages[:_KEPT]]}
        return self.counted("host", program, values, prompt)


def _said(cursor: TextCursor, index: int) -> re.Match[str] | None:
    """The message of a line: by a program, or of what failed. A line of a log is none."""
    line = cursor.line(index)
    if match := _MAPPER.match(line):
        return match
    match = _SAID.match(line)
    if match is None or prompt_in(line) or log_prefix(cursor.stamped(index)):
        return None
    what = match["what"] or ""
    if what.startswith(("Subject:", "Re:")) or (not match["program"] and _TELLS.match(what)):
        return None
    if not match["program"] and not (_FAILED.search(what) and what[0].isupper()):
        return None
    is_foreign = match["error"] not in _ERRORS and _NAMED.search(what)
    return None if is_sentence(what) and not is_foreign and not _FAILED.search(what) else match
