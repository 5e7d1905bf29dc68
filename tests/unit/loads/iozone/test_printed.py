"""iozone's outputs: table, throughput, reports; its command lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.loads.iozone.figures import read_figures
from iosonde.records.printed import PrintedTrial
from iosonde.verbs.import_ import import_
from tests.mangle import mangled, read, trials

PLACE = Path(__file__).parents[3] / "outputs" / "iozone-3.489"
KIB = 1024


def text(name: str) -> str:
    return (PLACE / f"{name}.txt").read_text()


def table(name: str) -> dict[tuple[int, int], list[float]]:
    """The independent view: figures of the table by awk's way of reading."""
    groups = {}
    for line in text(name).splitlines():
        arguments = line.split()
        if (
            len(arguments) > 3
            and all(word.isdigit() for word in arguments)
            and line.startswith(" ")
        ):
            groups[int(arguments[0]), int(arguments[1])] = [
                float(word) * KIB for word in arguments[2:]
            ]
    return groups


def metrics(trial: PrintedTrial) -> dict[str, float]:
    return dict(trial.loops[0].metrics)


@pytest.mark.parametrize("name", ["automatic", "all"])
def test_the_table_is_read_row_by_row(name: str) -> None:
    printed_trials = trials(text(name))
    rows = table(name)
    assert len(printed_trials) == len(rows)
    for trial in printed_trials:
        size, record = (int(str(trial.options[key])) // KIB for key in ("size", "bs"))
        values = [value for test, value in metrics(trial).items() if "bandwidth" in test]
        assert values == rows[size, record]
    assert printed_trials[0].version == "3.489"
    assert printed_trials[0].command.startswith("iozone ")


def test_the_report_alone_says_what_the_table_says() -> None:
    whole, report = trials(text("automatic")), trials(text("automatic-report"))
    assert [metrics(trial) for trial in report] == [metrics(trial) for trial in whole]
    assert "random_write.cpu" in metrics(report[0])


def test_throughput_and_its_report_agree_although_labels_are_wrong() -> None:
    (whole,), (report,) = trials(text("throughput")), trials(text("throughput-report"))
    assert metrics(whole) == pytest.approx(metrics(report))
    assert set(metrics(whole)) >= {"mixed.cpu", "random_read.cpu", "random_write.cpu"}
    assert "by their order" in str(report.details["note"])
    assert whole.options["numjobs"] == 3
    spread = whole.details["processes"]
    assert isinstance(spread, dict)
    assert set(spread) >= {"write", "mixed", "random_write"}


def test_operations_are_operations() -> None:
    (trial,) = trials(text("operations"))
    assert set(metrics(trial)) == {"write.iops", "rewrite.iops", "read.iops", "reread.iops"}


@pytest.mark.parametrize("name", ["automatic", "throughput", "operations", "all"])
def test_every_shape_gives_the_same(name: str) -> None:
    expected = [metrics(trial) for trial in trials(text(name))]
    for shape, changed in mangled(text(name), wraps=name != "all"):
        if shape.startswith(("cut", "folded")) and name == "automatic":
            continue  # blank cells of a table whose lines are broken are known by nothing
        assert [metrics(trial) for trial in trials(changed)] == expected, shape


def test_a_table_whose_lines_are_broken_is_read_by_its_tests() -> None:
    plain = "kB  reclen    write  rewrite    read    reread\n 2048 64 1000 2000 3000 4000\n"
    (row,) = read_figures(plain, (0, 1))
    assert row.values == {
        "write": 1000.0 * KIB, "rewrite": 2000.0 * KIB, "read": 3000.0 * KIB,
        "reread": 4000.0 * KIB,
    }  # fmt: skip
    assert read_figures(plain, (0, 2, 3)) == ()


def test_command_lines_become_loads() -> None:
    prose = (
        "# Options\n\n1) One thread.\n\n"
        "iozone -+u -p -r 4k -s 2g -i 0 -i 1 -f /mnt/a -R -b ~/a.xls\n\n"
        "2) Three.\n\n$ iozone -O -t 3 -r 10m -s 1g -i 0 -F /mnt/1 /mnt/2 /mnt/3\n\n"
        "We like iozone - it is flexible.\n"
    )
    loads = [load.command for output in read(prose) for load in getattr(output, "loads", ())]
    assert loads == [
        "iozone -+u -p -r 4k -s 2g -i 0 -i 1 -f /mnt/a -R -b ~/a.xls",
        "iozone -O -t 3 -r 10m -s 1g -i 0 -F /mnt/1 /mnt/2 /mnt/3",
    ]


def test_throughput_without_its_title_and_cut_before_its_last_line() -> None:
    """The sums of each test stand in front of what was cut off."""
    block = (
        "\tChildren see throughput for  3 {who} = {sum} ops/sec\n"
        "\tParent sees throughput for  3 {who} = {sum} ops/sec\n"
        "\tMin throughput per process = 100.00 ops/sec\n"
        "\tMax throughput per process = 300.00 ops/sec\n"
        "\tAvg throughput per process = 200.00 ops/sec\n"
    )
    text = (
        "\tCommand line used: /opt/iozone/iozone -t 3 -s 64M -r 4k -O -i 0 -F a b c\n"
        "\tThroughput test with 3 processes\n"
        "\tEach process writes a 65536 kByte file in 4 kByte records\n\n"
        + block.format(who="initial writers", sum="600.25") + "\tMin xfer = 10.00 ops\n\n"
        + block.format(who="rewriters", sum="650.75")
    )  # fmt: skip
    (trial,) = trials(text)
    assert trial.loops[0].metrics == {"write.iops": 600.25, "rewrite.iops": 650.75}
    assert trial.command.startswith("/opt/iozone/iozone -t 3")
    assert trial.options["size"] == 64 << 20
    for line in ("\tAvg", "\tMax", "\tMin", "\tParent"):
        (cut,) = trials(text[: text.rindex(line)])
        assert cut.loops[0].metrics == trial.loops[0].metrics
        (within,) = trials(text[: text.rindex(line) + 9])
        assert within.loops[0].metrics == trial.loops[0].metrics
    (torn,) = trials(text[: text.rindex("ops/sec", 0, text.rindex("\tParent"))])
    assert torn.loops[0].metrics == {
        "write.iops": 600.25
    }  # whether the sum ends there is not known
    spread = cut.details["processes"]
    assert isinstance(spread, dict)
    assert spread["rewrite"] == {}
    old = text.replace("kByte file in 4 kByte", "Kbyte file in 4 Kbyte")
    assert trials(old)[0].options["bs"] == 4096


OLD = """\
              KB  reclen   write rewrite    read    reread
        50331648       4  301100  302200   410300   411400
        50331648       8  331500  332600   440700   441800
"""


def test_columns_of_older_versions_stand_closer() -> None:
    """iozone 3.4 printed 8 characters where 3.489 prints 9; quoted, without what is above."""
    text = f"> before:\n{OLD}> after the change to the elevator:\n{OLD.replace('3011', '2011')}"
    printed_trials = trials("".join(f"> {line}\n" for line in text.splitlines()))
    assert [metrics(trial)["write.bandwidth"] / KIB for trial in printed_trials] == [
        301100, 331500, 201100, 331500,
    ]  # fmt: skip
    assert metrics(printed_trials[1])["reread.bandwidth"] == 441800 * KIB


def test_an_empty_column_of_an_older_version_is_not_guessed() -> None:
    head = "              KB  reclen   write rewrite    read    reread    read   write\n"
    gap = "        50331648       4  301100  302200                    51100   52200\n"
    assert not trials(head + gap)


SHORT = """$ ./iozone -e -I -a -s 100M -r 4k -r 512k -i 0 -i 1 -i 2 -f /ssd/{}
                                                    random    random
    kB  reclen    write  rewrite    read    reread    read     write
102400       4     3877     5004     5184     5193     4553     4943
102400     512    29181    29630    30053    30036    29394    29554
"""


@pytest.mark.parametrize("with_command", [True, False])
def test_a_table_of_some_tests_whose_rows_lost_their_indent(with_command: bool) -> None:
    given = SHORT.format("test") if with_command else SHORT[SHORT.index("\n") :]
    first, second = trials(given)
    assert metrics(first)["random_write.bandwidth"] == 4943 * KIB
    assert list(metrics(second).values()) == [
        float(figure) * KIB for figure in (29181, 29630, 30053, 30036, 29394, 29554)
    ]
    assert first.options["size"] == 102400 * KIB
    assert ("-i 2 -f /ssd/test" in first.command) is with_command


def test_heads_of_tests_that_are_none_of_the_first_name_nothing() -> None:
    given = SHORT[SHORT.index("\n") :].replace("write  rewrite    read", "write  rewrite  stride")
    assert not trials(given)


@pytest.mark.parametrize("folder", ["", "./", "sudo /opt/io zone/"])
def test_the_command_of_a_table_is_no_command_of_its_own(tmp_path: Path, folder: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(SHORT.format("x").replace("./", folder))
    imported = import_(str(page), dry_run=True)
    assert (imported.counts.trials, imported.counts.loads) == (2, 0)
    page.write_text(f"{SHORT.format('x').splitlines()[0]}\n\n{SHORT.format('other')}")
    assert import_(str(page), dry_run=True).counts.loads == 1


def test_prose_below_a_run_that_was_cut_off_is_none_of_it() -> None:
    run = (
        "\tThroughput test with 1 process\n\n"
        "\tChildren see throughput for  1 initial writers  =  109333.84 KB/sec\n"
        "\tParent sees throughput for  1 initial writers   =  109326.48 KB/sec\n"
        "\tMin xfer                                        = 2097152.00 KB\n"
    )
    prose = "\nThat is with a fast filer at the end of it, so\nit is a test of the client.\n"
    outputs = read(f"iozone -t1 -s 2g -i0\n{run}{prose}")
    assert outputs[-1].place.last_line == 1 + len(run.splitlines())


def test_what_an_author_says_below_the_figures_is_none_of_it() -> None:
    table = (
        "                                                    random    random\n"
        "      kB  reclen    write  rewrite    read    reread    read     write\n"
        "  102400       4     3246     3325    13209    11674    10330     5223\n"
        "  102400   16384    62872    61581    89746    89104    89755    62862\n"
    )
    said = "We are at 90MB/s now, but the read of random records is what matters.\n"
    for below, last in (
        (f"\n{said}", 4), (f"\nAs can be seen, a rewrite of the file is slow.\n\n{said}", 4),
        ("\niozone test complete.\n", 6),
    ):  # fmt: skip
        (output,) = read(f"{table}{below}")
        assert (output.place.first_line, output.place.last_line) == (2, last)
