"""How long a device takes: one file for each kind of model, named in the table below.

A model is written "KIND:key=value,key=value", or is a name of `kinds.KINDS` alone; see
docs/use/predict.md. What all have in common is in service.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.predict.service.service import Read

MODELS: Table[Read] = Table(
    "device model",
    {
        "sheet": "iosonde.predict.service.sheet:read",
        "limits": "iosonde.predict.service.limits:read",
        "link": "iosonde.predict.service.link:read",
        "controller": "iosonde.predict.service.controller:read",
        "calibration": "iosonde.predict.service.measured:read",
    },
)
