"""iosonde: describe, measure, explain and tune Linux storage stacks, layer by layer."""
