"""What `list` shows of a run, kept beside it; filled when runs end, and of old ones when listed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "outlines",
        sa.Column("run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("settings", sa.LargeBinary),
    )
    # A list reads these alone, and none of the plans between them.
    op.create_index("runs_listed", "runs", ["created", "id", "study", "state", "owner", "name"])
