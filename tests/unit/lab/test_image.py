"""How far the making of an image is."""

from __future__ import annotations

from iosonde.lab.image import rising


def test_what_is_told_of_a_folder_that_shrinks_again_never_falls() -> None:
    """Packages are unpacked beside their archives, which are then removed."""
    sizes = iter((None, 0.1, 0.5, 0.4, None, 0.45, 0.6))
    figures: list[float | None] = []
    watch = rising(lambda: next(sizes), figures.append)
    for _ in range(7):
        watch()
    assert figures == [None, 0.1, 0.5, 0.5, 0.5, 0.5, 0.6]
