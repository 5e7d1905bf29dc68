"""Faults planted in the product, each of which the simulation must find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from iosonde.change import settings_journal
from iosonde.change.settings_journal import JournalEntry, SettingsJournal

# Name → what the script says, and what it says with the fault.
IN_SCRIPT = {
    "nothing is synced": (
        'cat >>"$journal" && { sync "$journal" "$place" 2>/dev/null || sync; } && return',
        'cat >>"$journal" && return',
    ),
    "the journal's name is not synced": ('sync "$journal" "$place" 2>', 'sync "$journal" 2>'),
    "struck out before it is put back": (
        "    todo=$(entries \"$@\") others=''\n",
        """    todo=$(entries "$@") others=''
    for one; do note "restored$tab$one$tab$(date +%s)$tab$why"; done\n""",
    ),
    "a batch that was put back is confirmed": (
        'confirm)\n    alone\n    [ "$(state_of "$1")" = open ] ||',
        "confirm)\n    alone\n    true ||",
    ),
    "a batch that was put back is changed": ('[ "$(state_of "$number")" = open ] ||', "true ||"),
    "another disk is the same": ('same() { [ -z "$path" ] ||', "same() { true ||"),
    "the newest value is the old one": (
        ' && !seen[$4 FS $7 FS $8]++ { entry[++count] = $2 "/" $3 }',
        ' { key = $4 FS $7 FS $8; if (!(key in seen)) seen[key] = ++count; '
        'entry[seen[key]] = $2 "/" $3 }',
    ),
    "what lasts is forgotten by a reboot": ('[ -n "$some" ]; then', "false; then"),
    # What the simulation found in the product, as it was.
    "what did not fit stays": ('    dd of="$journal"', '    : of="$journal"'),
    "zeros end a line": (
        '$(tail -c 1 "$journal" | wc -l)" -eq 1 ]', '$(tail -c 1 "$journal")" = "" ]'
    ),
    "another disk is changed": ("    same || { echo", "    : || { echo"),
    "one batch after the other is over": (
        "do rows=$end$one$when$nl$rows; done\n    printf '%s' \"$rows\" | append",
        'do note "$end$one$when"; done',
    ),
    "what others set meanwhile is changed": (
        '    if changed_since "$number"; then', "    if false; then"
    ),
    "others are overwritten untold": ('&& ! ours "$@" $(left_by "$entry"); then', "&& false; then"),
}  # fmt: skip
IN_CONTROLLER = (
    "set before it is journalled", "confirmed before it is changed",
    "the script has its name before its content",
)  # fmt: skip
_AS_IT_WAS = 'umask 077 && cat >"$1.new" && chmod 700 "$1.new" && mv "$1.new" "$1" && sync'
NAMES = (*IN_SCRIPT, *IN_CONTROLLER)
SEEDS = {
    "nothing is synced": 0,
    "the journal's name is not synced": 0,
    "struck out before it is put back": 23,
    "a batch that was put back is confirmed": 12,
    "a batch that was put back is changed": 30,
    "another disk is the same": 92,
    "the newest value is the old one": 2,
    "what lasts is forgotten by a reboot": 0,
    "what did not fit stays": 259,
    "zeros end a line": 507,
    "another disk is changed": 2,
    "one batch after the other is over": 429,
    "others are overwritten untold": 3,
    "what others set meanwhile is changed": 32,
    "set before it is journalled": 0,
    "confirmed before it is changed": 0,
    "the script has its name before its content": 2561,
}
"""Of each fault, the first history of seven pasts that shows it."""


@contextmanager
def planted(name: str) -> Iterator[None]:
    """The product has a fault."""
    text = settings_journal.script_text().decode()
    if name in IN_SCRIPT:
        right, wrong = IN_SCRIPT[name]
        assert text.count(right) == 1, f"{name}: {text.count(right)} places"
        faulty = text.replace(right, wrong).encode()
        with patch.object(settings_journal, "script_text", lambda: faulty):
            yield
        return
    begin, confirm = SettingsJournal.begin, SettingsJournal.confirm

    async def set_first(self: Any, owner: str, entries: Sequence[JournalEntry]) -> int:
        for entry in entries:
            if entry.do:
                await self._host.run(entry.do, check=False)
        return await begin(self, owner, entries)

    async def confirm_first(self: Any, number: int, seconds: float) -> str:
        await confirm(self, number)
        return "by a process"

    faulty_method = (
        patch.object(SettingsJournal, "begin", set_first)
        if name == IN_CONTROLLER[0]
        else patch.object(SettingsJournal, "arm", confirm_first)
        if name == IN_CONTROLLER[1]
        else patch.object(settings_journal, "_INSTALL", _AS_IT_WAS)
    )
    with faulty_method:
        yield
