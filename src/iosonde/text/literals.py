"""Which of many literals stand in which of many lines: looked for all at once, in the core."""

from __future__ import annotations

from collections.abc import Sequence

from iosonde._core import Anchors


class Literals:
    """Literals to look for.

    Args:
        literals: what to look for, upper and lower case as they stand.
    """

    def __init__(self, literals: Sequence[str]) -> None:
        self._search = Anchors([(literal, number) for number, literal in enumerate(literals)])

    def lines(self, texts: Sequence[str]) -> dict[int, list[int]]:
        """Index of each line that holds a literal → the numbers of those it holds, ascending.

        Args:
            texts: lines without line ends.
        """
        block = "\n".join(texts).encode(errors="surrogatepass")
        places, _, numbers, _ = self._search.scan(block)
        held: dict[int, list[int]] = {}
        for place, number in sorted(zip(places, numbers, strict=True)):
            held.setdefault(place, []).append(number)
        return held
