"""Swap areas. Oracle: the real mkswap and kernel, and two tables of the same areas."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "swap-composed"
SWAPINFO = (OUTPUTS / "swapinfo.txt").read_text()
TEXT = (Path(__file__).parents[3] / "outputs" / "swap-composed" / "swaps.txt").read_text()


def areas(text: str) -> list[tuple[str, dict[str, Scalar]]]:
    return [
        (area.name, dict(area.values))
        for state in states(text)
        for area in state.subjects
        if area.kind == "swap"
    ]


def test_both_tables_and_mkswap_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        listed_areas = areas(given)
        assert [name for name, _ in listed_areas] == [
            "sdq2", "/srv/swapfile", "sdq2", "/srv/swapfile", "/srv/swapfile7",
        ], shape  # fmt: skip
        (_, listed), (_, file), (_, shown), *_, (_, made) = listed_areas
        assert listed == {
            "type": "partition", "size": 8388604 * 1024, "used": 1 << 30, "priority": -2,
        }, shape  # fmt: skip
        assert (shown["size"], shown["used"], shown["priority"]) == (8 << 30, 1 << 30, -2), shape
        assert abs(int(str(listed["size"])) - int(str(shown["size"]))) <= 1 << 12, shape
        assert file["used"] == 0, shape
        assert made == {"size": 536866816, "uuid": "b0f2ecf5-041e-4d6b-b6bc-574d34218aba"}, shape


@pytest.mark.parametrize("options", [[], ["-L", "pond"]])
def test_the_real_mkswap(tmp_path: Path, options: list[str]) -> None:
    file = tmp_path / "swap"
    file.write_bytes(bytes(1 << 20))
    file.chmod(0o600)
    made = subprocess.run(
        ["/usr/sbin/mkswap", *options, str(file)], capture_output=True, text=True, check=True,
        env={"LC_ALL": "C"},
    )  # fmt: skip
    ((name, values),) = areas(f"# mkswap {' '.join(options)} {file}\n{made.stdout}")
    assert (name, values["size"]) == (str(file), (1 << 20) - 4096)  # without its header
    assert values.get("label") == ("pond" if options else None)
    uuid = subprocess.run(
        ["/usr/sbin/blkid", "-o", "value", "-s", "UUID", str(file)], capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert values["uuid"] == uuid.stdout.strip()


def test_what_this_kernel_lists() -> None:
    swaps = Path("/proc/swaps").read_text()
    rows = [line.split() for line in swaps.splitlines()[1:]]
    assert [(name, area["size"], area["priority"]) for name, area in areas(swaps)] == [
        (row[0].removeprefix("/dev/"), int(row[2]) * 1024, int(row[4])) for row in rows
    ]


def test_translated_words_and_older_sizes() -> None:
    japanese = (
        "$ sudo mkswap /swap1\n"
        "スワップ空間バージョン 1 を設定します。サイズ = 512 MiB (536866816 バイト)\n"
        "ラベルはありません, UUID=b0f2ecf5-041e-4d6b-b6bc-574d34218aba\n"
    )
    assert areas(japanese)[0][1]["size"] == 536866816
    old = TEXT[TEXT.index("root@db7:~# mkswap") :].replace(
        "size = 512 MiB (536866816 bytes)", "size = 524284 KiB"
    )
    assert areas(old)[0][1]["size"] == 524284 << 10


@pytest.mark.parametrize(
    "text",
    [
        "Filename and Type of each file, Size and Used, Priority\n/dev/sda none\n",
        "NAME TYPE SIZE USED PRIO\nare the columns of swapon\n",
        "mkswap /dev/sdq2 makes a swap area: size = 8 GiB\n",
        "NAME   SIZE TYPE MOUNTPOINT\nsda    8G disk\n",
        "# mkswap /dev/sdq2\nmkswap: cannot open /dev/sdq2: Permission denied\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not areas(text)
    assert not [entry for entry in read(text) if getattr(entry, "reason", "")]


def test_swapinfo_counts_in_the_blocks_of_its_head() -> None:
    for shape, given in mangled(SWAPINFO, wraps=False):
        rows = areas(given)
        assert [name for name, _ in rows] == ["ada0p3", "md99", "", "ada0p3", "sd0b"], shape
        first, second, total, shown, other = (values for _, values in rows)
        for name in ("size", "used", "free"):
            assert int(str(first[name])) + int(str(second[name])) == total[name], shape
            assert first[name] == shown[name] == other[name], shape
        assert first["used_share"] == 0.25, shape
        assert other["priority"] == 0, shape


@pytest.mark.parametrize("text", [
    "Device          1K-blocks     Used    Avail Capacity\n\nMore text.\n",
    "Filesystem  1024-blocks      Used     Avail Capacity  Mounted on\n"
    "/dev/ada0p2   942033884 377957580 488713596    44%    /\n",
    "Device              Size     Used    Avail Capacity\n/dev/ada0p3   2048  512 1536 25% more\n",
])  # fmt: skip
def test_no_swap_area(text: str) -> None:
    assert areas(text) == []


def test_what_mkswap_warns_of_is_kept() -> None:
    made = "Setting up swapspace version 1, size = 64 MiB (67104768 bytes)\n"
    uuid = "no label, UUID=11111111-2222-4333-8444-555555555555\n"
    warning = "mkswap: /dev/sdq2: warning: wiping old ext4 signature."
    (state,) = states(f"# mkswap /dev/sdq2\n{warning}\n{made}{uuid}")
    assert state.messages == (warning,)
    (state,) = states(f"# mkswap /dev/sdq2\n{made}{uuid}")
    assert state.messages == ()
