"""A sample of what another package can add to iosonde."""
