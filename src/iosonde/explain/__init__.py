"""Says what measurements, states and counters mean: findings, and the waterfall."""
