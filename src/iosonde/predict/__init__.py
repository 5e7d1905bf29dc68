"""What a declared stack will do with a load, counted before anything is built."""
