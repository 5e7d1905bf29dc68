"""dm-multipath: several paths to one LUN."""
