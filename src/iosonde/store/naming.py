"""What names and tags of runs may be. Apart from `labels`: it needs no database."""

from __future__ import annotations

import re

from iosonde.errors import UsageError

LAST = "last"
"""The newest run."""
_LABEL = re.compile(r"\w[\w.+@%-]*")  # no `/` (RUN/TRIAL), nothing that an option begins with
_LONGEST = 100
_RESERVED = (LAST, "local")


def check_label(text: str, what: str) -> str:
    """A name or tag as it may be kept.

    Args:
        text: as it was typed.
        what: "name" or "tag", for the message.

    Raises:
        UsageError: it has other signs than it may have, is too long, or means something else.
    """
    if text in _RESERVED:
        raise UsageError(
            f"no run can have the {what} {text!r}, which means something else",
            hint=f"a {what} other than {' and '.join(_RESERVED)}",
        )
    if not _LABEL.fullmatch(text) or len(text) > _LONGEST:
        raise UsageError(
            f"{text[:_LONGEST]!r} is not a valid {what}",
            hint=f"letters, digits and . _ - + @ %, at most {_LONGEST}, a letter or digit first",
        )
    return text
