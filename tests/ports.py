"""Ports of loopback for servers that tests start."""

from __future__ import annotations

import itertools
import os
import socket

_FIRST, _COUNT = 16_384, 16_384
"""Below those that the kernel gives to connections: from 32768 (ip(7), ip_local_port_range)."""
_TURN = itertools.count()


def free_port() -> int:
    """A port at which nobody listens.

    Nobody takes it before the server has it, nor while a test has ended the server and is to start
    it again: connections get others, and each process of the tests begins at its own place.
    """
    while True:
        port = _FIRST + (os.getpid() * 61 + next(_TURN)) % _COUNT
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
