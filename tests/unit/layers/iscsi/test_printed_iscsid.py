"""iscsid's lines and what they mean. Oracle: the lines of the sample, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.iscsi.printed_iscsid import IscsidLog
from iosonde.verbs.explain import explain
from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs" / "iscsiadm-composed" / "iscsid.txt").read_text()
LOGIN = (
    "Logging in to [iface: default, target: iqn.2026-01.org.example:a, portal: 10.0.0.1,3260]\n"
    "iscsiadm: Could not login to [iface: default, target: iqn.2026-01.org.example:a, portal: "
    "10.0.0.1,3260].\niscsiadm: initiator reported error ({code} - {error})\n"
)


def _things(text: str) -> dict[str, dict[str, object]]:
    return {
        counter.name: dict(counter.values)
        for counter in counters(text)
        if counter.tool == IscsidLog.tool
    }


def test_each_connection_is_counted() -> None:
    things = _things(TEXT)
    assert (things["connection1:0"]["lost_connections"], things["connection1:0"]["recoveries"]) == (
        2, 2,
    )  # fmt: skip
    assert things["connection1:0"]["codes"] == [1022, 1020]
    assert things["connection1:0"]["silent_targets"] == 1
    assert things["connection2:0"]["reasons"] == ["initiator failed authorization with target"]
    assert (things[""]["portals"], things[""]["reasons"]) == (
        ["10.0.0.1:3260"], ["Connection refused"],
    )  # fmt: skip
    assert things["connection1:0"]["first"] == "Mar 03 10:14:21"


@pytest.mark.parametrize("text", [
    "Mar 03 10:00:00 a iscsid[9]: iSCSI daemon with pid=9 started!\n",
    "Mar 03 10:00:00 a other[9]: connection1:0 is operational after recovery (1 attempts)\n",
    "He said: login rejected: whatever\n",
])  # fmt: skip
def test_what_is_none_of_them(text: str) -> None:
    assert _things(text) == {}


def test_a_mangled_log() -> None:
    for _, text in mangled(TEXT):
        assert set(_things(text)) <= {"", "connection1:0", "connection2:0"}


def _findings(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    (tmp_path / "log").write_text(text)
    return [(each.rule, each.message) for each in explain(str(tmp_path / "log")).findings]


def test_a_loss_and_a_login_that_was_refused(tmp_path: Path) -> None:
    login, loss = _findings(tmp_path, TEXT)
    assert login[0] == "failed-login"
    assert "counts 1 login that failed: initiator failed authorization with target" in login[1]
    assert loss[0] == "lost-connection"
    assert "was lost 2 times (ISCSI_ERR_NOP_TIMEDOUT, ISCSI_ERR_TCP_CONN_CLOSE) from" in loss[1]
    assert "iscsid had it back 2 times" in loss[1]


@pytest.mark.parametrize(("code", "error", "remedy"), [
    (24, "iSCSI login failed due to authorization failure", "compare the CHAP user"),
    (8, "connection timed out", "see whether the portal is reached"),
    (19, "encountered non-retryable iSCSI login failure", "the target's own log"),
])  # fmt: skip
def test_a_login_that_failed(tmp_path: Path, code: int, error: str, remedy: str) -> None:
    (tmp_path / "log").write_text(LOGIN.format(code=code, error=error))
    (finding,) = explain(str(tmp_path / "log")).findings
    assert (finding.rule, finding.subject) == ("failed-login", "iqn.2026-01.org.example:a")
    assert f"at 10.0.0.1:3260 failed: {error}." in finding.message
    assert finding.remedy.startswith(remedy)


CLOSED = "[ {at}]  connection1:0: detected conn error (1020)\n"


@pytest.mark.parametrize(("text", "rules"), [
    (LOGIN.format(code=15, error="session exists"), []),
    (LOGIN.format(code=24, error="x y z")
     + "iscsiadm -m node -l\n\nLogin to [iface: default, target: iqn.2026-01.org.example:a, "
     "portal: 10.0.0.1,3260] successful.\n", []),
    ("Mar  3 10:00:02 a iscsid: Kernel reported iSCSI connection 1:0 error (1020 - "
     "ISCSI_ERR_TCP_CONN_CLOSE: TCP connection closed) state (4)\n", []),  # during a logout
    (CLOSED.format(at="100.100000"), []),  # as after a logout
    (CLOSED.format(at="100.100000") + CLOSED.format(at="103.200000"), ["lost-connection"]),
])  # fmt: skip
def test_what_looks_like_a_loss(tmp_path: Path, text: str, rules: list[str]) -> None:
    assert [rule for rule, _ in _findings(tmp_path, text)] == rules
