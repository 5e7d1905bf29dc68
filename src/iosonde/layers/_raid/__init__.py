"""What arrays share, whoever keeps them: md, LVM or a controller."""

OUTPUTS = {
    "raid_words": "iosonde.layers._raid.printed:RaidWords",
    "snapraid_conf": "iosonde.layers._raid.printed_snapraid:SnapraidConf",
}
RULES = {
    "raid": "iosonde.layers._raid.findings:RULES",
}
