"""What the shell in memory says of what it does not know."""


class Unplayed(Exception):
    """Something that is not known here; it is run by the real shell then."""
