"""Text of strangers: what people see is clean, what programs read is exact."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import iosonde.hosts.command as command
from iosonde.cli import output
from iosonde.cli.output import print_error, styled
from iosonde.cli.screen import Screen
from iosonde.errors import Refused, UsageError
from iosonde.exact import json_text, restored, storable
from iosonde.measure.sheet import sheet
from iosonde.records.finding import Finding
from iosonde.records.run import Run
from iosonde.records.sheet import RunSheet
from iosonde.report import FORMATS
from iosonde.visible import FALLBACK, visible
from tests.cli.conftest import Ended
from tests.hostile.conftest import COMMAND
from tests.sample import sample_comparison, sample_run

ATTACKS = {
    "clear the screen": "\x1b[2J",
    "set the title": "\x1b]0;pwned\x07",
    "write the clipboard": "\x1b]52;c;cm0gLXJm\x1b\\",
    "a link": "\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\",
    "C1 control sequence": "\x9b31m",
    "C1 operating system command": "\x9d0;x\x9c",
    "carriage return": "good\rbad",
    "backspace": "a\x08b",
    "delete": "a\x7fb",
    "NUL": "a\0b",
    "bidirectional override": "\u202eevil\u202c",
    "bidirectional isolate": "\u2066x\u2069",
    "right-to-left mark": "a\u200fb",
    "line separator": "a\u2028iosonde: all is well",
    "paragraph separator": "a\u2029b",
    "next line": "a\x85b",
    "zero width space": "a\u200bb",
    "byte order mark": "\ufeffa",
    "no UTF-8": "caf\udce9",
    "half a pair": "\ud800",
}
HARMLESS = [
    "plain", "Größe naïve café", "e\u0301", "日本語の名前", "한국어", "שלום", "العربية",
    "👩\u200d👩\u200d👧", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "क्\u200dष", "می\u200cخواهم", "a\u00a0b", "a\u3000b", "\ue0b0", r"C:\dev\x1b", "µs ± 5 %",
    "a[0]", "iqn.2026-01.org:disk",
]  # fmt: skip
RAW = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff]"
)
OUR_STYLES = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[hl]|\r?\x1b\[[0-9]*[AK]|\r(?=\n|$|\x1b)")
EVIL = "".join(ATTACKS.values()) + "[red]x[/red][link=http://evil]y[/link]:smile:"


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_what_steers_a_terminal_is_shown_as_its_escape(attack: str) -> None:
    shown = visible(attack)
    assert not RAW.search(shown)
    assert "\\" in shown
    assert visible(shown) == shown


@pytest.mark.parametrize("text", HARMLESS)
def test_names_that_people_give_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


def test_newlines_and_tabs_are_kept_only_where_lines_are_meant() -> None:
    assert visible("a\tb\nc") == r"a\tb\nc"
    assert visible("a\tb\nc\rd\x0be", lines=True) == "a\tb\nc\\rd\\x0be"


def test_the_escape_says_which_sign_it_was() -> None:
    assert visible("\x1b\x9b\u2028\udce9\U000e0001") == r"\x1b\x9b\u2028\xe9\U000e0001"


# ── consoles ──────────────────────────────────────────────────────────────────────────────────


def _screen(*, terminal: bool) -> Screen:
    return Screen(
        file=io.StringIO(), force_terminal=terminal, width=4000, markup=False, emoji=False,
        highlight=False, legacy_windows=False, soft_wrap=True,
    )  # fmt: skip


def _table() -> Table:
    table = Table(title=EVIL, caption=EVIL)
    table.add_column(EVIL, footer=EVIL)
    table.add_row(EVIL)
    table.add_row(Text(EVIL, style="red"))
    return table


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(
    "thing",
    [EVIL, Text(EVIL), Text.assemble(("x", "bold"), EVIL), Panel(EVIL), _table(),
     Group(EVIL, Text(EVIL)), styled("[bold]{}[/bold] {}", EVIL, EVIL)],
    ids=["str", "Text", "assembled", "Panel", "Table", "Group", "styled"],
)  # fmt: skip
def test_a_console_shows_and_never_obeys(thing: object, terminal: bool) -> None:
    screen = _screen(terminal=terminal)
    screen.print(thing)
    written = screen.file.getvalue()  # type: ignore[attr-defined]
    left = RAW.sub("", OUR_STYLES.sub("", written)) if terminal else written
    assert not RAW.search(OUR_STYLES.sub("", written) if terminal else written)
    for shown in (r"\x1b[2J", r"\x9b31m", r"\u202e", r"caf\xe9", "[red]x[/red]", ":smile:"):
        assert shown in left.replace("\n", "")
    assert "\x1b[31mx" not in written


def test_the_live_panel_is_cleaned_too() -> None:
    screen = _screen(terminal=True)
    with Live(Group(EVIL, _table()), console=screen, transient=True):
        screen.print(EVIL)
    written = OUR_STYLES.sub("", screen.file.getvalue())  # type: ignore[attr-defined]
    assert not RAW.search(written)


def test_styles_of_ours_work_beside_brackets_of_others() -> None:
    line = styled("[bold]{}[/bold]: {}", "a[/bold][red]\\", "é[0]")
    assert line.plain == "a[/bold][red]\\: é[0]"
    assert [(span.start, span.end, str(span.style)) for span in line.spans] == [(0, 14, "bold")]
    assert styled("{}", "two\nlines").plain == r"two\nlines"


def test_a_column_is_as_wide_as_what_is_shown() -> None:
    screen = _screen(terminal=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column()
    table.add_row("\x1b[2J", "|")
    table.add_row("long enough", "|")
    screen.print(table)
    lines = screen.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len({line.index("|") for line in lines}) == 1


# ── messages, progress, trace ─────────────────────────────────────────────────────────────────


def test_errors_are_shown_clean_and_kept_exact(capsys: pytest.CaptureFixture[str]) -> None:
    problem = Refused(f"bad {EVIL}\nx", where=EVIL, hint=EVIL, evidence=EVIL)
    print_error(problem, as_json=False)
    text = capsys.readouterr().err
    assert not RAW.search(text)
    assert all(line.startswith(("iosonde: ", "  ")) for line in text.rstrip("\n").split("\n"))
    print_error(problem, as_json=True)
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["where"], error["hint"], error["evidence"]) == (EVIL, EVIL, EVIL)


def test_progress_in_a_pipe_is_one_clean_line_an_event(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from iosonde.cli.progress import LineProgress, RunView
    from iosonde.measure.progress import RunWarning

    LineProgress(RunView())(RunWarning(EVIL, f"a\nb{EVIL}"))
    text = capsys.readouterr().err
    assert not RAW.search(text)
    assert text.count("\n") == 1


@pytest.mark.parametrize("argument", [*ATTACKS.values(), "it's \x1b[2J\\n", *HARMLESS, "a b", "'"])
def test_a_traced_command_is_clean_and_can_be_run(
    argument: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_trace", True)
    command.trace("h\x1b[2J", ["printf", "%s", argument])
    line = capsys.readouterr().err
    assert not RAW.search(line)
    if "\0" in argument or "\ud800" in argument:
        return  # no argument of a command holds these
    done = subprocess.run(["bash", "-c", line.partition(": ")[2]], capture_output=True, check=True)
    assert done.stdout == os.fsencode(argument)


def test_a_plain_traced_command_is_quoted_as_ever(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_trace", True)
    argv = ["sh", "-c", "echo 'a'\nexit", "日本"]
    command.trace("local", argv)
    assert capsys.readouterr().err == f"+ local: {shlex.join(argv)}\n"
    command.trace("local", ["perl", "-e", "# one\n" * 100, "x"])
    assert capsys.readouterr().err == "+ local: perl -e '# one\n… 100 lines more' x\n"


# ── reports ───────────────────────────────────────────────────────────────────────────────────


def _evil_run(evil: str) -> RunSheet:
    first = sample_run().run
    trial = first.trials[0]
    assert trial.capture is not None
    layer = replace(trial.capture.layers[0], device=evil, mount=evil, hazards=(evil,),
                    facts={"model": evil}, settings={evil: evil})  # fmt: skip
    gap = replace(trial.capture.gaps[0], what=evil, reason=evil, remedy=evil)
    trial = replace(
        trial, host=evil, probe=evil, command=evil, faults=(evil,), flags=(evil,),
        target=replace(trial.target, path=evil), load=replace(trial.load, name=evil),
        capture=replace(trial.capture, layers=(layer,), gaps=(gap,)),
    )  # fmt: skip
    run = Run(first.id, evil, first.plan, first.created, first.state,
              trials=(trial, *first.trials[1:]))  # fmt: skip
    finding = Finding("rule", "warning", evil, evil, remedy=evil, confirm=evil)
    return replace(sheet(run), findings=(finding,))


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"json", "png", "parquet"}))
@pytest.mark.parametrize("evil", [EVIL, f"={EVIL}"], ids=["evil", "formula"])
def test_no_report_holds_it_raw(name: str, evil: str) -> None:
    compared = sample_comparison(evil, evil)
    text = FORMATS.load(name)().serialize([_evil_run(evil)], compared).decode()
    assert not RAW.search(text.replace("\r\n", "\n"))
    assert "<link=" not in text
    assert r"\x1b" in text.replace("\\\\", "\\")


@pytest.mark.parametrize("name", ["png", "parquet"])
def test_binary_reports_are_written(name: str) -> None:
    assert FORMATS.load(name)().serialize([_evil_run(EVIL)])


def test_json_is_exact() -> None:
    written = FORMATS.load("json")().serialize([_evil_run(EVIL)])
    assert written.decode().isprintable() or "\\u001b" in written.decode()
    document = json.loads(written)
    assert (document["study"], document["trials"][0]["target"]) == (EVIL, EVIL)
    assert json.loads(json_text({"a": [EVIL, *HARMLESS]}, ascii_only=True)) == {
        "a": [EVIL, *HARMLESS]
    }


@pytest.mark.parametrize(
    ("cell", "shown"),
    [("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"), ("+1", "'+1"), ("-1+1", "'-1+1"),
     ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", r"\t=1"), ("\r=1", r"\r=1"), (" =1", "' =1"),
     ("＝1", "'＝1"), ("a\nb", r"a\nb"), ("\x1b[2J", r"\x1b[2J"), ("a=b", "a=b"),
     ("/dev/sd-a", "/dev/sd-a"), ("日本", "日本"), (-1.5, -1.5), (None, None), (True, True)],
)  # fmt: skip
def test_a_cell_of_csv_is_no_formula_and_one_line(cell: object, shown: object) -> None:
    from iosonde.report.csv import _cell

    assert _cell(cell) == shown  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [*ATTACKS.values(), *HARMLESS, "\ufdd0", "\ufdd0dce9", "a\ufdd0"])
def test_what_is_stored_comes_back(text: str) -> None:
    stored = storable(text)
    stored.encode()
    assert "\0" not in stored
    assert restored(stored) == text
    if text in HARMLESS:
        assert stored == text


# ── the verbs ─────────────────────────────────────────────────────────────────────────────────


def _fio_json(name: str) -> str:
    job = {
        "jobname": name, "error": 0, "job options": {"rw": "write"},
        "write": {"io_bytes": 4096000, "io_kbytes": 4000, "bw_bytes": 4096000, "bw": 4000,
                  "iops": 1000.0, "runtime": 1000, "total_ios": 1000,
                  "lat_ns": {"min": 1, "max": 9000, "mean": 1000.0, "stddev": 1.0, "N": 1000}},
    }  # fmt: skip
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]}, indent=1)


def test_verbs_show_what_was_imported_clean(iosonde: Callable[..., Ended], tmp_path: Path) -> None:
    evil = "job\x1b[2J\x9b\u202e\u2028[red]x"
    files = [f"{name}\x1b[31m.json" for name in ("a", "b")]
    for name in files:
        (tmp_path / name).write_text(_fio_json(evil))
    exact = iosonde("import", "--json", "--dry-run", files[0]).json
    assert exact["trials"][0]["name"] == evil
    imported = iosonde("import", "--again", *files)
    assert imported.status == 0, imported.stderr
    runs = [line["id"] for line in iosonde("list", "--json").json["runs"]]
    shown = [
        imported,
        iosonde("list"),
        iosonde("explain", runs[0]),
        iosonde("explain", files[0]),
        iosonde("compare", *runs),
        iosonde("export", "-f", "csv", runs[0]),
        iosonde("export", "-f", "markdown", runs[0]),
        iosonde("import", f"no\x1b[2J{evil}"),
    ]
    for ended in shown:  # fmt: skip
        for text in (ended.stdout.replace("\r\n", "\n"), ended.stderr):
            assert not RAW.search(text), text
    assert r"\x1b[2J" in imported.stdout
    assert "[red]x" in imported.stdout
    assert iosonde("export", runs[0]).json["trials"][0]["load"]["name"] == evil


def test_a_target_with_such_a_name_is_refused_clean(iosonde: Callable[..., Ended]) -> None:
    ended = iosonde("run", "--load", "latency", "--target", "/none\x1b[2J\u202e/\u2028x")
    assert ended.status in {2, 3, 4}
    assert not RAW.search(ended.stderr)
    assert "/none\\x1b[2J\\u202e" in ended.stderr


@pytest.mark.parametrize(
    "setting",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
     {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}],
    ids=["C", "ascii", "latin-1"],
)  # fmt: skip
def test_an_output_without_our_signs_ends_nothing(
    setting: Mapping[str, str], environment: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "result.json").write_text(_fio_json("日本 é ±"), encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*COMMAND, *arguments], env={**environment, **setting}, cwd=tmp_path, timeout=60,
            capture_output=True, check=False,
        )  # fmt: skip

    imported = run("import", "result.json")
    assert (imported.returncode, b"Traceback" in imported.stderr) == (0, False), imported.stderr
    assert rb"\u65e5\u672c" in imported.stdout
    for verb in (["list"], ["export", "-f", "markdown", "last"], ["run", "--help"], ["loads"]):
        done = run(*verb)
        assert done.returncode in {0, 1}, done.stderr
        assert b"Traceback" not in done.stderr
    for verb in (["export", "last"], ["import", "--json", "--dry-run", "result.json"]):
        trial = json.loads(run(*verb).stdout.decode())["trials"][0]
        assert trial.get("name", trial.get("load", {}).get("name")) == "日本 é ±"


def test_signs_of_ours_have_look_alikes_in_ascii() -> None:
    assert "5 µs ± 3 … 日".encode("ascii", FALLBACK) == rb"5 us +- 3 ... \u65e5"


# ── no other way out ──────────────────────────────────────────────────────────────────────────

SOURCES = Path(output.__file__).parents[1]
ALLOWED = {
    "cli/output.py": {"sys.stdout", "sys.stderr", "from_markup"},
    "cli/screen.py": {"Console"},
    "cli/streams.py": {"sys.stdout", "sys.stderr", "__stdout__", "__stderr__"},  # made there
    "cli/main.py": {"sys.stdout", "sys.stderr"},
    "cli/export.py": {"sys.stdout"},  # isatty
    "cli/stored.py": {"sys.stdout"},  # isatty
    "cli/imported.py": {"sys.stdout"},  # JSON
    "cli/progress.py": {"sys.stderr", "styled without a literal"},  # isatty; a LiteralString
    "cli/rm.py": {"sys.stderr"},  # isatty
    "hosts/command.py": {"sys.stderr"},
    "outputs.py": {"sys.stdout"},  # a file's content, where the user named standard output
    "change/scan_host.py": {"sys.stdout"},  # a program of its own on the host
    "lab/guests.py": {"sys.stdout"},  # a program of its own inside a guest
    "loads/replay/submit.py": {"sys.stderr"},  # a program of its own on the host
}


def _ways_out(source: str) -> set[str]:
    """What in a source could reach a terminal past the one place."""
    nodes = list(ast.walk(ast.parse(source)))
    return {way for node in nodes if (way := _of_stream(node) or _of_console(node))}


def _of_stream(node: ast.AST) -> str:
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr" as stream):
            return f"sys.{stream}"
        case ast.Attribute(attr="__stdout__" | "__stderr__" as stream):
            return stream
        case ast.ImportFrom(module="sys", names=names):
            streams = {"stdout", "stderr", "__stdout__", "__stderr__", "*"}
            return next((f"sys.{name.name}" for name in names if name.name in streams), "")
        case ast.Import(names=names) if any(name.name == "sys" and name.asname for name in names):
            return "sys under another name"
        case ast.Name(id="print") | ast.Attribute(attr="print", value=ast.Name(id="builtins")):
            return "print"
        case ast.ImportFrom(module="rich", names=names):
            return next(("print" for name in names if name.name in {"print", "*"}), "")
        case ast.Attribute(value=ast.Name(id="typer" | "click"), attr="echo" | "secho"):
            return "echo"
        case ast.ImportFrom(module="typer" | "click", names=names):
            return next(("echo" for name in names if name.name in {"echo", "secho", "*"}), "")
    return ""


def _of_console(node: ast.AST) -> str:
    match node:
        case (
            ast.Call(func=ast.Name(id="Console") | ast.Attribute(attr="Console"))
            | ast.ClassDef(bases=[ast.Name(id="Console") | ast.Attribute(attr="Console")])
        ):
            return "Console"
        case ast.ImportFrom(module="rich.console", names=names):
            other = any(name.name in {"Console", "*"} and name.asname for name in names)
            return "Console" if other or any(name.name == "*" for name in names) else ""
        case ast.Attribute(attr="from_markup" | "from_ansi" as name):
            return name
        case ast.keyword(arg="markup", value=ast.Constant(value=True)):
            return "markup=True"
        case ast.ImportFrom(module="rich.panel" | "rich.rule" | "rich.prompt" | "rich.status"):
            return "reads markup whatever the console says"
        case ast.Call(func=ast.Name(id="styled"), args=[ast.Constant(), *_]):
            return ""
        case ast.Call(func=ast.Name(id="styled"), args=[ast.Subscript() as first, *_]):
            return "" if ast.unparse(first.value) == "_HEADINGS" else "styled without a literal"
        case ast.Call(func=ast.Name(id="styled")):
            return "styled without a literal"
    return ""


def test_nothing_is_printed_past_the_one_place() -> None:
    wrong = {}
    for path in sorted(SOURCES.rglob("*.py")):
        name = path.relative_to(SOURCES).as_posix()
        if more := _ways_out(path.read_text(encoding="utf-8")) - ALLOWED.get(name, set()):
            wrong[name] = sorted(more)
    assert wrong == {}, "print by iosonde.cli.output"


@pytest.mark.parametrize(
    "planted",
    ["print(name)", "sys.stdout.write(name)", "import sys\nsys.stderr.write(f'{name}')",
     "Console().print(name)", "class Other(Console): ...", "Text.from_markup(name)",
     "console.print(name, markup=True)", "styled(f'[bold]{name}[/bold]')", "typer.echo(name)",
     "from rich.panel import Panel", "from sys import stdout", "import sys as system",
     "from sys import stderr as out", "map(print, names)", "say = print",
     "import builtins\nbuiltins.print(name)", "from rich import print as say",
     "from typer import echo", "list(map(typer.secho, names))", "rich.console.Console().log(name)",
     "from rich.console import Console as C"],
)  # fmt: skip
def test_another_way_would_be_seen(planted: str) -> None:
    assert _ways_out(planted)


@pytest.mark.parametrize(
    "right",
    ["import sys\nsys.argv", "from sys import argv", "printed(name)", "styled('[bold]', name)",
     "from rich.console import Group", "from rich.table import Table", "from typer import Option",
     "record.stdout", "done.stderr.decode()"],
)  # fmt: skip
def test_what_only_looks_like_a_way_out_is_none(right: str) -> None:
    assert not _ways_out(right)


def test_every_permission_is_still_used() -> None:
    unused = {}
    for name, ways in ALLOWED.items():
        if more := ways - _ways_out((SOURCES / name).read_text(encoding="utf-8")):
            unused[name] = sorted(more)
    assert unused == {}


def test_an_expected_failure_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(UsageError("a plain sentence", where="here", hint="do this"), as_json=False)
    assert capsys.readouterr().err == "iosonde: here: a plain sentence\n  to do: do this\n"
