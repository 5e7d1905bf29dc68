"""Rules over several technologies."""
