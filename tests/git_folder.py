"""The real git in a folder of a test, with nothing of whoever runs the tests."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path


def git_in(folder: Path) -> Callable[..., str]:
    """A function that runs git with arguments in a folder and gives what it prints."""

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C"},
        ).stdout  # fmt: skip

    return git
