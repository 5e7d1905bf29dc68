"""`pgbench -i`: how long a database took to fill its tables, as counters of the host.

Source: PostgreSQL 17, src/bin/pgbench/pgbench.c, initGenerateDataClientSide() ("%d of %d tuples
(%d%%) done (elapsed %.2f s, remaining %.2f s)"), runInitSteps() ("done in %.2f s (%s).", since 13);
9.x: "%d tuples done.", "set primary keys...".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, compact
from iosonde.text.reader import Items, StateOutput, end_of, top_of_own

_OWN = re.compile(
    r"\s*(?:(?:dropping old|creating|generating|vacuum(?:ing)?|set(?:ting)? primary)"
    r" ?[\w ()-]{0,40}\.{3}"
    r"|NOTICE: {1,2}table \"pgbench_\w{3,12}\" does not exist, skipping"
    r"|\d{1,15} (?:of \d{1,15} )?tuples\b.{0,90}|done(?: in [\d.]{1,12} s .{0,200})?\.?"
    r"|[\d.]{1,8} s(?:, [a-z ]{3,30} [\d.]{1,10} s){0,8}\)\.)\s*$"
)
_TUPLES = re.compile(
    r"of(?P<tuples>\d{1,15})tuples\(100%\)(?:ofpgbench_accounts)?done"
    r"\(elapsed(?P<elapsed>\d{1,9}\.\d{1,6})s"
)
_DONE = re.compile(r"donein(?P<seconds>\d{1,9}\.\d{1,6})s\((?P<steps>[a-z\d.,-]{5,300})\)")
_STEPS = {
    "droptables": "drop_tables", "createtables": "create_tables", "vacuum": "vacuum",
    "client-sidegenerate": "client_side_generate", "foreignkeys": "foreign_keys",
    "server-sidegenerate": "server_side_generate", "primarykeys": "primary_keys",
}  # fmt: skip
_STEP = re.compile(r"(?P<step>[a-z-]{6,24}?)(?P<seconds>\d{1,9}\.\d{1,6})s")


class PgbenchFill(StateOutput):
    tool = "pgbench -i"
    anchors = ("tuples (100%)", "client-side generate", "server-side generate", "(drop tables ")
    commands = ("pgbench",)
    reach = 4
    nothing = "its time is cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _OWN.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _OWN.match, gap=2)
        text = compact(cursor, first, last)
        values: dict[str, Json] = {}
        if tuples := _TUPLES.search(text):
            values |= {"tuples": int(tuples["tuples"]), "fill.seconds": float(tuples["elapsed"])}
        if done := _DONE.search(text):
            values["seconds"] = float(done["seconds"])
            for step in _STEP.finditer(done["steps"]):
                if name := _STEPS.get(step["step"]):
                    values[f"{name}.seconds"] = float(step["seconds"])
        return last, [self.counted("host", "", values, prompt)] if values else []
