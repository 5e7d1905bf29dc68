"""ATA over Ethernet: disks as targets (vblade, ggaoed), and the kernel's initiator.

Source: AoEr11, "AoE (ATA over Ethernet)"; Linux Documentation/admin-guide/aoe.
"""

RULES = {
    "aoe_ends": "iosonde.layers.aoe.findings_ends:RULES",
    "frames": "iosonde.layers.aoe.findings:RULES",
}
