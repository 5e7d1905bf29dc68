"""The mechanisms by which a setting is read and written, one file each."""
