"""The script that puts settings back, on its own: a shell, awk, a journal and made-up settings."""

from __future__ import annotations

import dataclasses
import random
import subprocess
from pathlib import Path

import pytest

from iosonde.change.settings_journal import (
    BESIDE,
    JournalEntry,
    batch_lines,
    parse_journal,
    script_text,
)
from iosonde.settings.mechanism import write_file

BOOT = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
EARLIER = "an earlier boot"


class Host:
    """A directory with the script, its journal, and settings that are files."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.journal = place / "journal"
        self.script = place / "rollback"
        self.script.write_bytes(script_text())

    def setting(self, name: str, value: str) -> Path:
        file = self.place / name
        file.write_text(f"{value}\n")
        return file

    def value(self, name: str) -> str:
        return (self.place / name).read_text().strip()

    def entry(self, name: str, old: str, new: str, *, lasts: bool = False) -> JournalEntry:
        file = str(self.place / name)
        do = () if new == BESIDE else write_file(file, new)
        return JournalEntry(name, old, new, ("cat", file), do, write_file(file, old), lasts=lasts)

    def begun(self, number: int, *entries: JournalEntry, boot: str = BOOT, then: str = "") -> None:
        """A batch in the journal, and its changes made."""
        with self.journal.open("a") as file:
            file.write(batch_lines(number, boot, "me", entries))
            if then:
                file.write(f"{then}\t{number}\t17\n")
        for entry in entries:
            if entry.do:
                subprocess.run(entry.do, check=True)

    def run(self, *arguments: str, status: int = 0) -> list[str]:
        done = subprocess.run(
            ["sh", self.script, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout.splitlines()

    def states(self) -> dict[int, str]:
        return {n: batch.state for n, batch in parse_journal(self.journal.read_text()).items()}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_what_lasts_is_put_back_after_a_reboot_and_the_rest_is_forgotten(host: Host) -> None:
    host.setting("cache", "write_through")
    host.setting("depth", "64")
    entries = (
        host.entry("depth", "128", "64"),
        host.entry("cache", "write_through", "write_back", lasts=True),
    )
    host.begun(4, *entries, boot=EARLIER, then="confirmed")
    host.setting("depth", "256")  # the new kernel's own
    assert host.run("settle") == ["back\tcache\t=write_through", "lost\t4"]
    assert (host.value("cache"), host.value("depth")) == ("write_through", "256")
    assert host.states() == {4: "lost"}
    assert host.run("settle") == []


@pytest.mark.parametrize("verb", [("settle",), ()])
def test_what_lasts_and_is_kept_stays_over_a_reboot_until_that_is_undone(
    host: Host, verb: tuple[str, ...]
) -> None:
    host.setting("cache", "write_through")
    host.begun(
        1, host.entry("cache", "write_through", "write_back", lasts=True), boot=EARLIER, then="kept"
    )
    assert host.run(*verb) == []
    assert host.value("cache") == "write_back"
    host.run("mark", "tentative", "1")
    assert host.run(*verb) == ["back\tcache\t=write_through", "lost\t1"]
    assert host.value("cache") == "write_through"


@pytest.mark.parametrize("part", [0.3, 0.45, 0.6, 0.75, 0.9, 0.99])
def test_what_a_crash_has_cut_before_it_was_ready_is_not_put_back(host: Host, part: float) -> None:
    """Nothing of it was changed; the lines that put it back may be missing, or half of them."""
    host.setting("cache", "1")
    host.setting("mode", "a")
    host.begun(1, host.entry("cache", "1", "2", lasts=True), boot=EARLIER, then="confirmed")
    whole = batch_lines(2, EARLIER, "me", [host.entry("mode", "b", "c", lasts=True)])
    before_ready = whole[: whole.index("ready")]
    with host.journal.open("a") as file:
        file.write(before_ready[: int(part * len(before_ready))])
    assert host.run()[0] == "back\tcache\t=1"
    assert (host.value("cache"), host.value("mode")) == ("1", "a")
    assert host.run() == []


def test_what_is_ready_is_put_back_after_a_reboot_though_nobody_confirmed_it(host: Host) -> None:
    host.setting("mode", "a")
    host.begun(1, host.entry("mode", "a", "c", lasts=True), boot=EARLIER)
    assert host.run() == ["back\tmode\t=a", "lost\t1"]
    assert host.value("mode") == "a"


def test_what_lasts_and_cannot_be_put_back_is_tried_again(host: Host) -> None:
    file = host.setting("cache", "1")
    stuck = JournalEntry("cache", "1", "2", ("cat", str(file)), (), ("false",), lasts=True)
    host.begun(1, stuck, boot=EARLIER, then="confirmed")
    file.write_text("2\n")
    assert host.run(status=1) == ["wrong\tcache\t=1\t=2"]
    assert host.states() == {1: "confirmed"}
    file.write_text("1\n")
    assert host.run() == ["back\tcache\t=1", "lost\t1"]


def test_a_line_that_a_crash_has_cut_means_no_other_batch(host: Host) -> None:
    for number in range(1, 13):
        host.setting(f"s{number}", "old")
        host.begun(number, host.entry(f"s{number}", "old", "new"), then="confirmed")
    for torn in ("restored\t1", "restored\t1\t", "lost\t1", "ready\t1"):
        with host.journal.open("a") as file:
            file.write(torn)
        assert len(host.run("list")) == 12
        host.run("mark", "confirmed", "12")  # a line after it
        assert set(host.states().values()) == {"confirmed"}
    assert len(host.run()) == 12
    assert {host.value(f"s{number}") for number in range(1, 13)} == {"old"}


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_journal_never_makes_the_script_fail_or_write_what_was_not_there(
    host: Host, seed: int
) -> None:
    values = {f"s{n}": f"old{n}" for n in range(6)}
    for name, value in values.items():
        host.setting(name, value)
        host.begun(int(name[1:]) + 1, host.entry(name, value, f"new{name[1:]}"), then="confirmed")
    random_ = random.Random(seed)
    text = bytearray(host.journal.read_bytes())
    if seed % 3 == 0:  # a tail of zeros, as a file system may leave
        cut = random_.randrange(len(text))
        text[cut:] = bytes(len(text) - cut)
    elif seed % 3 == 1:  # lines that are lost
        rows = bytes(text).split(b"\n")
        text = bytearray(b"\n".join(row for row in rows if random_.random() > 0.2))
    else:
        text[random_.randrange(len(text)) :] = b"\xff\x00garbage\trestored\n\t\t\n"
    host.journal.write_bytes(text)
    subprocess.run(["sh", host.script], capture_output=True, check=False, timeout=60)
    for name, value in values.items():
        assert host.value(name) in {value, f"new{name[1:]}"}
    assert isinstance(parse_journal(text.decode(errors="replace")), dict)


def test_the_host_puts_back_by_itself_what_nobody_confirms(host: Host) -> None:
    host.setting("depth", "128")
    host.begun(1, host.entry("depth", "128", "64"))
    assert host.run("arm", "1", "1") == ["by a process"] or Path("/run/systemd/system").exists()
    for _ in range(100):
        if host.states()[1] == "restored":
            break
        subprocess.run(["sleep", "0.1"], check=True)
    assert host.value("depth") == "128"
    assert host.states() == {1: "restored"}
    host.run("confirm", "1", status=75)
    host.run("change", "1", "1", "true", status=75)


def through_begin(host: Host, number: int, *entries: JournalEntry) -> None:
    """A batch as iosonde announces it, and its changes made."""
    text = batch_lines(number, BOOT, "me", entries)
    subprocess.run(["sh", host.script, "begin"], input=text, text=True, check=True, timeout=60)
    for entry in entries:
        subprocess.run(entry.do, check=True)


def test_what_is_over_is_read_no_more(host: Host) -> None:
    """Damage in the part that is over does no harm: it is not looked at."""
    host.setting("depth", "128")
    for number in range(1, 40):
        host.begun(number, host.entry("depth", "128", "64"), then="restored")
    through_begin(host, 40, host.entry("depth", "128", "64"))
    offset, first = (host.place / "since").read_text().splitlines()
    text = host.journal.read_bytes()
    assert text[int(offset) - 1 :].decode().splitlines()[0] == first
    assert first.startswith("begin\t40\t")
    host.journal.write_bytes(b"x" * (int(offset) - 2) + text[int(offset) - 2 :])
    assert host.run("batch", "40", "why") == ["back\tdepth\t=128"]
    assert host.value("depth") == "128"


@pytest.mark.parametrize("since", ["", "7\n", "one\nbegin\t2\n", "99999999\nbegin\t2\tx\n",
                                   "5\nbegin\t2\tx\n", "-1\n\n"])  # fmt: skip
def test_a_note_that_does_not_fit_the_journal_is_not_believed(host: Host, since: str) -> None:
    host.setting("depth", "128")
    host.begun(1, host.entry("depth", "128", "64"), then="confirmed")
    (host.place / "since").write_text(since)
    assert host.run("list")
    assert host.run() == ["back\tdepth\t=128"]


def test_another_journal_is_read_from_its_beginning(host: Host) -> None:
    host.setting("depth", "128")
    host.begun(1, host.entry("depth", "128", "32"), then="restored")
    through_begin(host, 2, host.entry("depth", "128", "64"))
    host.journal.unlink()
    host.begun(1, host.entry("depth", "128", "64"))
    host.begun(2, host.entry("depth", "64", "32"))
    assert host.run() == ["back\tdepth\t=128"]
    assert host.value("depth") == "128"


def test_what_was_kept_comes_back_when_it_is_tentative_again(host: Host) -> None:
    host.setting("depth", "128")
    host.begun(1, host.entry("depth", "128", "64"), then="kept")
    host.setting("ahead", "8")
    through_begin(host, 2, host.entry("ahead", "8", "16"))
    assert (host.place / "since").read_text().splitlines()[1].startswith("begin\t2\t")
    assert [line.split("\t")[:2] for line in host.run("list")] == [["1", "kept"], ["2", "open"]]
    host.run("batch", "2", "why")
    host.run("mark", "tentative", "1")
    through_begin(host, 3, host.entry("ahead", "8", "32"))
    assert sorted(host.run()) == ["back\tahead\t=8", "back\tdepth\t=128"]
    assert host.value("depth") == "128"
    assert host.states() == {1: "restored", 2: "restored", 3: "restored"}


def test_a_beginning_that_is_cut_hides_no_other_batch(host: Host) -> None:
    host.setting("depth", "128")
    host.begun(1, host.entry("depth", "128", "64"), then="confirmed")
    with host.journal.open("a") as file:
        file.write("begin\t1")  # of "begin 12": the disk was full
    assert [row.split("\t")[0] for row in host.run("list")] == ["1"]
    assert host.run() == ["back\tdepth\t=128"]
    assert host.value("depth") == "128"


@pytest.mark.parametrize("tail", [bytes(300), b"restored\t", b"now\t1\t1\t=6" + bytes(9)])
def test_what_is_noted_after_a_damaged_end_counts(host: Host, tail: bytes) -> None:
    host.setting("depth", "128")
    host.journal.write_bytes(tail)
    lines = batch_lines(1, BOOT, "me", [host.entry("depth", "128", "64")])
    subprocess.run(["sh", host.script, "begin"], input=lines, text=True, check=True)
    assert host.run("change", "1", "1", *write_file(str(host.place / "depth"), "64")) == ["64"]
    assert host.run("batch", "1") == ["back\tdepth\t=128"]
    assert host.value("depth") == "128"


@pytest.mark.parametrize("room", range(0, 24, 3))
def test_a_confirmation_that_does_not_fit_on_the_disk_is_none(host: Host, room: int) -> None:
    host.setting("depth", "128")
    host.begun(1, host.entry("depth", "128", "64"))
    before = host.journal.read_bytes()
    limit = f"--fsize={len(before) + room}"
    done = subprocess.run(
        ["prlimit", limit, "sh", host.script, "confirm", "1"], stderr=subprocess.PIPE,
        restore_signals=False, check=False,  # SIGXFSZ stays ignored: the write fails
    )  # fmt: skip
    assert done.returncode == 1
    assert host.journal.read_bytes() == before
    assert host.run("batch", "1") == ["back\tdepth\t=128"]


def test_a_rollback_that_is_killed_while_it_is_noted_gives_no_value_between(host: Host) -> None:
    host.setting("depth", "128")
    host.begun(1, host.entry("depth", "128", "64"), then="confirmed")
    host.begun(2, host.entry("depth", "64", "32"), then="confirmed")
    before = host.journal.read_bytes()
    host.run()
    noted = host.journal.read_bytes().removeprefix(before).splitlines(keepends=True)
    assert len(noted) == 2
    for count in range(3):
        host.journal.write_bytes(before + b"".join(noted[:count]))
        host.run()
        assert host.value("depth") == "128", count


# The lines "restored" of both take 96 bytes, the lines "lost" 88.
@pytest.mark.parametrize(("room", "state"), [(60, "confirmed"), (92, "lost"), (100, "restored")])
def test_of_several_batches_that_a_reboot_ended_none_is_over_alone(
    host: Host, room: int, state: str
) -> None:
    host.setting("cache", "1")
    host.begun(1, host.entry("cache", "1", "17", lasts=True), boot=EARLIER, then="confirmed")
    host.begun(2, host.entry("cache", "17", "2", lasts=True), boot=EARLIER, then="confirmed")
    limit = f"--fsize={len(host.journal.read_bytes()) + room}"
    argv = ["prlimit", limit, "sh", str(host.script), "settle"]
    subprocess.run(argv, capture_output=True, restore_signals=False, check=False)
    assert host.value("cache") == "1"
    assert host.states() == {1: state, 2: state}
    host.run()
    assert host.value("cache") == "1"


def test_another_device_of_the_same_name_is_not_changed(host: Host) -> None:
    file, device = host.setting("depth", "128"), host.setting("diskseq", "7")
    entry = host.entry("depth", "128", "64")
    entry = dataclasses.replace(entry, device=str(device), its="7")
    host.begun(1, dataclasses.replace(entry, do=()))
    device.write_text("8\n")
    host.run("change", "1", "1", *write_file(str(file), "64"), status=1)
    assert host.value("depth") == "128"


def test_what_somebody_else_has_set_meanwhile_is_told(host: Host) -> None:
    for name in ("depth", "merges", "ahead"):
        host.setting(name, "1")
    entries = [host.entry(name, "1", "3") for name in ("depth", "merges", "ahead")]
    host.begun(1, *(dataclasses.replace(entry, do=()) for entry in entries))
    for index, journal_entry in enumerate(entries, 1):
        host.run("change", "1", str(index), *journal_entry.do)
    rounded = write_file(str(host.place / "ahead"), "2")  # the kernel makes 2 of 3
    host.run("change", "1", "3", *rounded)
    host.setting("merges", "9")
    assert host.run() == ["back\tahead\t=1", "back\tmerges\t=1\t=9", "back\tdepth\t=1"]
    assert "asked for; somebody else had made merges 9" in host.journal.read_text()
    assert host.value("merges") == "1"


def test_what_somebody_else_has_set_before_the_first_change_is_left_as_it_is(host: Host) -> None:
    for name in ("depth", "merges"):
        host.setting(name, "1")
    entries = [host.entry(name, "1", "3") for name in ("depth", "merges")]
    host.begun(1, *(dataclasses.replace(entry, do=()) for entry in entries))
    host.setting("merges", "9")
    host.run("change", "1", "1", *entries[0].do, status=77)
    assert (host.value("depth"), host.value("merges")) == ("1", "9")
    assert "somebody else has changed a setting: merges was 1 and is 9" in host.journal.read_text()
    host.run("batch", "1", "failed")
    assert host.value("merges") == "9"


def test_what_a_change_of_the_batch_disturbs_is_no_other_s(host: Host) -> None:
    for name in ("scheduler", "depth"):
        host.setting(name, "1")
    entries = [host.entry(name, "1", "3") for name in ("scheduler", "depth")]
    host.begun(1, *(dataclasses.replace(entry, do=()) for entry in entries))
    host.run("change", "1", "1", *entries[0].do)
    host.setting("depth", "2")  # as a scheduler brings its own
    host.run("change", "1", "2", *entries[1].do)
    assert (host.value("scheduler"), host.value("depth")) == ("3", "3")
    assert host.run() == ["back\tdepth\t=1", "back\tscheduler\t=1"]


@pytest.mark.parametrize("why", ["", "\tthe next candidate"], ids=["replaced", "put back"])
def test_a_candidate_in_force_is_no_other_s_where_the_next_takes_its_place(
    host: Host, why: str
) -> None:
    host.setting("depth", "1")
    first, second = host.entry("depth", "1", "3"), host.entry("depth", "1", "4")
    host.begun(1, first)
    host.begun(2, dataclasses.replace(second, do=()))
    with host.journal.open("a") as file:
        file.write(f"restored\t1\t17{why}\n")
    host.run("change", "2", "1", *second.do, status=77 if why else 0)
    assert host.value("depth") == ("3" if why else "4")


def test_another_s_change_beside_a_candidate_in_force_is_told_and_put_back(host: Host) -> None:
    for name in ("depth", "merges"):
        host.setting(name, "1")
    home = [host.entry(name, "1", "1") for name in ("depth", "merges")]
    host.begun(1, host.entry("depth", "1", "3"), home[1])
    second = [host.entry("depth", "1", "4"), home[1]]
    host.begun(2, *(dataclasses.replace(entry, do=()) for entry in second), then="restored\t1")
    text = host.journal.read_text().replace("restored\t1\t2\t17", "restored\t1\t17")
    host.journal.write_text(text)
    host.setting("merges", "9")
    host.run("change", "2", "1", *second[0].do, status=78)
    assert host.value("depth") == "3"
    assert host.run() == ["back\tmerges\t=1\t=9", "back\tdepth\t=1"]
