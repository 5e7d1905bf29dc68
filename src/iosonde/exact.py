r"""Text for programs: exact, also where it holds bytes that are no UTF-8, or half a pair.

In Python such a byte is a lone surrogate (PEP 383: 0xE9 is "\udce9"). JSON can write it as the
escape `\udce9` (RFC 8259, 7), which Python and JavaScript read back as it was. What takes UTF-8
alone (SQL, Parquet) gets `storable` text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MARK = "\ufdd0"  # a noncharacter: valid in UTF-8 and in no name (Unicode 16, 23.7)
_UNSTORABLE = re.compile(rf"[\x00\ud800-\udfff{_MARK}]")
_STORED = re.compile(rf"{_MARK}(d[89a-f][0-9a-f]{{2}}|0000|fdd0)")


def json_text(
    document: Mapping[str, object] | Sequence[object], *, ascii_only: bool = False
) -> str:
    """A document as indented JSON, without a newline at its end.

    Args:
        document: without NaN and infinities, which are a bug, not JSON.
        ascii_only: for a stream that takes no other signs; the JSON says the same.
    """
    text = json.dumps(document, ensure_ascii=ascii_only, allow_nan=False, indent=2)
    return escaped_surrogates(text)


def escaped_surrogates(text: str) -> str:
    """JSON text with lone surrogates, which stand in strings alone, as their escapes."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def storable(text: str) -> str:
    """Text in which each sign that UTF-8 or SQL cannot hold is U+FDD0 and four digits."""
    return _UNSTORABLE.sub(lambda match: f"{_MARK}{ord(match[0]):04x}", text)


def restored(text: str) -> str:
    """The text that `storable` was given."""
    return _STORED.sub(lambda match: chr(int(match[1], 16)), text)


def from_json(text: str | bytes) -> Any:
    """What a JSON text of others says.

    Raises:
        ValueError: it is none, or is nested deeper than Python follows (some 1000 levels).
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
