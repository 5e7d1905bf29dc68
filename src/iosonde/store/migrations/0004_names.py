"""A run's name, and tags that several runs may share."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("runs", sa.Column("name", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "tags",
        sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True),
    )
