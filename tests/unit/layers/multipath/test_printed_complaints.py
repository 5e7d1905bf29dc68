"""Lines of multipath.conf that are not followed. Oracle: the lines of the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.multipath.findings_conf import _hint
from iosonde.layers.multipath.printed_complaints import MultipathComplaints
from iosonde.verbs.explain import explain
from tests.mangle import mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "multipath-composed"
TEXT = (OUTPUTS / "warnings.txt").read_text()


def _values(text: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (subject.name, dict(subject.values))
        for state in states(text)
        if state.tool == MultipathComplaints.tool
        for subject in state.subjects
    ]


def test_each_line_with_what_is_wrong_in_it() -> None:
    assert _values(TEXT) == [("/etc/multipath.conf", {
        "invalid_keywords": "polling_intervall of defaults (line 4), getuid_callout (line 31)",
        "invalid_values": "rr_weight uniformly (line 7)",
        "duplicate_keywords": "user_friendly_names (line 9)",
    })]  # fmt: skip
    assert [state.tool for state in states(TEXT)].count("multipath") == 1


def test_older_releases_and_a_log() -> None:
    old = "Jan  9 10:00:00 a multipathd: multipath.conf +45, invalid keyword: prio_callout\n"
    assert _values(old) == [("multipath.conf", {"invalid_keywords": "prio_callout (line 45)"})]


def test_a_mangled_text() -> None:
    for _, text in mangled(TEXT):
        assert {name for name, _ in _values(text)} <= {"/etc/multipath.conf"}


def test_the_finding_names_lines_and_what_may_be_meant(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    (finding,) = explain(str(tmp_path / "text")).findings
    assert (finding.rule, finding.subject) == ("ignored-setting", "/etc/multipath.conf")
    assert "polling_intervall of defaults (line 4), getuid_callout (line 31)" in finding.message
    assert finding.remedy.startswith(
        "polling_intervall may be meant to be polling_interval; getuid_callout has become "
        "uid_attribute; correct"
    )


@pytest.mark.parametrize("text", [
    "nginx: app.conf line 4, invalid keywords follow\n",
    "# multipath -t\n/etc/multipath.conf line 9: ignoring deprecated option \"wwids_file\", using "
    "built-in value: \"/etc/multipath/wwids\"\n",
    "In multipath.conf, invalid keyword: what does it mean?\n",
])  # fmt: skip
def test_what_changes_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    assert explain(str(tmp_path / "text")).findings == ()


@pytest.mark.parametrize(("key", "hint"), [
    ("prio_callout", "prio_callout has become prio"),
    ("default_features", "default_features has become features"),
    ("no_path_retry", "no_path_retry is one of another section, or of a newer version"),
    ("no_path_retri", "no_path_retri may be meant to be no_path_retry"),
    ("something_else_altogether", ""),
])  # fmt: skip
def test_what_a_keyword_may_be(key: str, hint: str) -> None:
    assert _hint(key) == hint
