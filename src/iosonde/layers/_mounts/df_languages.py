"""The heads of df's tables in the languages that coreutils speaks.

Source: coreutils 9.1, po/*.po (field_data[] of src/df.c: "Filesystem", "Type", "Size", "Use%",
"Capacity", "Mounted on", "Inodes", "IUse%"; get_header(): "%s-%s", such as `1K-blocks`, which
some languages turn around: `blocs de 1K`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LANGUAGES = (
    ("Lêerstelsel", "Tipe", "Grootte", "Gebruik%", "Capacity", "Geheg aan", "Inodes", "IUse%"),
    ("Ф-я сыстэма", "Тып", "Памер", "У-а%", "Ёміст.", "Пункт мантаваньня", "Inodes", "IUse%"),
    ("Файлова с-ма", "Вид", "Размер", "Изп%", "Обем", "Монтирана на", "I-възли", "Изп%"),
    ("S. fitxers", "Tipus", "Mida", "%Ús", "Cabuda", "Muntat a", "Nodes-i", "%Ús"),
    ("Souborový systém", "Typ", "Velikost", "Uži%", "Kapacita", "Připojeno do", "I-uzlů", "IUži%"),
    ("Filsystem", "Type", "Størr", "Brug%", "Kapacitet", "Monteret på", "Inoder", "IBrug%"),
    ("Dateisystem", "Typ", "Größe", "Verw%", "Kapazität", "Eingehängt auf", "Inodes", "IUse%"),
    ("Dosiersistemo", "Tipo", "Grando", "Uza%", "Kapacito", "Metita sur", "I-nodoj", "Iuza%"),
    ("S.ficheros", "Tipo", "Tamaño", "Uso%", "Capacidad", "Montado en", "Nodos-i", "NUso%"),
    ("Failisüsteem", "Tüüp", "Maht", "Kas%", "Maht", "Haagitud", "I-kirjeid", "IKas%"),
    ("Fitxategi-sistema", "Moeta", "Tamai", "Erab%", "Edukiera",
     "Non muntatua", "Inodoak", "IErab%"),
    ("Tiedostojärjestelmä", "Tyyppi", "Koko", "Käy%", "Käytetty",
     "Liitospiste", "I-solmut", "IKäy%"),
    ("Sys. de fichiers", "Type", "Taille", "Uti%", "Capacité", "Monté sur", "Inœuds", "IUti%"),
    ("Córas comhaid", "Cineál", "Méid", "Úsáid%", "Iomlán", "Curtha suas ar", "Inóid", "IÚsáid%"),
    ("Sist. Fich", "Tipo", "Tamaño", "Uso%", "Capacid", "Montado en", "Inodos", "IUso%"),
    ("Datotečni sustav", "Vrsta", "Veličina", "Zauzeto%", "Kapacitet",
     "Montiran na", "Inodova", "IZauzeto%"),
    ("Fájlrendszer", "Típ.", "Méret", "Fo.%", "Kapacit.", "Csatol. pont", "Inode-ok", "IFo.%"),
    ("Sistem Berkas", "Tipe", "Besar", "Isi%", "Kapasita", "Dipasang di", "Inode", "IIsi%"),
    ("File system", "Tipo", "Dim.", "Uso%", "Capacità", "Montato su", "Inode", "IUso%"),
    ("ファイルシス", "タイプ", "サイズ", "使用%", "容量", "マウント位置", "Iノード", "I使用%"),
    ("Файлдық жүйе", "Түрі", "Өлшемі", "Пайд%", "Сыйымдылығы", "Тіркелген жері", "Inodes", "IUse%"),
    ("파일 시스템", "형식", "크기", "사용%", "용량", "마운트위치", "Inodes", "IUse%"),
    ("Sisitemu eya fayiro", "Kika", "Bunene", "Enkozesa%", "eziriwo",
     "Kiwangidwa ku", "Inodi", "Enkozesa%"),
    ("Failų sistema", "Tipas", "Size", "Nd %", "Capacity", "Prijungta prie", "Inodes", "INd %"),
    ("Sistem fail", "Jenis", "Saiz", "Guna%", "Kapasiti", "Dilekapkan pada", "Inod", "IGuna%"),
    ("Filsystem", "Type", "Størrelse", "Bruk%", "Kapasitet", "Montert på", "Inodes", "IUse%"),
    ("Bestandssysteem", "Type", "Grootte", "Geb%", "Vulgraad",
     "Aangekoppeld op", "I-nodes", "IGeb%"),
    ("System plików", "Typ", "rozm.", "%uż.", "pojemność", "zamont. na", "iwęzły", "%uż.I"),
    ("Sistema de ficheiros", "Tipo", "Tamanho", "Uso%", "Capacidade",
     "Montado em", "Inodes", "UsoI%"),
    ("Sist. Arq.", "Tipo", "Tam.", "Uso%", "Capacid.", "Montado em", "Inós", "IUso%"),
    ("Sistem de fișiere", "Tip", "Dimens", "Uz%", "Capacitate", "Montat pe", "Inoduri", "IUz%"),
    ("Файловая система", "Тип", "Размер", "Использовано%", "Вместимость",
     "Cмонтировано в", "Iнодов", "IИспользовано%"),
    ("Súborový systém", "Typ", "Veľk", "Pou%", "Kapacita", "Pripojený na", "I-uzly", "IPou%"),
    ("Dat. sist.", "Tip", "Vel.", "Upo%", "Kapacit.", "Priklop na", "Inodov", "IUpo%"),
    ("Систем датотека", "Врста", "Величина", "Користи%", "Капацитет",
     "Прикачено на", "И-чворови", "ИКористи%"),
    ("Filsystem", "Typ", "Storlek", "Anv%", "Kapacitet", "Monterat på", "Inoder", "IAnv%"),
    ("Dosya sistemi", "Tür", "Boyut", "Kullanım%", "Sığa",
     "Bağlanılan yer", "Dosya indeksleri", "İnKullanım%"),
    ("Ф. система", "Тип", "Розм", "Вик%", "Всього", "змонтований на", "І-вузлів", "Вик%"),
    ("Hệ thống tập tin", "Kiểu", "Cỡ", "%Dùng", "Dung lượng", "Gắn vào", "Inode", "%IDùng"),
    ("文件系统", "类型", "大小", "已用%", "容量", "挂载点", "Inodes", "已用I%"),
    ("檔案系統", "類型", "容量", "已用%", "容量", "掛載點", "Inodes", "I已用%"),
)  # fmt: skip
"""By language: file system, type, size, used share, capacity, mount point; inodes, their share."""
_BLOCKS = (
    r"\d{1,6}[KMGTB]?-[^\s\d%]{1,16}|[^\s\d%]{1,16}(?: de |-)\d{1,6}[KMGTB]?"
    r"|\d{1,6}[KMGTB]?的[^\s\d%]{1,4}|\d{1,6}[KMGTB]? [^\s\d%]{1,16}"
)
_FIGURES = r"(?:\s+[^\s%\d]{1,20}){2,4}?"


def _patterns(row: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The heads of sizes and of inodes in one language."""
    source, kind, size, share, capacity, mount, inodes, inode_share = map(re.escape, row)
    begin, end = rf"\s*{source}\s+(?:{kind}\s+)?", rf"\s+{mount}\s*$"
    shares = rf"(?:{share}|{capacity})"
    return (
        re.compile(rf"{begin}(?P<unit>{size}|{_BLOCKS}){_FIGURES}\s+{shares}{end}"),
        re.compile(rf"{begin}{inodes}{_FIGURES}\s+{inode_share}{end}"),
    )


_HEADS: dict[str, list[tuple[re.Pattern[str], re.Pattern[str]]]] = {}
for _row in _LANGUAGES:
    _HEADS.setdefault(_row[5], []).append(_patterns(_row))
_ENDS = tuple(_HEADS)


def head_in(line: str) -> tuple[re.Match[str], bool] | None:
    """The head of a table in one of these languages, and whether it is one of inodes."""
    text = line.rstrip()
    if not text.endswith(_ENDS):
        return None
    for mount, patterns in _HEADS.items():
        if not text.endswith(mount):
            continue
        for sizes, inodes in patterns:
            if match := sizes.match(line):
                return match, False
            if match := inodes.match(line):
                return match, True
    return None


def anchors() -> Iterator[str]:
    """What the heads end with, as they are printed: the share and the mount point."""
    for row in _LANGUAGES:
        for share in dict.fromkeys((row[3], row[4], row[7])):
            yield f"{share} {row[5]}"
