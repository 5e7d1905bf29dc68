"""XFS in the ledger."""

from __future__ import annotations

from iosonde.layers._ledger.rule import Accounting
from iosonde.layers._mounts.ledger import extents_of_file, file_system

ACCOUNTING = Accounting(declared=file_system, discovered=extents_of_file)
