"""cryptsetup benchmark. Oracle: the units of the source; a table of the same figures by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.dm_crypt.printed_benchmark import CryptsetupBenchmark
from tests.mangle import counters, mangled

OUTPUTS = Path(__file__).parents[3] / "outputs" / "cryptsetup-composed"
TEXT = (OUTPUTS / "benchmark.txt").read_text()
MIB = 1 << 20


def _counts(text: str) -> dict[tuple[str, str], dict[str, object]]:
    return {
        (row.kind, row.name): dict(row.values) for row in counters(text, CryptsetupBenchmark.tool)
    }


def test_ciphers_and_derivations() -> None:
    counts = _counts(TEXT)
    assert counts["cipher", "aes-xts 512b"] == {
        "encryption": 3000.0 * MIB, "decryption": 3001.5 * MIB, "key_bits": 512,
    }  # fmt: skip
    assert counts["key_derivation", "PBKDF2-sha256"] == {
        "iterations_per_second": 4306266, "key_bits": 256,
    }  # fmt: skip
    assert counts["key_derivation", "argon2id"] == {
        "threads": 4, "iterations": 4, "memory": 582306 << 10, "requested_seconds": 2.0,
        "key_bits": 256,
    }  # fmt: skip
    assert ("cipher", "twofish-xts 512b") not in counts
    assert len(counts) == 10


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT):
        assert _counts(changed) == _counts(TEXT), shape


def test_rows_alone_and_an_old_version() -> None:
    row = "        aes-xts        256b      1805.2 MiB/s      1809.9 MiB/s\n"
    assert _counts(f"I get\n{row}on it.\n")["cipher", "aes-xts 256b"]["key_bits"] == 256
    assert _counts("PBKDF2-sha1       910222 iterations per second\n") == {
        ("key_derivation", "PBKDF2-sha1"): {"iterations_per_second": 910222}
    }


@pytest.mark.parametrize(
    "text",
    [
        "PBKDF2-sha1 is old, and 256b  keys are short\n",
        "aes-xts  256b  1805.2 MB/s\n",
        "        aes-xts        256b      1805.2 MiB/s      18\n",
        "argon2id      4 iterations, 582306 memory, 4 parallel threads (CPUs)\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _counts(text) == {}
