"""The journal's text, and what of it counts after a crash at any letter."""

from __future__ import annotations

import pytest

from iosonde.change.keep import merged
from iosonde.change.settings_journal import (
    BESIDE,
    JournalEntry,
    batch_lines,
    parse_journal,
    parse_put_back,
)
from iosonde.change.tentative import WantedSetting, apart
from iosonde.errors import Refused, UsageError
from iosonde.settings.declared import LayerSetting, queue_settings
from iosonde.settings.mechanism import PersistentLine
from iosonde.stack.settable import Allowed, Settable, find


def entry(name: str, old: str, new: str) -> JournalEntry:
    return JournalEntry(name, old, new, ("cat", "/x"), ("set", new), ("set", old), "/sys/seq", "7")


BATCH = batch_lines(
    3, "boot-a", "me", [entry("a.depth", "", BESIDE), entry("a.scheduler", "none", "write back")]
)


def test_a_batch_is_read_as_it_was_written() -> None:
    (batch,) = parse_journal(BATCH).values()
    assert (batch.number, batch.boot, batch.owner, batch.state) == (3, "boot-a", "me", "open")
    assert batch.old == {"a.depth": "", "a.scheduler": "none"}
    assert batch.new == {"a.scheduler": "write back"}
    assert batch.device["a.depth"] == ("/sys/seq", "7")


@pytest.mark.parametrize(
    ("word", "state"),
    [("confirmed", "confirmed"), ("restored", "restored"), ("lost", "lost"), ("kept", "kept"),
     ("tentative", "confirmed")],
)  # fmt: skip
def test_what_became_of_a_batch(word: str, state: str) -> None:
    assert parse_journal(f"{BATCH}{word}\t3\t17\n")[3].state == state


def test_a_journal_cut_off_at_any_letter_never_says_more_than_is_whole() -> None:
    whole = f"{BATCH}confirmed\t3\t17\n"
    for length in range(len(whole) + 1):
        batches = parse_journal(whole[:length])
        state = batches[3].state if 3 in batches else ""
        ready = length >= len(BATCH)
        assert state == ("confirmed" if length == len(whole) else "open" if ready else "")
        # the next line is written on a line of its own
        later = parse_journal(f"{whole[:length]}\nrestored\t3\t18\n")
        assert 3 not in later or later[3].state == "restored"


@pytest.mark.parametrize("value", ["a\tb", "a\nb", "a\0b"])
def test_a_value_that_would_break_the_lines_is_refused(value: str) -> None:
    with pytest.raises(Refused, match="journalled") as raised:
        batch_lines(1, "b", "me", [entry("a.b", "x", "y"), entry("a.c", "x", value)])
    assert raised.value.where == "a.c"


def test_what_the_script_says() -> None:
    said = b"back\ta.b\t=none\nwrong\ta.c\t=1\t=2\ngone\ta.d\t=\nnoise\nlost\t4\n"
    rows = [(revert.name, revert.state, revert.old, revert.now) for revert in parse_put_back(said)]
    assert rows == [
        ("a.b", "back", "none", ""), ("a.c", "wrong", "1", "2"), ("a.d", "gone", "", ""),
        ("4", "lost", "", ""),
    ]  # fmt: skip


def setting(name: str, *disturbed: Settable, choices: tuple[str, ...] = ()) -> Settable:
    declared = queue_settings(name)[0]
    return Settable(
        "h/disk:vda", "disk:vda", declared, f"/sys/{name}", 1, Allowed(choices), "", "", disturbed
    )


def test_what_is_so_already_is_left_alone_unless_another_change_disturbs_it() -> None:
    depth = setting("nr_requests")
    scheduler, merges = setting("scheduler", depth), setting("nomerges")
    wanted = [
        WantedSetting(scheduler, "bfq"),
        WantedSetting(depth, "128"),
        WantedSetting(merges, "0"),
    ]
    entries = [
        entry(scheduler.name, "none", "bfq"), entry(depth.name, "128", "128"),
        entry(merges.name, "0", "0"),
    ]  # fmt: skip
    assert apart(entries, wanted) == ([], entries[:2])
    same = [entry(scheduler.name, "bfq", "bfq"), *entries[1:]]
    assert apart(same, wanted) == ([], [])


def test_values_are_checked_against_what_the_host_allows() -> None:
    scheduler = setting("scheduler", choices=("none", "bfq"))
    assert scheduler.checked(" bfq ") == "bfq"
    with pytest.raises(UsageError, match="none, bfq"):
        scheduler.checked("cfq")
    limited = Settable("h", "", LayerSetting("x", "sysctl", "x"), "x", 1, Allowed((), 4, 9))
    assert limited.checked("9") == "9"
    for wrong in ("3", "10", "many", ""):
        with pytest.raises(UsageError):
            limited.checked(wrong)


def test_a_setting_is_found_by_every_name_a_user_has_for_it() -> None:
    settables = [
        Settable("box/disk:vda", "disk:vda", queue_settings("nomerges")[0], "/x", 0),
        Settable("box/lvm:vg/a.b", "lvm:vg/a.b", queue_settings("nomerges")[0], "/x", 0),
        Settable("box", "", LayerSetting("vm.swappiness", "sysctl", "vm.swappiness"), "x", 60),
    ]
    for name in ("vda.nomerges", "/dev/vda.nomerges", "disk:vda.nomerges", "box/disk:vda.nomerges"):
        assert find(settables, name) is settables[0]
    assert find(settables, "vg/a.b.nomerges") is settables[1]
    assert find(settables, "vm.swappiness") is find(settables, "box.vm.swappiness") is settables[2]
    with pytest.raises(UsageError, match="no setting"):
        find(settables, "vdb.nomerges")
    with pytest.raises(UsageError, match="several"):
        find([*settables, settables[0]], "vda.nomerges")


def test_a_kept_file_has_one_line_a_setting_and_what_disturbs_others_comes_first() -> None:
    depth, scheduler = (
        PersistentLine("/f", "D=", "D=1"),
        PersistentLine("/f", "S=", "S=none", first=True),
    )
    first = merged("", [depth], "# made by iosonde on A")
    assert first == "# made by iosonde on A\nD=1\n"
    more = merged(first, [scheduler], "# made by iosonde on B")
    assert more == "# made by iosonde on B\nS=none\nD=1\n"
    assert merged(more, [PersistentLine("/f", "D=", "D=2")], "# made by iosonde on C") == (
        "# made by iosonde on C\nS=none\nD=2\n"
    )
    nfs = PersistentLine("/n", "threads =", "threads = 8", section="[nfsd]")
    once = merged("", [nfs], "# made by iosonde on A")
    assert merged(once, [nfs], "# made by iosonde on A") == once
    assert once.splitlines()[1:] == ["[nfsd]", "threads = 8"]
