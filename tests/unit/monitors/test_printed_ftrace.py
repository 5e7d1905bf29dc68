"""ftrace. Oracle: what the head says of entries, sums that add up, and the printf formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters
from iosonde.text.find import FoundOutput
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
TRACE, TABLES = ((OUTPUTS / f"{name}.txt").read_text() for name in ("ftrace", "ftrace-tables"))
GRAPH, HISTOGRAM, STACK, PROFILE = re.split(r"\n(?=# cat )", TABLES)
TOOLS = ("ftrace", "function_graph", "event histogram", "stack_trace", "function_profile")


def _read(text: str, tool: str = "ftrace") -> dict[str, dict[str, object]]:
    return {f"{row.kind} {row.name}".strip(): dict(row.values) for row in counters(text, tool)}


def test_as_many_events_as_the_head_says() -> None:
    read = _read(TRACE)
    head = read.pop("trace")
    assert head == {"tracer": "nop", "entries": 7, "written": 9, "cpus": 4, "lost_events": 2}
    assert sum(int(str(event["count"])) for event in read.values()) == head["entries"]


def test_what_an_event_says() -> None:
    read = _read(TRACE)
    assert read["event block_rq_issue"] == {
        "count": 2, "first": 901.200301, "last": 901.2011, "tasks": {"dd-7142": 2}, "cpus": [3],
        "fields": {
            "device": ["8,16", "8,16"], "rwbs": ["WS", "W"], "bytes": [65536, 4096],
            "sector": [81920, 2048], "sectors": [128, 8], "by": ["dd", "dd"],
        },
    }  # fmt: skip
    written = read["event writeback_written"]
    assert written["cpus"] == [0, 2]
    assert written["fields"] == {"nr_pages": [1024, 12], "sync_mode": [0, 0], "kupdate": [1, 0]}
    assert read["event xfs_file_direct_write"]["fields"] == {
        "dev": ["8:16"], "ino": ["0x83"], "disize": ["0x0"], "pos": ["0x1000"],
        "bytecount": ["0x2000"],
    }  # fmt: skip


def test_a_request_has_as_many_bytes_as_its_sectors() -> None:
    fields = _read(TRACE)["event block_rq_issue"]["fields"]
    assert isinstance(fields, dict)
    assert [512 * count for count in fields["sectors"]] == fields["bytes"]


@pytest.mark.parametrize(
    ("line", "event", "task"),
    [
        ("     522-5099  [001]   491.954659: console:              [U] FSX FAILURE",
         "console", "522-5099"),
        ("   xfsaild/loop0  2008 [003]  1475.127209: probe:xfs_inode_to_disk: (ffffffffa43fb6b0)"
         " if_nextents=98511 i_ino=131", "probe:xfs_inode_to_disk", "xfsaild/loop0-2008"),
        ("           <...>-731     [012] ...1    12.000345: vfs_read <-ksys_read", "vfs_read",
         "<...>-731"),
        ("  iou-wrk--173727 (   4100) [250] d..2.  8000.123456789: nvme_sq: nvme0: qid=3 head=1",
         "nvme_sq", "iou-wrk--173727"),
        ("   ##48735 [046] .... 1632697.784097: bcache_gc_start: 4ab63029", "bcache_gc_start",
         "##48735"),
    ],
)  # fmt: skip
def test_a_line_alone(line: str, event: str, task: str) -> None:
    read = _read(f"It says:\n\n{line}\n\nWhat is that?\n")
    assert list(read) == [f"event {event}"]
    assert read[f"event {event}"]["tasks"] == {task: 1}


def test_what_a_panic_dumps_of_a_trace() -> None:
    text = (
        "[ 2740.240046] iou-wrk--173727   15..... 2649295481us :\n"
        "alloc_extent_buffer: alloc eb=15302115328 len=16384\n"
        "[ 2740.301767] kworker/-322      15..... 2649295735us : "
        "alloc_extent_buffer: alloc eb=1 len=2\n"
    )
    event = _read(text)["event alloc_extent_buffer"]
    assert event["fields"] == {"eb": [15302115328, 1], "len": [16384, 2]}
    assert (event["first"], event["last"]) == (2649.295481, 2649.295735)
    assert event["tasks"] == {"iou-wrk--173727": 1, "kworker/-322": 1}


def test_callers_of_functions() -> None:
    rows = "  dd-1 [000] ...1  1.000001: bio_put <-ext4_end_bio\n"
    rows += "  dd-1 [000] ...1  1.000002: bio_put <-blk_rq_end\n"
    assert _read(rows)["event bio_put"]["called_by"] == {"ext4_end_bio": 1, "blk_rq_end": 1}


def test_lines_that_a_mail_broke_and_prose_below_them() -> None:
    text = (
        "             nfsd-10448   [024] .....  4316.520916: svc_process: addr=192.168.1.106\n"
        "xid=0xcf2cdbdf service=nfs vers=4\n"
        "   kworker/u194:0-9772    [042] .....  4316.520951:\n"
        "nfs_open: mode=3\n\nAlso, enabling others is x=1 telling.\n"
    )
    read = _read(text)
    fields = read["event svc_process"]["fields"]
    assert fields == {
        "addr": ["192.168.1.106"], "xid": ["0xcf2cdbdf"], "service": ["nfs"], "vers": [4],
    }  # fmt: skip
    assert read["event nfs_open"]["fields"] == {"mode": [3]}


def test_lines_of_one_event_that_say_different_things_are_kept_as_texts() -> None:
    text = "  a-1 [000] .... 1.000001: ev: x=1 y=2\n  a-1 [000] .... 1.000002: ev: x=3\n"
    event = _read(text)["event ev"]
    assert "fields" not in event
    assert event["texts"] == ["x=1 y=2", "x=3"]


def test_times_of_functions_add_up() -> None:
    read = _read(GRAPH, "function_graph")
    seconds = {name.removeprefix("function "): each["seconds"] for name, each in read.items()}
    assert seconds == {
        "file_check_and_advance_wb_err": [0.25e-6, 0.125e-6], "ext4_fsync_journal": [12.5e-6],
        "ext4_sync_file": [13.75e-6], "vfs_fsync_range": [14.5e-6],
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "   76.093718 |   6)   usemem-848   |   11.296 us   |  __do_page_fault();",
        " 6) + 11.296 us   |  } /* __do_page_fault */",
        "   11.296 us    |  __do_page_fault(0x12); /* ret=0x0 */",
        " usemem-848   |   11.296 us    |  __do_page_fault [ext4]();",
        "  6)  usemem-848    | ! 11.296 us    |  } /* __do_page_fault [ext4] */",
    ],
)
def test_a_time_of_a_function_alone(line: str) -> None:
    read = _read(f"It says:\n\n{line}\n\nThat is long.\n", "function_graph")
    assert {name: each["seconds"] for name, each in read.items()} == {
        "function __do_page_fault": [11.296e-6]
    }


def test_the_head_of_function_graph_is_no_heading() -> None:
    (first, *_) = [output for output in read(GRAPH) if isinstance(output, FoundOutput)]
    assert (first.tool, first.place.first_line) == ("function_graph", 1)
    assert "|" not in first.place.heading


def test_a_histogram_has_the_hits_of_its_totals() -> None:
    (values,) = _read(HISTOGRAM, "event histogram").values()
    rows, columns = values["rows"], values["columns"]
    assert isinstance(rows, list)
    assert columns == ["call_site", "prio", "hitcount", "bytes_req"]
    assert sum(row[2] for row in rows) == values["hits"] == 17
    assert len(rows) == values["entries"] == 2
    assert rows[0] == ["[ffffffff8117e4c2] bio_alloc_bioset+0x52/0x290", "120", 3, 768]


def test_sizes_on_the_stack_add_up_to_its_depth() -> None:
    (values,) = _read(STACK, "stack_trace").values()
    sizes = values["sizes"]
    assert isinstance(sizes, list)
    assert sum(sizes) == values["deepest"] == 608
    assert len(sizes) == values["entries"]
    assert values["functions"] == ["wbt_wait", "ext4_writepages", "ret_from_fork_asm"]


def test_the_average_of_a_function_times_its_hits_is_its_time() -> None:
    read = _read(PROFILE, "function_profile")
    assert set(read) == {"function schedule", "function bio_endio"}
    for values in read.values():
        hit, average = int(str(values["hit"])), float(str(values["avg"]))
        assert hit * average == pytest.approx(values["time"])


@pytest.mark.parametrize(
    "text",
    [
        "The array [001] 12.5 is: full\n",
        "see [000] and [001] for details\n",
        "  0)  it took 0.512 us |  as far as I know\n",
        "| Write  | ~7us    |  ~20us |\n",
        "hitcount: 3 of them\n",
        "Depth    Size   Location\n",
        "int a[4] = { [000] = 1, };\n",
        "nvme0 [012] 1.000001\n",
    ],
)
def test_what_looks_alike_is_not_read(text: str) -> None:
    assert not counters(text, *TOOLS)


def _all(text: str) -> list[PrintedCounters]:
    return counters(text, *TOOLS)


@pytest.mark.parametrize("text", [TRACE, GRAPH, HISTOGRAM, STACK, PROFILE])
def test_every_shape(text: str) -> None:
    expected = [(row.name, row.values) for row in _all(text)]
    for shape, changed in mangled(text, wraps=False):
        assert [(row.name, row.values) for row in _all(changed)] == expected, shape


@pytest.mark.parametrize("text", [HISTOGRAM, STACK, PROFILE])
def test_broken_lines_give_no_wrong_figure(text: str) -> None:
    expected = {row.name: row.values for row in _all(text)}
    for shape, changed in mangled(text):
        for row in _all(changed):
            for name, value in row.values.items():
                assert value == expected[row.name][name], shape


def test_lines_of_more_events_than_are_kept_are_counted() -> None:
    rows = "".join(f"fio-7 [000] ....  1.{at:06}: event_{at}: x={at}\n" for at in range(450))
    things = {thing.name: thing.values for thing in counters(rows, "ftrace")}
    assert len(things) == 401
    assert things[""]["lines_of_further_events"] == 50
