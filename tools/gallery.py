"""Writes a sample of every page: `python tools/gallery.py FOLDER`; with --pictures also PNGs."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

LOAD = "'fio --name x --rw randwrite --bs 4k --direct 1 --size 64m --ioengine libaio --iodepth 8'"
STACK, LOOP = "examples/stacks/hypervisor-raid5.yaml", "examples/stacks/loop.yaml"
PAGES = {
    "run": "report {sample} -o {file}",
    "one-loop": "report {once} -o {file}",
    "interrupted": "report {empty} -o {file}",
    "comparison": "report {strip-256} {strip-512} {strip-1024} -o {file}",
    "two-runs": "report {cached} {no-read-ahead} -o {file}",
    "qualify": "report {qualified} -o {file}",
    "import": "report {page} -o {file}",
    "import-iozone": "report {iozone} -o {file}",
    "tune": "report {race} -o {file}",
    "tune-no-difference": "report {flat} -o {file}",
    "predict": f"predict --stack {STACK} --load {LOAD} --set r5.chunk_size=16k,64k,256k "
               "--device disk=7k2-sata --html {file}",
    "curves": "report {curves} -o {file}",
    "trace": "trace describe trace.csv --html {file}",
    "interleaved": "report {interleaved} -o {file}",
    "trend": "trend nightly --report {file}",
    "replay": "report {replayed} -o {file}",
}  # fmt: skip
"""Name → a command over the runs of tests/characterisation."""
PICTURED = ("run", "comparison", "qualify", "import", "tune", "predict", "curves", "trace",
            "interleaved", "trend", "replay")  # fmt: skip
_STATUS = {"trend": 1}
"""Exit codes that are no failure: a series that became worse."""


def write(folder: Path) -> list[Path]:
    """Every page, in a folder that is made.

    Raises:
        SystemExit: a command failed.
    """
    from iosonde.store import open_store
    from tests.characterisation.in_process import run, surroundings
    from tests.characterisation.stored import prepare
    from tests.fakes.curves import matrix_run
    from tests.fakes.sample_runs import interleaved_run, nightly_runs, replayed_run
    from tests.fakes.ssd import SimulatedSsd, qualify
    from tests.unit.trace.sample import requests, text

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary) / "gallery"
        ids = prepare(work)
        with surroundings(work):
            store = open_store()
            ids["qualified"] = qualify(store, "pts-iops", SimulatedSsd(480 << 30, 1.5, 6.0))
            ids["curves"] = matrix_run(store, ROOT / STACK, "r5", "disk=7k2-sata")
            ids["interleaved"] = interleaved_run(store)
            nightly_runs(store, "nightly")
            ids["replayed"] = replayed_run(store, ROOT / LOOP, "disk", "disk=7k2-sata")
            store.close()
        (work / "trace.csv").write_bytes(text("msr", requests(2000)))
        for name, command in PAGES.items():
            ended = run(shlex.split(command.format_map({**ids, "file": f"{name}.html"})), work)
            if ended.status != _STATUS.get(name, 0):
                raise SystemExit(f"{command}: {ended.stderr.decode()}")
            shutil.copy(work / f"{name}.html", folder)
            written.append(folder / f"{name}.html")
    return written


def draw(pages: list[Path]) -> None:
    """The first screen of each kind of page as PNG, by the system's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        for page in (picture for picture in pages if picture.stem in PICTURED):
            tab.goto(page.absolute().as_uri())
            tab.screenshot(path=page.with_suffix(".png"))
        browser.close()


if __name__ == "__main__":
    made = write(Path(sys.argv[1]))
    if "--pictures" in sys.argv:
        draw(made)
