"""The layers of one or several hosts as a graph: declared, discovered, drawn."""
