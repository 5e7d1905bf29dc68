"""dm-crypt and LUKS.

Source: Linux Documentation/admin-guide/device-mapper/dm-crypt.rst.
"""
