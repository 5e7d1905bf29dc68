"""Tool output in any text: passages, tables, and words that a wrap tore apart."""
