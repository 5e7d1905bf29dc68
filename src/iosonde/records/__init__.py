"""The records that travel between the rooms: one module per subject, frozen dataclasses.

Stored: `stack`, `load`, `run`, `campaign`, `printed`, and the forecasts of `prediction`. Computed
from these when they are looked at: `sheet`, `comparison`, `campaign_sheet`, `evidence`, `finding`.
"""
