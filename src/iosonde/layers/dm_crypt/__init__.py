"""dm-crypt and LUKS.

Source: Linux Documentation/admin-guide/device-mapper/dm-crypt.rst.
"""

OUTPUTS = {
    "cryptsetup": "iosonde.layers.dm_crypt.printed:CryptsetupStatus",
    "cryptsetup_benchmark": "iosonde.layers.dm_crypt.printed_benchmark:CryptsetupBenchmark",
    "cryptsetup_dialogue": "iosonde.layers.dm_crypt.printed_dialogue:CryptsetupDialogue",
    "cryptsetup_messages": "iosonde.layers.dm_crypt.printed_messages:CryptsetupMessages",
    "crypttab": "iosonde.layers.dm_crypt.printed_crypttab:Crypttab",
    "luks_dump": "iosonde.layers.dm_crypt.printed_luks:LuksDump",
}
