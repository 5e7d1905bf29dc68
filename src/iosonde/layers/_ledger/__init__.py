"""What a layer is to the core: rules, and what they may look at."""
