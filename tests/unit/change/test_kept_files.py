"""What `persist --diff` shows of a file."""

from __future__ import annotations

from iosonde.change.keep import FileChange


def test_each_line_of_a_diff_stands_on_a_line_of_its_own() -> None:
    change = FileChange("/etc/sysctl.d/99-x.conf", None, "# mark\nvm.dirty_ratio = 10\n")
    assert change.diff.splitlines() == [
        "--- /dev/null", "+++ /etc/sysctl.d/99-x.conf", "@@ -0,0 +1,2 @@", "+# mark",
        "+vm.dirty_ratio = 10",
    ]  # fmt: skip
    assert change.diff.endswith("10\n")


def test_a_file_that_stays_as_it_is_has_no_diff() -> None:
    assert FileChange("/etc/x", "a\nb\n", "a\nb\n").diff == ""
