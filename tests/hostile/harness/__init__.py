"""Kills one process of a run's chain at a random moment, and looks at what is left of all of it.

    python -m tests.hostile.harness --count 200 --seed 1

A run of a short writing load goes on at a loop device that shows a window of an image, or at a
scratch file in a directory of other files, here or over ssh. At a moment drawn from the seed one
process of its chain gets SIGKILL: iosonde, what holds the device, what stands between iosonde and
fio, fio, one of its jobs, the runner of an ssh command or the session of sshd. Then nothing that
was not named may have changed, and within STATED seconds nothing may be left.
"""

from __future__ import annotations

STATED = 5.0
"""Seconds after the end of iosonde within which all else that belongs to its run has ended."""
