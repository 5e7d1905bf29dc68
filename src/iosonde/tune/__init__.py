"""`iosonde tune`: search/ decides what to measure next, campaign/ does it on hosts.

Beside them: what the measurements of a campaign say when it has ended (effects, parts, path).
"""
