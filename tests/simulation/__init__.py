"""A simulated host on which the product's own script runs; docs/validation/simulation.md."""
