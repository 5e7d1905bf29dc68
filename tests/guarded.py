"""What the guard says of a device of this machine to somebody who wants to write to it."""

from __future__ import annotations

import pytest

from iosonde.change.guard import check_target, parse_destroy
from iosonde.errors import Refused
from iosonde.hosts.local import LocalHost
from iosonde.records.load import Target

HOST = LocalHost()


async def refusal(path: str, *destroy: str) -> Refused:
    """Its refusal, which has evidence; `destroy` is what may be destroyed instead of the path."""
    permissions = parse_destroy(destroy or [path])
    with pytest.raises(Refused) as caught:
        await check_target(HOST, path, writes=True, permissions=permissions)
    assert caught.value.exit_code == 3
    assert caught.value.evidence
    return caught.value


async def allowed(path: str, *destroy: str) -> Target:
    """The target that it lets a load write to."""
    return await check_target(HOST, path, writes=True, permissions=parse_destroy(destroy or [path]))
