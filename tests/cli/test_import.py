"""`iosonde import` and `iosonde explain` as a user calls them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.cli.conftest import COMMAND, Ended
from tests.unit.explain.cases import loop_tester_page, network_page

PAIR = (
    "# Disk\n\n/dev/md127:\n"
    " Timing cached reads:   9636 MB in  2.00 seconds = 4820.51 MB/sec\n"
    " Timing buffered disk reads: 1544 MB in  3.03 seconds = 509.52 MB/sec\n"
)
Run = Callable[..., Ended]


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "page.md").write_text(network_page())
    return "page.md"


def test_a_page_becomes_a_run_that_other_verbs_take(iosonde: Run, page: str) -> None:
    done = iosonde("import", page, "--json")
    assert done.status == 0, done.stderr
    document = done.json
    jsonschema.validate(document, schema("import"))
    assert len(document["trials"]) == 16
    fio = [trial for trial in document["trials"] if trial["tool"] == "fio"]
    assert [record["label"] for record in fio] == [f"Result {number}" for number in range(1, 9)]
    iops = fio[1]["metrics"]["write.iops"]
    assert (iops["mean"], iops["rounded"], iops["precision"]) == (88_600, True, 50)
    assert fio[1]["device_io"]["nvme0n1"]["writes"] == 1_405_100
    assert fio[1]["issued"]["write"] == 5_333_109
    run = document["runs"][0]["run"]

    listed = iosonde("list", "--json").json["runs"][0]["trials"]
    assert len(listed) == 16
    assert iosonde("export", run, "--format", "csv").stdout.count("write.iops") == 8
    compared = iosonde("compare", f"{run}/{listed[1]['id']}", f"{run}/{listed[3]['id']}", "--json")
    assert compared.status == 0, compared.stderr

    explained = iosonde("explain", run, "--json")
    jsonschema.validate(explained.json, schema("explain"))
    rules = [finding["rule"] for finding in explained.json["findings"]]
    assert rules.count("page-cache") >= 8
    again = iosonde("explain", page, "--json").json
    assert [finding["rule"] for finding in again["findings"]] == rules


def test_the_report_shows_imported_trials_and_findings(
    iosonde: Run, page: str, tmp_path: Path
) -> None:
    iosonde("import", page)
    done = iosonde("report", "last", "-o", "report.html")
    assert done.status == 0, done.stderr
    html = (tmp_path / "report.html").read_text()
    assert "lines 9 to" in html or "page.md, lines" in html
    assert "page-cache" in html
    assert "What each layer costs" in html


def test_the_same_text_is_not_kept_twice(iosonde: Run, page: str) -> None:
    first, second = (iosonde("import", page, "--json").json["runs"] for _ in range(2))
    assert first[0]["run"] == second[0]["run"]
    assert (first[0]["already"], second[0]["already"]) == (False, True)
    third = iosonde("import", page, "--again", "--json").json["runs"]
    assert third[0]["run"] != first[0]["run"]


def test_a_dry_run_keeps_nothing(iosonde: Run, page: str) -> None:
    assert iosonde("import", page, "--dry-run").status == 0
    assert "no runs yet" in iosonde("list").stdout


def test_standard_input_is_read(environment: Mapping[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "import", "-", "--dry-run"], input=PAIR.encode(), env=dict(environment),
        cwd=tmp_path, capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    assert b"/dev/md127" in done.stdout
    assert b"1 trial found" in done.stdout


def test_several_files_come_together(iosonde: Run, page: str, tmp_path: Path) -> None:
    (tmp_path / "pair.txt").write_text(PAIR)
    done = iosonde("import", page, "pair.txt", "--json").json
    assert [run["file"] for run in done["runs"]] == [page, "pair.txt"]
    assert {trial["source"]["file"] for trial in done["trials"]} == {page, "pair.txt"}


def test_what_cannot_be_read_is_listed_and_strict_refuses(iosonde: Run, tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_text(f"{PAIR}\nTiming cached reads:   9636 MB in\n")
    done = iosonde("import", "cut.txt")
    assert done.status == 0
    assert "not read cut.txt:7: hdparm, no speed follows" in done.stdout
    unread = iosonde("import", "cut.txt", "--json").json["unread"]
    assert unread[0]["source"]["first_line"] == 7
    as_json = iosonde("import", "cut.txt", "--strict", "--json")
    assert as_json.status == 2
    assert as_json.json["unread"] == unread
    strict = iosonde("import", "cut.txt", "--strict", "--dry-run")
    assert strict.status == 2
    assert "cut.txt:7: an output of hdparm could not be read" in strict.stderr


def test_a_text_without_outputs_is_refused_with_what_is_known(iosonde: Run, tmp_path: Path) -> None:
    (tmp_path / "prose.txt").write_text("Nothing but prose about disks.\n")
    done = iosonde("import", "prose.txt")
    assert done.status == 2
    assert "prose.txt: nothing was recognised: no output of a known tool" in done.stderr
    assert "`iosonde import --kinds` lists" in done.stderr
    assert max(map(len, done.stderr.splitlines())) < 100
    as_json = iosonde("import", "prose.txt", "--json")
    assert as_json.status == 2
    assert as_json.json["schema"] == "iosonde.error/1"


def test_a_missing_file_does_not_lose_the_others(iosonde: Run, page: str) -> None:
    done = iosonde("import", page, "nowhere.txt")
    assert done.status == 2
    assert "nowhere.txt: cannot be read" in done.stderr
    assert page in iosonde("list").stdout


def test_findings_of_a_page_on_the_terminal(iosonde: Run, tmp_path: Path) -> None:
    (tmp_path / "loops.md").write_text(loop_tester_page())
    done = iosonde("explain", "loops.md")
    assert done.status == 0, done.stderr
    for word in ("common-cause", "first-loop", "within-noise", "ranking", "strip size 256 KiB"):
        assert word in done.stdout
    assert "1354.2 MiB/s" not in done.stdout
    assert "1354.2 MiB/s" in iosonde("explain", "loops.md", "-v").stdout


def test_the_waterfall_on_the_terminal_and_as_json(iosonde: Run, page: str) -> None:
    asked = ("explain", page, "--order", "Result 2", "--order", "Result 3")
    done = iosonde(*asked)
    assert "most is lost at Result 3: 86.0 % of Result 2" in done.stdout.splitlines()[0]
    assert "87.8 %" in done.stdout
    falls = iosonde(*asked, "--json").json["waterfall"]
    assert {len(fall["steps"]) for fall in falls} == {2}
    wrong = iosonde("explain", page, "--waterfall", "--order", "floppy")
    assert wrong.status == 2
    assert "'floppy' is in the label of no trial" in wrong.stderr


def test_this_host_can_be_explained(iosonde: Run) -> None:
    done = iosonde("explain", "--json")
    assert done.status == 0, done.stderr
    jsonschema.validate(done.json, schema("explain"))


def test_rules_are_listed_with_their_sources(iosonde: Run) -> None:
    assert "page-cache" in iosonde("explain", "--rules").stdout
    rules = iosonde("explain", "--rules", "--json").json["rules"]
    assert all(rule["says"] and rule["source"] for rule in rules)


def test_a_file_that_is_not_there_is_no_host(iosonde: Run) -> None:
    done = iosonde("explain", "./missing.txt")
    assert done.status == 2
    assert "there is no such file" in done.stderr
    assert "to do: check the name" in done.stderr


@pytest.mark.parametrize("verb", ["import", "explain"])
def test_a_file_that_is_not_there_has_one_that_was_meant(
    iosonde: Run, tmp_path: Path, verb: str
) -> None:
    (tmp_path / "dmesg.txt").write_text("nothing\n")
    done = iosonde(verb, str(tmp_path / "dmseg.txt"))
    assert done.status == 2
    assert f"to do: did you mean {tmp_path / 'dmesg.txt'}?" in done.stderr
    done = iosonde(verb, str(tmp_path / "gone" / "dmesg.txt"))
    assert f"to do: check the path: there is no folder {tmp_path / 'gone'}" in done.stderr


def test_what_no_reader_knows_is_counted_and_listed_when_asked(
    iosonde: Run, tmp_path: Path
) -> None:
    (tmp_path / "ticket.txt").write_text(
        PAIR
        + "\n# raidcli show 1\nState: Optimal\nSize:  42854390 MB\n\n$ raidcli -V\n"
        + "".join(f"{'v' * number} of {number}\n" for number in range(70))
    )
    short = iosonde("import", "ticket.txt", "--dry-run")
    assert "1 trial found; 1 could not be read\n" in short.stdout
    assert "1 output of other tools kept as printed, not interpreted: see -v\n" in short.stdout
    assert "raidcli show 1" not in short.stdout
    assert "raidcli, output of `raidcli -V`: no reader for it\n" in short.stdout
    listed = iosonde("import", "ticket.txt", "--dry-run", "-v").stdout
    assert "raidcli show 1" in listed
    assert "2 values: State: Optimal, Size: 42854390 MB" in listed

    document = iosonde("import", "ticket.txt", "--json").json
    jsonschema.validate(document, schema("import"))
    (counters,) = document["counters"]
    assert (counters["tool"], counters["kind"]) == ("printed", "printed, not interpreted")
    assert counters["name"] == "raidcli show 1"
    assert counters["values"] == {"State": "Optimal", "Size": "42854390 MB"}
    assert iosonde("explain", document["runs"][0]["run"], "--json").json["recognised"] == 1


def test_messages_of_a_program_are_shown_with_the_first(iosonde: Run, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text(
        "$ cat a b\ncat: a: Input/output error\ncat: b: Input/output error\n"
    )
    assert "2 messages: cat: a: Input/output error" in iosonde("import", "mail.txt").stdout


def test_where_nothing_else_is_there_what_is_kept_as_printed_is_shown(
    iosonde: Run, tmp_path: Path
) -> None:
    (tmp_path / "mail.txt").write_text("Reads:\nBefore: 217 MB/s\nAfter:  263 MB/s\n\nThanks\n")
    shown = iosonde("import", "mail.txt", "--dry-run").stdout
    assert "2 values: Before: 217 MB/s, After: 263 MB/s" in shown
    assert "see -v" not in shown


def test_the_kinds_that_are_read_are_listed_within_the_terminal(
    iosonde: Run,
) -> None:
    first, *lines = iosonde("import", "--kinds").stdout.splitlines()
    kinds = " ".join(lines).split(", ")
    assert first == f"{len(kinds)} kinds of output are read:"
    assert {"fio", "smartctl", "zpool status"} <= set(kinds)
    assert len(lines) > 5  # more than a terminal has columns for, in one line
    none = iosonde("import")
    assert (none.status, "say which files to read" in none.stderr) == (2, True)
