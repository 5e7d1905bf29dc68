"""Lines of mke2fs in the languages that e2fsprogs speaks, and what they are in English.

Source: e2fsprogs 1.47, po/*.po (ca, da, de, es, fr, hu, it, nl, pl, pt, ro, sv, uk, vi, zh_CN): the
translations of misc/mke2fs.c (show_stats(), main()) and of misc/util.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

_FORMS: Mapping[str, Sequence[str]] = {
    "Creating filesystem with {} {}k blocks and {} inodes": (
        "S'està creant un sistema de fitxers amb {} {}k blocs i {} nodes-i",
        "Opretter filsystem med {} {}k blokke og {} iknuder",
        "Ein Dateisystem mit {} ({}k) Blöcken und {} Inodes wird erzeugt.",
        "Se está creando un sistema de ficheros con {} bloques de {}k y {} nodos-i",
        "En train de créer un système de fichiers avec {} {}k blocs et {} i-noeuds.",
        "Fájlrendszer létrehozása {} {} blokkal és {} inode-dal",
        "Creazione del file system con {} {}k blocchi e {} inode",
        "Aanmaken van bestandssysteem met {} blokken (van {}K) en {} inodes.",
        "Tworzenie systemu plików o {} blokach {}k oraz {} i-węzłach",
        "A criar sistema de ficheiros com {} {}k blocos e {} inodes",
        "Se creează sistemul de fișiere cu {} {}k blocuri și {} noduri-i",
        "Skapar ett filsystem med {} {} k-block och {} inoder",
        "Створюємо файлову систему з {} {}К блоками та {} inode",
        "Đang tạo hệ thống tập tin với {} ({}k) khối và {} nút.",
        "创建含有 {} 个块（每块 {}k）和 {} 个 inode 的文件系统",
    ),
    "Filesystem label={}": (
        "Etiqueta del sistema de fitxers={}", "Filsystemetiket={}", "Fájlrendszer címkéje={}",
        "Etichetta del file system={}", "Nhãn hệ thống tập tin={}",
    ),
    "Block size={} (log={})": (
        "Mida del bloc={} (log={})", "Blokstørrelse={} (log={})", "Blockgröße={} (log={})",
        "Tamaño del bloque={} (log={})", "Taille de bloc={} (log={})", "Blokkméret={} (napló={})",
        "Dimensione blocco={} (log={})", "Blokgrootte={} (log={})", "Rozmiar bloku={} (log={})",
        "Tamanho de bloco={} (diário={})", "Dimensiune bloc={} (jurnal={})",
        "Blockstorlek={} (log={})", "Розмір блоку={} (журнал={})", "Cỡ khối={} (bản ghi={})",
        "块大小={} (log={})",
    ),
    "Stride={} blocks, Stripe width={} blocks": (
        "Stride={} blocs, amplada del Stripe={} blocs", "Stride={} Blöcke, Stripebreite={} Blöcke",
        "Stride={} bloques, anchura de stripe={} bloques",
        "« Stride » = {} blocs, « Stripe width » = {} blocs",
        "Stride={} blokk, csíkszélesség={} blokk",
        "'stride'={} blokken, 'stripe'-breedte={} blokken",
        "Stride={} bloków, szerokość Stripe={} bloków",
        "Passo={} blocos, Largura de banda={} blocos",
        "Lungime dungă (stride)={} blocuri, Lățime dungă (stripe width)={} blocuri",
        "Kliv={} block, remsvidd={} block", "Stride={} блоків, Stripe width={} блоків",
        "Bước={} khối, Độ rộng sọc={} khối", "步长={} 块，带宽={} 块",
    ),
    "{} inodes, {} blocks": (
        "{} nodes-i, {} blocs", "{} iknuder, {} blokke", "{} Inodes, {} Blöcke",
        "{} nodos-i, {} bloques", "{} i-noeuds, {} blocs", "{} inode, {} blokk",
        "{} inodes, {} blokken", "{} i-węzłów, {} bloków", "{} inodes, {} blocos",
        "{} noduri-i, {} blocuri", "{} inoder, {} block", "{} inode, {} блоків",
        "{} nút thông tin, {} khối", "{} 个 inode，{} 个块",
    ),
    "{} blocks ({}%) reserved for the super user": (
        "{} blocs ({}%) reservats per al superusuari",
        "{} blokke ({}%) reserveret for superbrugeren",
        "{} Blöcke ({}%) reserviert für den Superuser",
        "{} bloques ({}%) reservados para el superusuario",
        "{} blocs ({}%) réservés pour le super utilisateur",
        "{} blokk ({}%) fenntartva a rendszergazda számára",
        "{} blokken ({}%) gereserveerd voor systeembeheer",
        "{} bloków ({}%) zarezerwowanych dla superużytkownika",
        "{} blocos ({}%) reservado para super-utilizador",
        "{} blocuri ({}%) rezervate pentru super-utilizator",
        "{} block ({}%) reserverade för superanvändaren",
        "{} блоків ({}%) зарезервовано для суперкористувача",
        "{} khối ({}%) được dành riêng cho siêu người dùng", "{} 个块 ({}%) 为超级用户保留",
    ),
    "{} block groups": (
        "{} grups de blocs", "{} grup de blocs", "{} blokgrupper", "{} blokgruppe",
        "{} Blockgruppen", "{} Blockgruppe", "{} grupos de bloques", "{} grupo de bloques",
        "{} groupes de blocs", "{} groupe de bloc", "{} blokkcsoport", "{} gruppi di blocchi",
        "{} blokgroepen", "{} blokgroep", "{} grup bloków", "{} grupa bloków",
        "{} grupos de blocos", "{} grupo de blocos", "{} (de) grupuri de blocuri",
        "{} grup de blocuri", "{} blockgrupper", "{} blockgrupp", "{} груп блоків",
        "{}-блокова група", "{} nhóm khối", "{} 个块组",
    ),
    "Filesystem UUID: {}": (
        "UUID del sistema de fitxers={}", "Filsystem UUID: {}", "UUID des Dateisystems: {}",
        "UUID del sistema de ficheros: {}", "UUID de système de fichiers={}",
        "Fájlrendszer UUID: {}", "Bestandssysteem-UUID: {}", "UUID systemu plików: {}",
        "UUID do sistema de ficheiros: {}", "UUID-ul sistemului de fișiere: {}",
        "Filsystems-UUID: {}", "UUID файлової системи: {}",
        "Mã số định danh thiết bị hệ thống tập tin: {}", "文件系统 UUID：{}",
    ),
    "Superblock backups stored on blocks:": (
        "Còpies de seguretat del superbloc desades en els blocs:",
        "Superblock-Sicherungskopien gespeichert in den Blöcken:",
        "Respaldos del superbloque guardados en los bloques:",
        "Superblocs de secours stockés sur les blocs :",
        "Tartalék szuperblokkok tárolva a blokkokon:",
        "Backup del superblocco salvati nei blocchi:",
        "Superblokreservekopieën zijn opgeslagen in blokken:",
        "Kopie zapasowe superbloku zapisane w blokach:",
        "Seguranças de super-blocos armazenadas em blocos:",
        "Copii de rezervă ale super-blocului stocate în blocuri:",
        "Superblockkopior lagrade på block:",
        "Резервні копії суперблоку зберігаються у таких блоках:",
        "Siêu khối dự trữ được cất giữ trên khối:", "超级块的备份存储于下列块：",
    ),
    "Creating journal ({} blocks):": (
        "Creació del registre de transaccions ({} blocs):", "Opretter journal ({} blokke):",
        "Das Journal ({} Blöcke) wird angelegt:",
        "Creando el fichero de transacciones ({} bloques):", "Création du journal ({} blocs) :",
        "Napló létrehozása ({} blokk):", "Aanmaken van journal ({} blokken):",
        "Tworzenie kroniki ({} bloków):", "A criar diário ({} blocos):",
        "Se creează jurnalul ({} blocuri):", "Skapar journal ({} block):",
        "Створюємо журнал ({} блоків):", "Đang tạo nhật ký ({} khối):", "创建日志（{} 个块）：",
    ),
    "Fragment size={} (log={})": (
        "Mida del fragment={} (log={})", "Fragmentstørrelse{} (log={})",
        "Fragmentgröße={} (log={})", "Tamaño del fragmento={} (log={})",
        "Taille de fragment={} (log={})", "Töredék mérete={} (napló={})",
        "Dimensione frammento={} (log={})", "Fragmentgrootte={} (log={})",
        "Rozmiar fragmentu={} (log={})", "Tamanho de fragmento={} (diário={})",
        "Dimensiune fragment={} (jurnal={})", "Fragmentstorlek={} (log={})",
        "Розмір фрагмента={} (журнал={})", "Cỡ đoạn={} (bản ghi={})", "分块大小={} (log={})",
    ),
    "First data block={}": (
        "Bloc de dades inicial={}", "Første datablok={}", "Erster Datenblock={}",
        "Primer bloque de datos={}", "Premier bloc de données={}", "Első adatblokk={}",
        "Primo blocco dati={}", "Eerste gegevensblok={}", "Pierwszy blok danych={}",
        "1º bloco de dados={}", "Primul bloc de date={}", "Första datablock={}",
        "Перший блок даних={}", "Khối dữ liệu đầu={}", "第一个数据块={}",
    ),
    "Maximum filesystem blocks={}": (
        "Màxim de blocs del sistema de fitxers={}", "Maksimum filsystemblokke={}",
        "Maximale Dateisystem-Blöcke={}", "Número máximo de bloques del sistema de ficheros={}",
        "Nombre maximum de blocs du système de fichiers={}",
        "Fájlrendszerblokkok maximális száma={}", "Blocchi massimi nel file system={}",
        "Maximum aantal bestandssysteemblokken={}", "Maksymalna liczba bloków systemu plików={}",
        "Máximo de blocos do sistema de ficheiros={}",
        "Numărul maxim de blocuri al sistemului de fișiere={}", "Maximalt antal filsystemsblock={}",
        "Максимальна кількість блоків у файловій системі={}", "Khối hệ thống tập tin tối đa={}",
        "文件系统块的最大值={}",
    ),
    "{} blocks per group, {} fragments per group": (
        "{} blocs per grup, {} fragments per grup",
        "{} blokke per gruppe, {} fragmenter per gruppe",
        "{} Blöcke pro Gruppe, {} Fragmente pro Gruppe",
        "{} bloques por grupo, {} fragmentos por grupo",
        "{} blocs par groupe, {} fragments par groupe",
        "{} blokk csoportonként, {} töredék csoportonként",
        "{} blocchi per gruppo, {} frammenti per gruppo",
        "{} blokken per groep, {} fragmenten per groep",
        "{} bloków w grupie, {} fragmentów w grupie",
        "{} blocos por grupo, {} fragmentos por grupo",
        "{} blocuri per grup, {} fragmente per grup", "{} block per grupp, {} fragment per grupp",
        "{} блоків на групу, {} фрагментів на групу",
        "{} khối trên mỗi nhóm, {} đoạn trên mỗi nhóm", "每组 {} 个块，{} 个分块",
    ),
    "{} inodes per group": (
        "{} nodes-i per grup", "{} iknuder per gruppe", "{} Inodes pro Gruppe",
        "{} nodos-i por grupo", "{} i-noeuds par groupe", "{} inode csoportonként",
        "{} inode per gruppo", "{} inodes per groep", "{} i-węzłów w grupie", "{} inodes por grupo",
        "{} noduri-i per grup", "{} inoder per grupp", "{} inode на групу",
        "{} nút thông tin trên mỗi nhóm", "每组 {} 个 inode",
    ),
    "Allocating group tables: ": (
        "S'assignen les taules de grup:", "Allokerer gruppetabeller:",
        "beim Anfordern von Speicher für die Gruppentabellen:", "Reservando las tablas de grupo:",
        "Allocation des tables de groupe :", "Csoporttáblák foglalása:",
        "Reserveren van groepstabellen:", "Przydzielanie tablicy grup:",
        "A alocar tabelas de grupo:", "Se alocă tabelele de grupuri:", "Allokerar grupptabeller:",
        "Розміщуємо таблиці груп:", "Phân bổ bảng nhóm:", "正在分配组表：",
    ),
    "Writing inode tables: ": (
        "Escriptura de les taules de nodes-i:", "Skriver iknudetabeller:",
        "Inode-Tabellen werden geschrieben:", "Escribiendo las tablas de nodos-i:",
        "Écriture des tables d'i-noeuds :", "Inode táblák írásakor:",
        "Scrittura delle tavole degli inode:", "Schrijven van inodetabellen:",
        "Zapis tablicy i-węzłów:", "A escrever tabelas de inodes:",
        "Se scriu tabelele de noduri-i:", "Skriver inodstabeller:", "Записуємо таблиці inode:",
        "Đang ghi các bảng nút thông tin:", "正在写入 inode表：",
    ),
    "Writing superblocks and filesystem accounting information: ": (
        "Escriptura de la informació dels superblocs i de comptabilitat del sistema de fitxers:",
        "Skriver superblokke og filsystemets registreringsinformation:",
        "Die Superblöcke und die Informationen über die Dateisystemnutzung werden",
        "Escribiendo superbloques y la información contable del sistema de ficheros:",
        "Écriture des superblocs et de l'information de comptabilité du système de",
        "Szuperblokkok és fájlrendszer-könyvelési információk írása:",
        "Scrittura delle informazioni dei super-blocchi e dell'accounting del file system:",
        "Schrijven van superblokken en bestandssysteem-metagegevens:",
        "Zapis superbloków i podsumowania systemu plików:",
        "A escrever super-blocos e informação de contabilidade do sistema de ficheiros:",
        "Se scriu super-blocurile și informațiile de contabilizare ale sistemului de fișiere:",
        "Skriver superblock och bokföringsinformation för filsystemet:",
        "Записуємо дані щодо обліку суперблоків та файлової системи:",
        "Đang ghi siêu khối và thông tin kế toán hệ thống tập tin:",
        "写入超级块和文件系统账户统计信息：",
    ),
}  # fmt: skip
"""Each line in English, and in the other languages; braces stand for what differs."""
_NUMBER = r"(\d{1,19})"
_TEXTS = {"Filesystem label={}": r"(.{0,16}?)", "Filesystem UUID: {}": r"([\da-f-]{36})"}
_SHARE = r"(\d{1,2}[.,]\d\d)"
_BEGINS = ("Creating filesystem ", "Filesystem label=", "Block size=", "Creating journal ")
_LONG = 300  # characters


def anchors() -> Iterator[str]:
    """What lines begin with by which an output is told."""
    for english, forms in _FORMS.items():
        if english.startswith(_BEGINS):
            yield from (begin for form in forms if len(begin := form.partition("{}")[0]) > 3)


@cache
def _patterns() -> Sequence[tuple[str, re.Pattern[str]]]:
    return tuple(
        (english, _pattern(english, form)) for english, forms in _FORMS.items() for form in forms
    )


def _pattern(english: str, form: str) -> re.Pattern[str]:
    """What matches a line in another language; below steps stands how far they are."""
    figure = _TEXTS.get(english, _NUMBER)
    text = re.escape(form).replace(r"\{\}%", f"{_SHARE} ?%").replace(r"\{\}", figure)
    is_step = english.rstrip().endswith(":")
    return re.compile(rf"\s*{text}{r'.{0,80}' if is_step else ''}\s*$")


def in_english(line: str) -> str:
    """A line of mke2fs as it is in English; any other as it stands."""
    if len(line) > _LONG:
        return line
    plain = line.replace("\u00a0", " ")
    for english, pattern in _patterns():
        if match := pattern.match(plain):
            return english.format(*(group.replace(",", ".") for group in match.groups()))
    return line
