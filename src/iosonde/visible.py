r"""Text for people: what would steer a terminal or mislead the eye is shown as its escape.

Names of jobs, files, hosts and devices and the output of tools are written by others. A terminal
obeys ESC, OSC and C1 controls (ECMA-48); bidirectional overrides and invisible signs make a name
look like another (Unicode TR36 and TR39, CVE-2021-42574); line separators fake a line of ours.
All other signs stay: accents, combining marks, wide letters, emoji with their joiners.
JSON is for programs and stays exact: `iosonde.exact`.
"""

from __future__ import annotations

import codecs
import re

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0, DEL, C1, without tab and newline
_UNSEEN = (
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, overrides, isolates
    r"\u2028\u2029"  # line and paragraph separator
    r"\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # invisible
    r"\U000e0001"  # language tag; the other tags make flags of regions
    r"\ud800-\udfff"  # bytes that are no UTF-8 (PEP 383), and half pairs
)
_IN_LINES = re.compile(f"[{_CONTROLS}{_UNSEEN}]")
_IN_LINE = re.compile(rf"[\t\n{_CONTROLS}{_UNSEEN}]")
_SHORT = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}


def visible(text: str, *, lines: bool = False) -> str:
    r"""Text with what is not to reach a person raw as `\x1b`, `\u202e` and the like.

    Args:
        text: of any origin.
        lines: newlines and tabs are meant as such; else a name that holds one shows it.
    """
    return (_IN_LINES if lines else _IN_LINE).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    sign = match[0]
    code = ord(sign)
    if sign in _SHORT:
        return _SHORT[sign]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_PLAIN = {
    "±": "+-", "µ": "u", "…": "...", "–": "-", "—": "-", "×": "x", "→": "->", "←": "<-",
    "↑": "^", "↓": "v", "≥": ">=", "≤": "<=", "≈": "~", "−": "-", "·": "*", "•": "*",
    "“": '"', "”": '"', "’": "'", "‘": "'", "█": "#",
}  # fmt: skip
"""Signs of our own where a stream has ASCII alone."""


def _fallback(problem: UnicodeError) -> tuple[str | bytes, int]:
    """What an encoding lacks: a look-alike for signs of our own, an escape for others'."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    signs = problem.object[problem.start : problem.end]
    shown = (
        _PLAIN.get(sign) or sign.encode("ascii", "backslashreplace").decode("ascii")
        for sign in signs
    )
    return "".join(shown), problem.end


FALLBACK = "iosonde"
"""Name of an error handler for streams: text that their encoding lacks never ends a run."""
codecs.register_error(FALLBACK, _fallback)


def with_name(name: str, said: str) -> str:
    """What is said of something behind its name; a volume of Windows (`F:`) has its colon."""
    return f"{name} {said}" if name.endswith(":") else f"{name}: {said}"
