"""Finds the printed outputs of tools in any text, and says where each stands."""
