"""/proc/fs/cifs/Stats. Oracle: the figures of the sample, line by line."""

from __future__ import annotations

import re
from pathlib import Path

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs" / "mount-composed" / "cifs-stats.txt").read_text()


def _seen(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [(each.kind, each.name, dict(each.values)) for each in counters(text)
            if each.tool == "cifs Stats"]  # fmt: skip


def test_every_figure_is_said() -> None:
    (_, _, host), (kind, name, share) = _seen(TEXT)
    assert (kind, name) == ("filesystem", r"\\nas\share")
    for call, total, failed in re.findall(r"(\w+): (\d+) (?:total|sent) (\d+) failed", TEXT):
        key = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", call).lower()
        assert (share[key], share[f"{key}_failed"]) == (int(total), int(failed))
    assert (share["bytes_read"], share["bytes_written"], share["smbs"]) == (1048576, 2097152, 2110)
    assert (share["open_files"], share["open_files_on_server"]) == (0, 3)
    assert host == {
        "sessions": 1, "shares": 2, "buffers": 1, "buffer_pool": 5, "small_buffers": 1,
        "small_buffer_pool": 30, "operations_in_flight": 0, "session_reconnects": 0,
        "share_reconnects": 0, "vfs_operations": 133, "vfs_operations_at_once": 2,
    }  # fmt: skip


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _seen(changed) == _seen(TEXT), shape


def test_the_counters_of_smb_1() -> None:
    text = (
        "0 session 3 share reconnects\n1) \\\\nas\\old\tDISCONNECTED\nSMBs: 9 Oplocks breaks: 1\n"
        "Reads:  7 Bytes: 4096\nWrites: 2 Bytes: 512\nOpens: 5 Closes: 4 Deletes: 1\n"
    )
    (_, _, host), (_, name, share) = _seen(text)
    assert host == {"session_reconnects": 0, "share_reconnects": 3}
    assert name == r"\\nas\old"
    assert share == {
        "disconnected": True, "smbs": 9, "oplocks_breaks": 1, "reads": 7, "bytes_read": 4096,
        "writes": 2, "bytes_written": 512, "opens": 5, "closes": 4, "deletes": 1,
    }  # fmt: skip


def test_sentences_are_none() -> None:
    assert not _seen(
        "TreeConnects: many, and 3 share reconnects that it says are open on server.\n"
    )
