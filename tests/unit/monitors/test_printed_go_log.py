"""Logs of Go programs and exposition. Oracle: what their formats quote, buckets below a count."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.stack import Json
from tests.mangle import counters, cut, folded, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "go-log-composed"
LOGFMT, KLOG, EXPOSITION = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("logfmt", "klog", "exposition")
)


def _entries(text: str, tool: str) -> list[dict[str, Json]]:
    """The entries of a log; their levels are counted beside."""
    entries: list[dict[str, Json]] = []
    for row in counters(text):
        if row.tool == tool:
            own = cast("list[dict[str, Json]]", row.values["entries"])
            levels = cast("dict[str, int]", row.values["levels"])
            assert sum(levels.values()) == len(own)
            entries += own
    return entries


def test_lines_of_logfmt_in_every_shape() -> None:
    for shape, given in mangled(LOGFMT, wraps=False):
        failed, ready, full = _entries(given, "logfmt")
        assert failed == {
            "time": "2025-02-03T04:05:06Z", "level": "error",
            "message": "ControllerPublishVolume failed", "volume": "pvc-0f0f", "attempts": 7,
            "error": "rpc error: code = Internal desc = attach timed out",
            "method": "/csi.v1.Controller/ControllerPublishVolume",
        }, shape  # fmt: skip
        assert (ready["bytes"], ready["level"]) == (10 << 30, "info"), shape
        assert (full["err"], full["caller"]) == ("no space left on device", "main.go:42"), shape
    assert _entries(LOGFMT, "logfmt")[1]["message"] == 'volume is "ready"'


def test_lines_that_a_mail_or_a_terminal_broke() -> None:
    for given in (folded(LOGFMT, 72), folded(LOGFMT, 70), cut(LOGFMT, 80), cut(LOGFMT, 72)):
        failed, ready, full = _entries(given, "logfmt")
        assert [entry["level"] for entry in (failed, ready, full)] == ["error", "info", "error"]
        assert (failed["volume"], failed["attempts"]) == ("pvc-0f0f", 7)
        assert failed["method"] == "/csi.v1.Controller/ControllerPublishVolume"
        assert ready["bytes"] == 10 << 30
    assert _entries(folded(LOGFMT, 72), "logfmt")[0] == _entries(LOGFMT, "logfmt")[0]


def test_lines_of_klog() -> None:
    for shape, given in mangled(KLOG):
        failed, done, slow = _entries(given, "klog")
        assert (failed["level"], failed["source"]) == ("error", "controller.go:957"), shape
        assert str(failed["message"]).startswith("error syncing claim"), shape
        assert (done["message"], done["volumeID"], done["bytes"]) == (
            "NodeStageVolume done", "vol-1", 4096,
        ), shape  # fmt: skip
        assert (slow["level"], slow["message"]) == ("warning", "slow"), shape


def test_samples_of_others_than_node_exporter() -> None:
    for shape, given in mangled(EXPOSITION, wraps=False):
        rows = {(row.kind, row.name): row.values for row in counters(given)}
        labels = "driver_name=x.csi,method_name=/csi.v1.Node/NodeStageVolume"
        driver = rows["host", ""]
        below = driver[f"csi_operations_seconds_bucket{{{labels},le=0.1}}"]
        count = driver[f"csi_operations_seconds_count{{{labels}}}"]
        assert (below, count) == (3, 4), shape
        claim = rows["host", "data-0"]
        assert claim["kubelet_volume_stats_available_bytes{namespace=a}"] == 15 * 10**9, shape
        assert rows["osd", "osd.3"] == {"ceph_osd_up": 0}, shape
        assert rows["ceph", ""] == {"ceph_health_status": 1}, shape


def test_samples_of_an_exporter_that_grep_left() -> None:
    """The names end in base units, as Prometheus' rules for names want it."""
    (row,) = counters(
        'pool_data_percent{class="thin",node="n1"} 0.75\n'
        'pool_size_bytes{class="thin",node="n1"} 1.073741824e+09\n'
    )
    assert row.values == {
        "pool_data_percent{class=thin,node=n1}": 0.75,
        "pool_size_bytes{class=thin,node=n1}": 1 << 30,
    }


@pytest.mark.parametrize(
    "text",
    [
        "Start it with level=error and msg=foo, time=3 is default.\n",
        'level=info is what log.SetLevel("info") gives\n',
        "see controller.go:957] for what it does\n",
        'rate(foo{instance="x"}[5m]) > 3\n',
        "# HELP wanted with my metrics, 3 of them\n",
        'up{instance="x"} is 1\n',
        'sum(pool_size_bytes{class="thin"}) by (node) 3\n',
        "if (sizes_bytes{0} > 3) 4\n",
    ],
)
def test_words_about_them_are_none(text: str) -> None:
    tools = {"logfmt", "klog", "Prometheus exposition"}
    assert not counters(text, *tools)
