"""What stands above a table of `fdisk -l` and of parted, in whatever language it was printed.

Source: the catalogs of util-linux 2.40 (po/ar.po, cs, da, de, es, fr, hr, ja, ko, nl, pl, pt,
pt_BR, ro, ru, sk, sr, sv, tr, uk, vi, zh_CN; messages of disk-utils/fdisk-list.c) and of 2.20 (ca,
da, de, fi, fr, it and others); parted 3.5, parted/parted.c (print_disk_info) and its catalogs.
fdisk_get_optimal_iosize() of libfdisk/src/context.c gives the minimum where the disk says none.
"""

from __future__ import annotations

import re

from iosonde.records.stack import Scalar

_MODEL = re.compile(
    r"\s*(?:Disk[ -]?mod(?:el|ell)|Festplattenmodell|Modèle de disque|Modelo d(?:e|o|el) disco"
    r"|Modello disco|Mod(?:el disku|el dysku|el diska|elul discului)|Schijfmodel|Модель диска"
    r"|Модел диска|磁盘型号|ディスク型式|디스크 모델|طراز القرص"
    r"|Model|Modell|Modelo|Modèle|Модель|型号|モデル)\s?[:：]\s*(\S.*?)\s*$"
)
_IDENTIFIER = re.compile(
    r"^\s*(?:Disk identifier(?: \(GUID\))?|Festplattenbezeichner|Identifiant de disque"
    r"|Identificador d(?:e|o|el) disco|Identificativo disco"
    r"|Disk(?:identifikation|identifierare| belirleyicisi)"
    r"|Identifikátor disku|Identyfikator dysku|Identifikator diska"
    r"|Identificatorul de disc|Schijf-ID|Levyn tunniste|Идентификатор диска|Ідентифікатор диска"
    r"|Одредник диска|Định danh đĩa|معرف القرص|磁盘标识符|ディスク識別子|디스크 식별자)\s?[:：]\s?"
    r"(0x[\da-f]{8}|[\dA-Fa-f-]{36})(?![\w-])",
    re.MULTILINE,
)
_OF_IO = (
    r"(?:I/O[ -]\w{1,9}|E/A-Größe|[Tt]aille d'E/S|Tamanho(?: de)? E/S|Tamaño de E/S|Velikost I/O"
    r"|Veľkosť I/O operácie|Veličina U/I|I/O サイズ|I/O 大小|입출력 크기|[Ii]n-/uitvoergrootte"
    r"|Rozmiar we/wy|Dimensiunea In/Ieș|Размер I/O|У/И величина|G/Ç boyutu"
    r"|Розмір введення-виведення|Kích cỡ V/R|حجم الإدخال والإخراج)"
)
_NAMES = r" ?\([^()/:：\d]{2,30}/[^()/:：\d]{2,30}\)(?: w bajtach)?\s?[:：]\s?"
_UNIT = r"(?: ?[^\W\d_]{1,12})?"
_IO_SIZES = re.compile(
    rf"{_OF_IO}{_NAMES}(?P<least>\d{{1,10}}){_UNIT} ?/ ?(?P<best>\d{{1,10}})(?!\d)"
)
_IO_LINE = re.compile(rf"{_OF_IO}{_NAMES}\S{{1,20}}")
_SECTORS = re.compile(
    r"\([^()/:：\d]{2,30}(?:/[^()/:：\d]{2,30})?\)(?: w bajtach)?\s?[:：]\s*"
    r"(?P<logical>512|520|528|1024|2048|4096|4160|8192)(?![\d-])(?: ?[^\W\d_]{1,12})?"
    r"(?: ?/ ?(?P<physical>512|520|528|1024|2048|4096|4160|8192|16384|32768)(?!\d))?"
)
"""The logical and the physical sector in any language: "Sektorgröße (logisch/physisch): 512B/…"."""
_OFFSET = re.compile(
    r"(?:Alignment offset|Zarovnávací posun|Justeringsforskydning|Ausrichtungs-Position"
    r"|Desplazamiento de alineación|Index d'alignement|Odmak poravnanja|アライメントオフセット"
    r"|정렬 오프셋|Uitlijningspositie|Wyrównanie w bajtach|Desvio do alinhamento"
    r"|Posição de alinhamento|Decalajul de aliniere|Смещение выравнивания|Померај поравнања"
    r"|Justeringsposition|Hizalama konumu|Відступ вирівнювання|Khoảng chênh sắp hàng"
    r"|إزاحة المحاذاة|对齐偏移量)\s?[:：]\s?(\d{1,10})(?!\d)"
)
_CYLINDERS = (
    r"(?:cylinders|Zylinder|cylindres|cilindros|cilindri|cilindra|cilinders|cylindrar|cylindre"
    r"|sylinteriä|cilinder|цилиндр(?:ов|а)?|циліндрів|柱面|シリンダ|실린더|أسطوانة)"
)
_GEOMETRY = re.compile(
    r"(?<![^\s:：])(?P<heads>\d{1,6})(?: ?个)? ?[^\W\d_]{2,12}[,、،] ?"
    r"(?P<track>\d{1,6})(?: ?个)? ?[^\d,、،:：]{2,25}[,、،] ?"
    rf"(?P<cylinders>\d{{1,9}})(?: ?个)? ?{_CYLINDERS}"
)
_GEOMETRY_NAMED = re.compile(
    r"(?:hlav|głowic|глава|ヘッド)(?::| –)? ?(?P<heads>\d{1,6}), ?"
    r"[^\d,]{2,25}? ?(?P<track>\d{1,6}), ?"
    r"(?:cylindrů|cylindrów|цилиндара|シリンダ)(?::| –)? ?(?P<cylinders>\d{1,3}(?: \d{3})+|\d{1,9})"
)
_OLD_GEOMETRY = re.compile(
    r"(?P<cylinders>\d{1,9}) cylinders, (?P<heads>\d{1,6}) heads, (?P<track>\d{1,6}) sectors/track"
)
"""Of sfdisk before 2.26."""
_BYTES = re.compile(
    r"[,，،] ?(?:(?:bajtów:|бајтова –) ?(?P<named>\d{4,18})"
    r"|(?P<plain>\d{4,18})(?: ?个)? ?[^\W\d_]+(?=[,，،\s]|$)"
    r"|(?P<grouped>\d{1,3}(?: \d{3}){1,6}) bajt(?:ů|ov)(?!\w))"
)
_NO_TABLE = re.compile(
    r"\s*(?:(?:Le disque|Disque|El disco|Il disco|O disco|Festplatte|Disk) )?"
    r"(?P<device>/dev/[\w/.!-]{1,120}) (?P<message>doesn't contain a valid partition table"
    r"|ne contient pas une table de partitions valable|enthält keine gültige Partitionstabelle"
    r"|no contiene una tabla de particiones válida"
    r"|não contém uma tabela de partições válida)\s*$"
)
"""Of fdisk before util-linux 2.23."""
ANCHORS = (
    "Festplatte /dev/", "Festplatte  /dev/", "Platte /dev/", "Disque /dev/", "Disco /dev/",
    "Disc /dev/", "Диск /dev/", "Диска ", "磁盘 /dev/", "磁碟 /dev/", "ディスク /dev/",
    "디스크 /dev/", "Dysk /dev/", "Schijf /dev/", "Lemez /dev/", "Levy /dev/", "Đĩa /dev/",
    "القرص /dev/",
)  # fmt: skip
"""How the line of the disk begins; in the other languages of the catalogs as in English."""
FREE_ANCHORS = (
    "Unpartitioned space", "Unpartitionierter Bereich", "Espace non partitionné",
    "Espacio no particionado", "Espaço não particionado", "Неразмеченное место", "未分区的空间",
    "パーティション未割当領域", "분할하지 않은", "Miejsce niespartycjonowane",
    "Ongepartitioneerde ruimte", "Opartitionerat utrymme", "Nerozdělené místo",
    "Nerozdelené miesto", "Нерозподілений простір", "Непартиционисани простор",
    "Spațiu nepartiționat", "Ikke partitioneret plads", "Bölümlenmeyen boşluk",
    "المساحة غير المقسمة",
)  # fmt: skip
"""How the line of a disk's free space begins."""


