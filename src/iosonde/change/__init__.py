"""What changes a host, and what keeps it from being changed wrongly."""
