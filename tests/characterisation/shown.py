"""What a command wrote, as text that is the same on every machine. The one place for it."""

from __future__ import annotations

import io
import json
import re
from importlib.metadata import version
from pathlib import Path

from tests.characterisation.in_process import Ended

# The last digits of sums depend on the processor's instructions, which numpy chooses by itself.
_LONG = re.compile(r"(?<![\w.])-?\d+\.\d{8,}(?:e[-+]?\d+)?(?![\w.])")
_DIGITS = 11
_ROOT = Path(__file__).parents[2]
_TOOK = re.compile(r"\(\d+\.\d s\)$", re.MULTILINE)
_PICTURE = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_TEXTS = re.compile(r"<(?:text|title|desc)\b[^>]*>(.*?)</", re.DOTALL)


def shown(message: str, ended: Ended, folder: Path) -> str:
    """A command, its exit code and both streams."""
    parts = [f"$ iosonde {message}\n", f"[exit {ended.status}]\n", _readable(ended.stdout)]
    if ended.stderr:
        parts += ["[stderr]\n", _readable(ended.stderr)]
    return steady("".join(parts), folder)


def steady(text: str, folder: Path) -> str:
    """Nothing of the machine: directories, the version, digits that no figure has."""
    text = text.replace(str(folder), "<folder>").replace(version("iosonde"), "<version>")
    text = text.replace(str(_ROOT), "<project>")
    text = _TOOK.sub("(0.0 s)", text)  # how long a step took on this machine
    return _LONG.sub(lambda match: f"{float(match[0]):.{_DIGITS}g}", text)


def _readable(content: bytes) -> str:
    if content.startswith(b"PAR1"):
        return _table(content)
    text = content.decode(errors="backslashreplace").replace("\r", "\\r")
    if text.lstrip().startswith("<!"):
        # How a picture is drawn is altair's; what stands in it is ours.
        text = _PICTURE.sub(lambda match: "<svg: " + " | ".join(_TEXTS.findall(match[0])), text)
    return text if text.endswith("\n") or not text else f"{text}\n[no line break at its end]\n"


def _table(content: bytes) -> str:
    """Columns with their types, and rows, of Parquet."""
    import polars

    frame = polars.read_parquet(io.BytesIO(content))
    types = "".join(f"{name}: {kind}\n" for name, kind in frame.schema.items())
    rows = "".join(f"{json.dumps(row, default=str)}\n" for row in frame.rows())
    return f"[parquet]\n{types}{rows}"
