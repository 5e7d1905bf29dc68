"""Rules about loads, whichever tool applied them."""
