"""Network interfaces that carry storage."""
