"""Columns of a table that an author made in which settings of the load stand: size, depth, jobs.

Source: names and words of fio(1), "I/O size", "I/O engine", and of CrystalDiskMark's settings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde import units
from iosonde.records.stack import Scalar

_OPTIONS = {
    "bs": re.compile(
        r"(?:(?:data |i/?o[ -]?)?block|record|request|i/?o|transfer|xfer)[ _-]?size|bs"
        r"|(?:数据)?块大小|塊大小|区块大小|区塊大小|IO ?大小|ブロック ?サイズ|블록 ?(?:크기|사이즈)"
        r"|blockgröße|tama[nñ]o de(?:l)? bloque|taille de bloc|kích thước (?:khối|block)",
        re.IGNORECASE,
    ),
    "iodepth": re.compile(
        r"(?:i/?o|queue)[ _-]?depth|qd|(?:IO)?队列深度|隊列深度|佇列深度"
        r"|キュー(?:の)?深[さ度]|큐 ?깊이",
        re.IGNORECASE,
    ),
    "numjobs": re.compile(
        r"(?:num)?[ _-]?jobs|threads?|clients|线程数?|執行緒數?|並列数"
        r"|スレッド数?|스레드(?: ?수)?|số luồng",
        re.IGNORECASE,
    ),
}
"""Names of columns in which a setting of the load stands: what differs by it is another load."""
_LONGEST = 12  # characters of a count
_BLOCK = re.compile(r"(?P<number>\d{1,7}) ?(?P<prefix>[kKmM])?(?:i?[bB])?")
_SAYS_NOTHING = re.compile(
    r"(?:results?|values?|speed|score|throughput|through-put|bandwidth|bw|(?:transfer |data )?rate"
    r"|iops|吞吐[量率]?|带宽|頻寬|速[度率]|スループット|帯域幅?"
    r"|처리량|대역폭|속도|băng thông|tốc độ|thông lượng)?",
    re.IGNORECASE,
)
"""Names of columns that say no more than what the unit of their figures says as well."""


def setting_in(name: str, cell: str) -> tuple[str, int] | None:
    """The setting of a load that stands in a cell, by fio's name of it and in bytes.

    Args:
        name: of the cell's column.
        cell: without marks of emphasis. A size is said with its prefix, or in whole sectors.
    """
    option = next((each for each, names in _OPTIONS.items() if names.fullmatch(name)), "")
    block = _BLOCK.fullmatch(cell) if option == "bs" else None
    if block and (block["prefix"] or int(block["number"]) >= units.SECTOR):
        power = " km".index((block["prefix"] or " ").lower())
        return option, int(block["number"]) * units.KIB**power
    is_count = option not in {"", "bs"} and cell.isdecimal() and len(cell) < _LONGEST
    return (option, int(cell)) if is_count else None


def settings_in(head: Sequence[str], cells: Sequence[str]) -> dict[str, Scalar]:
    """The settings of its load that stand in columns of a row.

    Args:
        head: the names of the columns.
        cells: one for each name.
    """
    return dict(filter(None, map(setting_in, head, cells)))


def said_by(name: str) -> str:
    """A column's name where it says more than that rates or results stand in it.

    Args:
        name: of a column of figures.
    """
    return "" if _SAYS_NOTHING.fullmatch(name) else name
