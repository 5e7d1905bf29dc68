"""dd in other languages.

The oracle of the first table are the catalogs of coreutils 9.1 (msgstr of "%PRIdMAX+%PRIdMAX
records in\n…" and of "%PRIdMAX bytes (%s, %s) copied, %s, %s"), of the second what dd of coreutils
6 to 8 printed, both with figures of our own. A rate must be bytes over seconds.
"""

from __future__ import annotations

import pytest

from tests.mangle import mangled, read, trials

COMMAND = "# dd if=/dev/zero of=/mnt/a bs=1M count=1024 oflag=direct\n"
CATALOGS = {
    "de": ("{r} Datensätze ein\n{r} Datensätze aus", "{b} Bytes ({g}) kopiert, {s} s, {v} MB/s"),
    "et": ("{r} kirjet sisse\n{r} kirjet välja", "{b} baiti ({g}) kopeeritud, {s} s, {v} MB/s"),
    "fr": ("{r}\xa0enregistrements lus\n{r}\xa0enregistrements écrits",
           "{b}\xa0octets ({g}) copiés, {s} s, {v} MB/s"),
    "hr": ("{r} zapisa primljeno\n{r} zapisa odaslano",
           "{b} bajtova ({g}) je kopirano, {s} s, {v} MB/s"),
    "ko": ("{r} 레코드 입력함\n{r} 레코드 출력함", "{b} 바이트 ({g}) 복사함, {s} s, {v} MB/s"),
    "nl": ("{r} records gelezen\n{r} records geschreven",
           "{b} bytes ({g}) gekopieerd, {s} s, {v} MB/s"),
    "tr": ("{r} kayıt girdi\n{r} kayıt çıktı", "{b} bayt ({g}) kopyalandı, {s} s, {v} MB/s"),
    "uk": ("{r} записів прочитано\n{r} записів записано",
           "скопійовано {b} байтів ({g}), {s} s, {v} MB/s"),
    "zh_CN": ("输入了 {r} 块记录\n输出了 {r} 块记录", "{b} 字节 ({g}) 已复制，{s} s，{v} MB/s"),
}  # fmt: skip
EARLIER = {
    "ca": ("{r} registres llegits\n{r} registres escrits",
           "{b} octets ({g}) copiats, {s} s, {v} MB/s"),
    "cs": ("{r} záznamů přečteno\n{r} záznamů zapsáno",
           "{b} bajtů ({g}) zkopírováno, {s} s, {v} MB/s"),
    "de": ("{r} Datensaetze ein\n{r} Datensaetze aus",
           "{b} Bytes (1,1 GB) kopiert, {s} s, {v} MB/s"),
    "es": ("{r} registros leídos\n{r} registros escritos",
           "{b} bytes ({g}) copiados, {s} s, {v} MB/s"),
    "es.old": ("{r} registros de entrada\n{r} registros de salida",
               "{b} bytes (1,1 GB) copiados, {s} segundos, {v} MB/s"),
    "fi": ("{r} tietuetta sisään\n{r} tietuetta ulos",
           "{b} tavua (1,1 GB) kopioitu, {s} sekuntia, {v} MB/s"),
    "fr.old": ("{r} enregistrements lus.\n{r} enregistrements écrits.",
               "{b} octets (1,1 GB) copiés, {s} secondes, {v} MB/s"),
    "it": ("{r} record dentro\n{r} record fuori", "{b} byte ({g}) copiati, {s} s, {v} MB/s"),
    "ja": ("{r} レコード入力\n{r} レコード出力",
           "{b} バイト (1.1 GB) コピーされました、 {s} 秒、 {v} MB/秒"),
    "ko.old": ("{r} 레코드 들어옴\n{r} 레코드 나감",
               "{b} 바이트 (1.1 GB) 복사됨, {s} 초, {v} MB/초"),
    "nl.old": ("{r} records in\n{r} records uit",
               "{b} bytes (1,1 GB) gekopieerd, {s} seconden, {v} MB/s"),
    "pl": ("{r} przeczytanych rekordów\n{r} zapisanych rekordów",
           "{b} bajtów ({g}), {s} s, {v} MB/s"),
    "pl.old": ("{r} przeczytanych recordów\n{r} zapisanych recordów",
               "skopiowane {b} bajtów (1,1 GB), {s} s, {v} MB/s"),
    "pt": ("{r} registos dentro\n{r} registos fora",
           "{b} bytes (1,1 GB) copiados, {s} s, {v} MB/s"),
    "pt_BR": ("{r} registros de entrada\n{r} registros de saída",
              "{b} bytes ({g}) copiados, {s} s, {v} MB/s"),
    "ru": ("{r} записей получено\n{r} записей отправлено",
           "{b} байт ({g}) скопирован, {s} s, {v} MB/s"),
    "ru.old": ("{r} записей считано\n{r} записей написано",
               "скопировано {b} байт (1,1 GB), {s} c, {v} MB/c"),
    "ru.oldest": ("{r} записей считано\n{r} записей написано",
                  "скопировано {b} байта (1,1 GB), {s} секунды, {v} MB/с"),
    "sv": ("{r} poster in\n{r} poster ut", "{b} byte ({g}) kopierade, {s} s, {v} MB/s"),
    "zh_CN": ("记录了{r} 的读入\n记录了{r} 的写出", "{b}字节(1.1 GB)已复制，{s} 秒，{v} MB/秒"),
    "zh_TW": ("輸入 {r} 個紀錄\n輸出 {r} 個紀錄", "{b} bytes ({g}) copied, {s} s, {v} MB/s"),
    "ja.mixed": ("{r} レコード入力\n{r} レコード出力", "{b} bytes ({g}) copied, {s} s, {v} MB/s"),
}  # fmt: skip
LANGUAGES = [*CATALOGS.items(), *EARLIER.items()]
FIGURES = {"r": "1024+0", "b": "1073741824", "g": "1,1 GB, 1,0 GiB", "s": "2,5", "v": "429"}
RATE = 1073741824 / 2.5


