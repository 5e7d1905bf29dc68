"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import mount_namespace

# What is in these folders has real loads, devices or kernels.
_REAL = {Path(__file__).parent / name for name in ("hostile", "kernel", "lab", "loop", "uml")}
_SLOW = {Path(__file__).parent / name for name in ("browser", "install")}
"""Folders whose tests are all marked `slow` by themselves."""

ENDS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)

# How fast examples are made says something of the machine, and nothing of what is tested.
settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy machine")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where all is asked for that is not slow, what has only slow tests need not be imported."""
    usual = "not slow" in config.option.markexpr and [*map(Path, config.args)] == [Path("tests")]
    return True if usual and collection_path in {*_REAL, *_SLOW} else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark `slow` what is not of unit and contract tests, before any is left out by its marks."""
    real = {path: bool(_REAL.intersection(path.parents)) for path in {item.path for item in items}}
    for item in items:
        if real[item.path]:
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Let the collector pass over what is there by now and stays: modules, tests, their names."""
    gc.collect()
    gc.freeze()


def pytest_configure() -> None:
    """Give the tests a world of their own, whose commands heed signals also under nohup(1)."""
    mount_namespace.enter()
    _prefer_interpreter()
    for number in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(
                number, signal.SIG_DFL if number == signal.SIGHUP else signal.default_int_handler
            )


def _prefer_interpreter() -> None:
    """Let `python3` be no script that looks for one, as pyenv's is: 0.1 s for each start."""
    path = shutil.which("python3")
    if path is not None and Path(path).read_bytes()[:2] == b"#!":
        os.environ["PATH"] = f"{Path(sys.executable).resolve().parent}:{os.environ['PATH']}"


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """A command that ends in this process ignores signals from then on, and so would its children.

    Left so, a later test of Ctrl-C would wait in vain for what it sends.
    """
    before = {number: signal.getsignal(number) for number in ENDS}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