def lacks_table(line: str) -> tuple[str, str] | None:
    """The disk of which a line says that it has no table, without /dev/, and how it says so."""
    match = _NO_TABLE.match(line)
    return (match["device"].removeprefix("/dev/"), match["message"]) if match else None


def model(line: str) -> str | None:
    """The model that a line says; parted says `(file)` alone of an image."""
    match = _MODEL.match(line)
    return match[1] if match and not match[1].startswith("(") else None


def identifier(text: str) -> str | None:
    """The identifier of a table, of the lines above it."""
    match = _IDENTIFIER.search(text)
    return match[1] if match else None


def is_sector_size(line: str) -> bool:
    """Whether a line says the sizes of sectors, or those of I/O."""
    return _SECTORS.search(line) is not None


def sector_sizes(text: str) -> tuple[int | None, int | None]:
    """Bytes of the logical and of the physical sector; None where they are not said."""
    sizes = _SECTORS.search(_IO_LINE.sub("", text))
    if sizes is None:
        return None, None
    return int(sizes["logical"]), int(sizes["physical"]) if sizes["physical"] else None


def io_sizes(text: str) -> dict[str, Scalar]:
    """Minimum and optimal size of I/O in bytes.

    fdisk prints the minimum for an optimum that the disk does not say: an equal one is none.
    """
    sizes = _IO_SIZES.search(text)
    if sizes is None or not int(sizes["least"]):
        return {}
    least, best = int(sizes["least"]), int(sizes["best"])
    return {"io_min": least, **({"io_opt": best} if best > least else {})}


def alignment_offset(text: str) -> int:
    """Bytes by which the disk's own grid is shifted; 0 where that is not said."""
    offset = _OFFSET.search(text)
    return int(offset[1]) if offset else 0


def geometry(text: str) -> dict[str, Scalar]:
    """Heads, sectors of a track and cylinders."""
    patterns = (_GEOMETRY, _OLD_GEOMETRY, _GEOMETRY_NAMED)
    match = next(filter(None, (pattern.search(text) for pattern in patterns)), None)
    if match is None:
        return {}
    return {
        "heads": int(match["heads"]), "sectors_per_track": int(match["track"]),
        "cylinders": int(match["cylinders"].replace(" ", "")),
    }  # fmt: skip


def size_in_bytes(line: str) -> int | None:
    """The exact bytes in the line of a disk or of its free space."""
    match = _BYTES.search(line)
    if match is None:
        return None
    return int((match["plain"] or match["named"] or match["grouped"]).replace(" ", ""))
