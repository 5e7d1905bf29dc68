"""Tool output in any text: documents, where outputs stand in them, and what reads their lines."""
