"""Device-mapper: any mapped device that no technology of its own claims.

What all that maps by it share lies in `_mapper`.
"""
