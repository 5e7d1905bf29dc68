"""What the logs of Ceph's daemons say of requests that wait: figures that stand in the lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.ceph.findings_log import RULES
from iosonde.text.document import of_bytes
from tests.mangle import counters, mangled

SAMPLE = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "daemon-log.txt").read_text()
TIME = "2026-03-02T10:01:02.123+0000"


def said(given: str) -> list[str]:
    case, _ = of_document(of_bytes("page", given.encode()))
    return [each.message for rule in RULES for each in rule.find(case)]


def test_the_sample_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        logs = counters(given, "ceph log")
        assert [log.name for log in logs] == ["osd.3", "", "osd.3", "", ""], shape
        own, store, heartbeat, thread, monitor = (log.values for log in logs)
        assert (own["slow_metrics"], own["most_slow_ops"]) == (2, 7)
        assert own["slow_daemons"] == ["osd.3"]
        assert store["slow_requests"] == 1
        assert (store["slow_operations"], store["longest_wait"]) == (1, 12.345678912)
        assert (heartbeat["missing_heartbeats"], thread["timed_out_threads"]) == (1, 1)
        assert (monitor["slow_checks"], monitor["failed_checks"]) == (1, 1)
        assert (monitor["cleared_slow_checks"], monitor["is_cleared"]) == (1, True)
        assert monitor["slow_daemons"] == ["osd.3", "osd.8"]
        assert monitor["longest_wait"] == 38.0


def test_what_is_said_of_the_sample() -> None:
    osd, node, *rest = said(SAMPLE)
    assert "(osd.3): up to 7 at once, the oldest for 12.3 s." in osd
    assert "(osd.3, osd.8): up to 7 at once, the oldest for 38 s." in node
    assert "The check was cleared at its end." in node
    assert rest == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (f"{TIME} mon.a (mon.0) 12 : cluster [WRN] Health check failed: 3 slow ops, oldest one "
         "blocked for 32 sec, daemons [osd.1,osd.2] have slow ops. (SLOW_OPS)",
         "(osd.1, osd.2): up to 3 at once, the oldest for 32 s."),
        ("2018-06-12 10:01:02.123 osd.3 osd.3 10.0.0.3:6800/1234 56 : cluster [WRN] slow request "
         "30.5 seconds old, received at 2018-06-12 10:00:32.0: osd_op(client.4123.0:1234)",
         "(osd.3): one at a time, the oldest for 30.5 s."),
        ("mon.a mon.0 10.0.0.1:6789/0 45 : cluster [WRN] Health check update: 113 slow requests "
         "are blocked > 32 sec. Implicated osds 3,7 (REQUEST_SLOW)",
         "(osd.3, osd.7): up to 113 at once, the oldest for 32 s."),
        (f"{TIME} 7f2a1b2c3700  0 log_channel(cluster) log [WRN] : 12 slow requests, 5 included "
         "below; oldest blocked for > 30.123456 secs", ": up to 12 at once, the oldest for 30.1"),
        ("Health check failed: 2 slow ops, oldest one blocked for 61 sec, osd.4 has slow ops "
         "(SLOW_OPS)", "(osd.4): up to 2 at once, the oldest for 61 s."),
    ],
)  # fmt: skip
def test_forms_of_lines(line: str, what: str) -> None:
    (message,) = said(f"{line}\n")
    assert what in message


@pytest.mark.parametrize(
    "near_miss",
    [
        f"{TIME} 7f2a1b2c3700  1 osd.3 1234 state: booting -> active",
        "We saw Health check failed: and slow request lines all night.",
        "get_health_metrics reporting 4 slow ops, oldest is shown in the log",
        "Mar 02 10:01:10 node1 app[815]: Health check failed: 7 slow ops, oldest one blocked",
        "slow requests are logged",
    ],
)
def test_what_looks_alike(near_miss: str) -> None:
    assert counters(f"{near_miss}\n", "ceph log") == []
    assert said(f"{near_miss}\n") == []


def test_a_check_that_fails_again_is_not_cleared() -> None:
    failed = (
        "cluster [WRN] Health check failed: 2 slow ops, oldest one blocked for 31 sec, osd.4 has "
        "slow ops (SLOW_OPS)"
    )
    cleared = "cluster [INF] Health check cleared: SLOW_OPS (was: 2 slow ops)"
    assert "cleared" in said(f"{failed}\n{cleared}\n")[0]
    assert "cleared" not in said(f"{failed}\n{cleared}\n{failed}\n")[0]


def test_errors_of_a_daemon_also_behind_what_rook_writes() -> None:
    line = f"{TIME} 7f0059d62e00 -1 bluestore(/var/lib/x) mkfs failed, (17) File exists\n"
    before = "2026-03-02 10:01:02.125 I | mkfs-osd0: "
    for given in (line, before + line):
        (log,) = counters(given)
        assert log.values == {
            "errors": 1, "messages": ["bluestore(/var/lib/x) mkfs failed, (17) File exists"],
        }  # fmt: skip
    assert not [log for log in counters(line.replace(" -1 ", "  1 ")) if log.tool == "ceph log"]
