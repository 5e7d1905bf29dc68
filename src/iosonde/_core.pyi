"""Typed face of the Rust core (crates/iosonde-py); a test compares it with the built module."""

VERSION: str
