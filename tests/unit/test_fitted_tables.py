from __future__ import annotations

from rich.console import Console

from iosonde.cli.table import TableColumn, fitted

COLUMNS = (
    TableColumn("device", name=True), TableColumn("scheduler"), TableColumn("change", right=True),
    TableColumn("loops", right=True, rank=2), TableColumn("baseline", right=True, rank=1),
    TableColumn("notes"),
)  # fmt: skip
ROWS = [
    ["nvme-eui.0025385b71b04f2c-part3", "mq-deadline", "+8.6 %", "5", "1.18 GiB/s", ""],
    ["sdb", "bfq", "−61.0 %", "5", "1.02 GiB/s", ""],
]


def lines(width: int, rows: list[list[str]] = ROWS) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(fitted(COLUMNS, rows, width=width))
    return [line.rstrip() for line in captured.get().splitlines()]


def test_all_columns_with_text_where_there_is_room() -> None:
    assert lines(100)[0].split() == ["device", "scheduler", "change", "loops", "baseline"]
    assert max(map(len, lines(1000))) == 72


def test_what_matters_least_goes_first() -> None:
    assert lines(71)[0].split() == ["device", "scheduler", "change", "baseline"]
    assert lines(58)[0].split() == ["device", "scheduler", "change"]


def test_a_narrow_column_stays_where_a_wider_one_has_no_room() -> None:
    assert lines(60)[0].split() == ["device", "scheduler", "change", "loops"]


def test_a_name_is_shortened_before_a_column_goes() -> None:
    rows = [["certification at /srv/data sda.scheduler=none", *ROWS[0][1:]], ROWS[1]]
    cut = lines(73, rows)
    assert cut[0].split() == ["device", "scheduler", "change", "loops", "baseline"]
    assert cut[1].startswith("certification a…a.scheduler=none  mq")
    assert lines(72, rows)[0].split() == ["device", "scheduler", "change", "baseline"]


def test_names_lose_their_middle_and_figures_nothing() -> None:
    narrow = lines(40)
    assert narrow[0].split() == ["device", "scheduler", "change"]
    assert narrow[1].startswith("nvme-eui…f2c-part3  mq")
    assert narrow[1].endswith("mq-deadline   +8.6 %")
    assert narrow[2].endswith("bfq          −61.0 %")
    assert max(map(len, narrow)) <= 40
