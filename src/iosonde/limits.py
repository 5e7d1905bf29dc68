"""How much of a stranger's bytes is taken in: every limit there is, and why it is where it is.

Each is far above what a tool prints or a person writes, so that whoever meets one has met damage, a
mistake or an attack. The error names the limit and what to do. docs/use/import.md and
docs/security.md state them.
"""

from __future__ import annotations

MIB = 1 << 20
GIB = 1 << 30

DOCUMENT = 64 * GIB
"""Bytes of a file that `import` and `explain` go through: 20 minutes at 50 MB/s."""
IN_MEMORY = 16 * MIB
"""Bytes up to which a file is read whole; of a longer one only parts are in memory."""
PIPED = 256 * MIB
"""Bytes of a text that comes through a pipe, which can be read only once and so is kept."""
UNPACKED = 256 * MIB
"""Bytes that a gzip file may unpack to: deflate packs up to 1032 times (RFC 1951)."""
ARCHIVE = 16 * GIB
"""Bytes that the files of a tar archive may unpack to; a large sosreport has 2 GiB."""
ARCHIVE_FILES = 100_000
"""Files of a directory or an archive that are read; a sosreport has 3,000 to 20,000."""
DESCRIBED = 256 * MIB
"""Bytes kept of the files of a directory or an archive that describes a host; outputs about storage
and copies of /proc and /sys have 5 to 50 MB."""
DESCRIBED_FILE = 16 * MIB
"""Bytes of such a file; what lsblk prints of 1,000 disks has 2 MB."""
WRAPPINGS = 3
"""Gzip around gzip: a file that unpacks to itself never ends."""
PAGE = 64 * MIB
"""Bytes of an HTML page, a PDF or a text in UTF-16, which are read whole."""
PDF_TEXT = 64 * MIB
"""Bytes of text that the pages of a PDF may hold."""
LINE = 16 * MIB
"""Bytes of one line: a fio result as JSON without line ends has less than one of them."""
READER_MEMORY = GIB
"""Bytes that the process that reads a PDF or an HTML page may take for it."""
READER_SECONDS = 60
"""Seconds of a processor that it may take; a page of the full size takes about 15."""
OUTPUT_SECONDS = 10.0
"""Seconds of a processor for reading one output in a text; the longest known takes 0.2."""
SLOW_SECONDS = 60.0
"""Seconds of a processor that all outputs of a text that take longer than a quarter of a second may
take together."""
FIRST_BYTE_SECONDS = 5.0
"""Seconds in which somebody must write to a FIFO that is to be read."""

DECLARATION = MIB
"""Bytes of a study, a stack file or a load that a person writes; the largest known has 20 KB."""
CONFIGURATION = 16 << 10
"""Bytes of the configuration file, which has five keys; the parser takes 0.05 s for as much, and
time that grows with the square of a comment's length."""
YAML_DEPTH = 50
"""Lists and mappings in one another; a stack file has five."""
YAML_NODES = 100_000
"""Values of a YAML text after its aliases are replaced by what they stand for."""
JSON_FILE = 256 * MIB
"""Bytes of a JSON file of iosonde's own: a recording of a host, a prior."""

COMMAND_OUTPUT = 256 * MIB
"""Bytes that a command may print; fio's JSON of 100 jobs with all histograms has 100 MB."""
COMMAND_ERRORS = 4 * MIB
"""Bytes kept of what a command complains, from its beginning and as many from its end."""
HOST_FILE = 256 * MIB
"""Bytes of a file of a host that is read whole: /proc, /sys, settings, what a load wrote."""
STORED = GIB
"""Bytes that one packed part of a store may unpack to."""


def shown(limit: int) -> str:
    """A limit as its errors and the documentation name it: "256 MiB"."""
    for unit, size in (("GiB", GIB), ("MiB", MIB), ("KiB", 1024)):
        if limit >= size:
            return f"{limit / size:g} {unit}"
    return f"{limit} B"
