"""Runs that others are held against, by a name that may be given to another run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "baselines",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    )
