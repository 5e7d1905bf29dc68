"""The samplers: what is read from each host once a second while a load runs."""