@pytest.mark.parametrize(("records", "total"), [texts for _, texts in LANGUAGES],
                         ids=[name for name, _ in LANGUAGES])  # fmt: skip
@pytest.mark.parametrize("between", ["\n", " ", "\n\n"])
@pytest.mark.parametrize("command", [COMMAND, ""])
def test_every_language(records: str, total: str, between: str, command: str) -> None:
    joined = f"{records}\n{total}".replace("\n", between)
    (trial,) = trials(f"{command}{joined}\n".format_map(FIGURES))
    way = "write" if command else "copy"
    assert trial.loops[0].metrics == {f"{way}.bandwidth": RATE}
    assert trial.elapsed == (2.5,)
    assert trial.details["bytes"] == 1073741824
    assert trial.target == ("/mnt/a" if command else "")


@pytest.mark.parametrize(("records", "total"), CATALOGS.values(), ids=CATALOGS)
def test_a_damaged_report_has_no_other_figure(records: str, total: str) -> None:
    whole = (COMMAND + f"{records}\n{total}\n").format_map(FIGURES)
    for shape, text in mangled(whole):
        rates = [set(trial.loops[0].metrics.values()) for trial in trials(text)]
        if shape.startswith(("folded", "cut", "quoted-printable")):
            assert rates in ([{RATE}], []), shape
        else:
            assert rates == [{RATE}], shape


@pytest.mark.parametrize("line", [
    "As the poster in this thread said, +0 poster in all, 5 MB/s",
    "Файл скопировано 3 раза, 5 MB/s",
    "skopiowane 1:1, 3 s, 5 MB/s",
    "Die Daten wurden kopiert, 3 s, 5 MB/s",
    "输入了 3 块记录",
])  # fmt: skip
def test_sentences_are_no_results(line: str) -> None:
    assert trials(line + "\n") == []
    assert not [piece for piece in read(line + "\n") if getattr(piece, "trials", ())]


ERRORS = {
    "de": ("dd: Fehler beim Schreiben von '{at}': ", "Eingabe-/Ausgabefehler",
           "Auf dem Gerät ist kein Speicherplatz mehr verfügbar"),
    "et": ("dd: viga '{at}' kirjutamisel: ", "Input/output error", "No space left on device"),
    "fr": ("dd: erreur d'écriture dans '{at}': ", "Erreur d'entrée/sortie",
           "Aucun espace disponible sur le périphérique"),
    "hr": ("dd: greška pri pisanju '{at}': ", "Ulazno/izlazna greška",
           "Nema više prostora na uređaju"),
    "ko": ("dd: '{at}' 쓰는 중 오류: ", "입력/출력 오류", "장치에 남은 공간이 없음"),
    "nl": ("dd: fout bij schrijven van '{at}': ", "Invoer-/uitvoerfout",
           "Geen ruimte meer over op apparaat"),
    "tr": ("dd: '{at}' yazarken hata: ", "Girdi/Çıktı hatası", "Aygıt üzerinde boş yer yok"),
    "uk": ("dd: помилка запису '{at}': ", "Помилка введення-виведення",
           "Недостатньо місця на пристрої"),
    "zh_CN": ("dd: 写入 '{at}' 时出错: ", "输入/输出错误", "设备上没有空间"),
}  # fmt: skip
"""msgstr of "error writing %s" in coreutils 9.1, and of both errors in glibc 2.36."""


@pytest.mark.parametrize("language", sorted(ERRORS))
def test_errors_above_the_records(language: str) -> None:
    records, done = CATALOGS[language]
    writing, broken, full = ERRORS[language]
    below = "\n".join((records, done)).format(
        r="1024+0", b="1073741824", g="1,1 GB, 1,0 GiB", s="10,7374", v="100"
    )
    for of, error, faults in (
        ("/dev/sdy", broken, 1), ("/mnt/x count=9000", full, 1), ("/mnt/x", full, 0),
        ("/dev/sdy", full, 0),
    ):  # fmt: skip
        said = writing.format(at=of.partition(" ")[0]) + error
        (trial,) = trials(f"# dd if=/dev/zero of={of} bs=1M\n{said}\n{below}\n")
        assert trial.loops[0].faults == (said,) * faults
        assert trial.target == of.partition(" ")[0]
