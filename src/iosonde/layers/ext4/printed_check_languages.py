"""What e2fsck says of a file system as a whole, in languages other than English.

The problems that it names are read in English alone; here passes, what was done, and the summary.

Source: e2fsprogs 1.47, po/*.po (ca, cs, da, de, eo, es, fi, fr, hu, id, it, nl, pl, pt, ro, sr, sv,
tr, uk, vi, zh_CN): the translations of e2fsck/unix.c, e2fsck/problem.c (passes) and
e2fsck/journal.c.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.ext4.printed_check import COMMANDS
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_DEVICE = r"(?P<device>\.{0,2}/[\w/.:+-]{1,120}?|\w[\w/.:+-]{0,60}?)"
_MODIFIED_TEXTS = (
    "S'HA MODIFICAT EL SISTEMA DE FITXERS", "SYSTÉM SOUBORŮ BYL ZMĚNĚN",
    "FILSYSTEMET BLEV ÆNDRET", "DATEISYSTEM WURDE VERÄNDERT", "DOSIERSISTEMO MODIFIĜIS",
    "EL SISTEMA DE FICHEROS FUE MODIFICADO", "TIEDOSTOJÄRJESTELMÄÄ MUUTETTIIN",
    "LE SYSTÈME DE FICHIERS A ÉTÉ MODIFIÉ", "A FÁJLRENDSZER MÓDOSÍTVA LETT",
    "FILE SYSTEM TELAH TERMODIFIKASI", "IL FILE SYSTEM È STATO MODIFICATO",
    "BESTANDSSYSTEEM IS VERANDERD", "SYSTEM PLIKÓW ZMODYFIKOWANY",
    "O SISTEMA DE FICHEIROS FOI MODIFICADO", "SISTEMUL DE FIȘIERE A FOST MODIFICAT",
    "СИСТЕМ ДАТОТЕКА ЈЕ ИЗМЕЊЕН", "FILSYSTEMET MODIFIERADES", "DOSYA SİSTEMİ DEĞİŞTİRİLDİ",
    "ДО ФАЙЛОВОЇ СИСТЕМИ БУЛО ВНЕСЕНО ЗМІНИ", "HỆ THỐNG TẬP TIN BỊ SỬA ĐỔI",
    "文件系统已被修改",
)  # fmt: skip
_ERROR_TEXTS = (
    "el sistema de fitxers encara té errors", "Systém souborů má stále chyby",
    "Filsystemet har stadig fejl", "Noch Fehler im Dateisystem",
    "Dosiersistemo ankoraŭ enhavas erarojn", "El sistema de ficheros todavía tiene errores",
    "Tiedostojärjestelmässä on edelleen virheitä",
    "le système de fichiers contient encore des erreurs",
    "A fájlrendszeren még mindig vannak hibák", "Sistem berkas masih memiliki errors",
    "Il file system contiene ancora errori", "bestandssysteem bevat nog fouten",
    "System plików nadal ma błędy", "o sistema de ficheiros ainda tem erros",
    "Sistemul de fișiere are încă erori", "Систем датотека још увек има грешака",
    "Filsystemet har fortfarande fel", "Dosya sistemi hala hatalı",
    "у файловій системі усе ще є помилки", "Hệ thống tập tin vẫn còn có lỗi",
    "文件系统上仍有错误",
)  # fmt: skip
_JOURNAL_TEXTS = (
    "recuperació del registre de transaccions", "obnovuje se žurnál", "genskaber journal",
    "Journal wird wiederhergestellt", "recuperando el fichero de transacciones",
    "récupération du journal", "napló helyreállítása", "ripristino del journal",
    "herstellen van journal...", "odtwarzanie z kroniki", "a recuperar diário",
    "se recuperează jurnalul", "опорављам дневник", "återhämtar journalen",
    "відновлюємо журнал", "đang phục hồi nhật ký", "正在恢复日志",
)  # fmt: skip
_STEP_NAMES = (
    r"(?:Durchgang|Paso|Passe|Passo|Pass|Stap|Przebieg|Pasul|Gennemløb|Průchod|Прохід|Pas|Paŝo"
    r"|Lần(?: qua)?|Пролаз|Tahap|Vaihe|Geçiş) (?P<value>\d[A-E]?)"
    r"|(?P<number>\d)\. (?:lépés|geçiş|Geçiş|пролаз)|第 (?P<nth>\d[A-E]?) 遍"
)
_STEP_TEXTS = (
    "Inodes, Blöcke und|Verzeichnis|Referenzzähler werden|Zusammengefasste Gruppen|Verificando "
    "|Revisando |vérification d|optimisation d|ré-examen |examen |a verificar |verificar "
    "|Controllo d|Analisi della|Controle van |Sprawdzanie |Se verifică |Kontrollerar |Kontrollerer "
    "|Kontroluj|перевіряємо |comprovació d|Kontrolo de |[đĐ]ang kiểm tra |Проверавам |Memeriksa "
    "|检查|düğümler, bloklar|Dizin |Başvuru sayısı|grup özet|inode-ok, blokkok|könyvtár"
    "|referenciaszámok |csoport összefoglaló|Tarkastetaan "
)
_PASS = re.compile(rf"\s*(?:{_STEP_NAMES})\s?[:：]\s?(?:{_STEP_TEXTS})")
_MODIFIED = re.compile(
    rf"\s*(?:{_DEVICE}\s?: )?\*{{5}} (?:{'|'.join(map(re.escape, _MODIFIED_TEXTS))}) \*{{5}}\s*$"
)
_ERRORS = re.compile(
    rf"\s*(?:{_DEVICE}\s?: )?\*{{2,12}} ?[^\s:：]{{3,16}}\s?[:：]\s?"
    rf"(?:{'|'.join(map(re.escape, _ERROR_TEXTS))}) {{0,2}}\*{{2,14}}\s*$"
)
_JOURNAL = re.compile(rf"\s*{_DEVICE}\s?: (?:{'|'.join(map(re.escape, _JOURNAL_TEXTS))})\s*$")
_FORCED = re.compile(
    rf"\s*{_DEVICE} [^\d,，]{{6,80}}[,，;]? ?(?:es forçarà la comprovació|kontrola vynucena"
    r"|tvungen kontrol|Prüfung erzwungen|perforta kontrolo|se fuerza la revisión"
    r"|vérification forcée|ellenőrzés kikényszerítve|pemeriksaan dipaksakan|controllo forzato"
    r"|gedwongen controle|wymuszono sprawdzenie|verificação forçada|verificare forțată"
    r"|провера је присилна|kontroll framtvingad|denetim başlatılacak|примусова перевірка"
    r"|kiểm tra bị ép buộc|强制进行检查)[.。]\s*$"
)
_FILES = (
    "fitxers|souborů|filer|Dateien|dosieroj|ficheros|tiedostoa|fichiers|fájl|bestanden|plików"
    "|ficheiros|fișiere|датотеке|файлів|tập tin|文件"
)
_BLOCKS = (
    "blocs|bloků|blokke|Blöcke|blokoj|bloques|lohkoa|blokk|blokken|bloków|blocos|blocuri|блока"
    "|block|блоків|khối|块"
)
_CLEAN = (
    "net|čistý|ren|sauber|pura|limpio|propre|tiszta|schoon|czysty|limpo|curat|чист|rent"
    "|без помилок|sạch|没有问题"
)
_N = r"\d{1,19}"
_SUMMARY = re.compile(
    rf"\s*{_DEVICE}\s?: (?:(?P<state>{_CLEAN})[,，]\s?)?(?P<used>{_N})/(?P<inodes>{_N}) "
    rf"(?:{_FILES})(?:\s?[(（](?P<share>\d{{1,3}}[.,]\d) ?% [^\d)）]{{3,30}}[)）])?[,，]\s?"
    rf"(?P<full>{_N})/(?P<blocks>{_N}) (?:{_BLOCKS})(?: ?[(（][^)）]{{4,80}}[)）])?\s*$"
)
_VERSION = re.compile(
    r"\s*e2fsck (?P<e2fsck_version>\d[\w.+~-]{1,30}) \((?P<e2fsck_date>\d{1,2}-\w{3,9}-\d{4})\)\s*$"
)
_SETTINGS = (
    ("modified_by_check", _MODIFIED), ("errors_remain", _ERRORS), ("journal_recovered", _JOURNAL),
    ("check_forced", _FORCED), ("check_passes", _PASS),
)  # fmt: skip
_SURE = (_MODIFIED, _ERRORS, _SUMMARY)
_MOST, _GAP = 2000, 12


class ExtCheckTranslated(StateOutput):
    tool = "e2fsck"
    anchors = (
        *_MODIFIED_TEXTS, *_ERROR_TEXTS,
        *(f" {files}{after}" for files in _FILES.split("|") for after in (" (", ", ")),
        " 文件（", " 文件，",
    )  # fmt: skip
    commands = COMMANDS

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in _SURE):
            return None
        return top_of(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last, name = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP or (index > first and prompt_in(line)):
                break
            if version := _VERSION.match(line):
                values |= version.groupdict()
                last = index
            for setting, form in _SETTINGS:
                if match := form.match(line):
                    groups = match.groupdict()
                    passed = groups.get("value") or groups.get("number") or groups.get("nth")
                    values[setting] = passed or True
                    name, last = name or groups.get("device") or "", index
            if summary := _SUMMARY.match(line):
                values |= _summed(summary)
                name, last = summary["device"], index
                break
        if not values:
            raise Unreadable("it says nothing of the file system", last)
        name = name.removeprefix("/dev/") or prompt.path
        return last, [PrintedSubject("ext4", name, values, prompt.host)]


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_VERSION, *(form for _, form in _SETTINGS)))


def _summed(match: re.Match[str]) -> dict[str, Scalar]:
    """The figures of the summary; the share as a fraction."""
    blocks, inodes = int(match["blocks"]), int(match["inodes"])
    values: dict[str, Scalar] = {
        "blocks": blocks, "inodes": inodes, "free_blocks": blocks - int(match["full"]),
        "free_inodes": inodes - int(match["used"]),
    }  # fmt: skip
    if match["state"]:
        values["superblock_state"] = "clean"
    if match["share"]:
        values["non_contiguous"] = round(float(match["share"].replace(",", ".")) / 100, 4)
    return values
