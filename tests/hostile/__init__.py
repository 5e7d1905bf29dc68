"""Attacks by hostile neighbours, bad luck and strangers' input (docs/security.md)."""
