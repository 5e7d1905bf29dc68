"""What storage arrays print on their own command lines: pools, volumes, drives and mirrors."""
