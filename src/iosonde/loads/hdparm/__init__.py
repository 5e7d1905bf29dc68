"""hdparm: its timings as a load, and what it prints.

Source: hdparm(8).
"""
