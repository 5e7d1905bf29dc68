"""ext4 and its journal."""
