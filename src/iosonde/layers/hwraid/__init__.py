"""Virtual drives of hardware RAID controllers, by the controllers' own command lines.

    kind.py         the kind: found, planned, placed
    discovery.py    which tools a host has, what they say, and each virtual drive's block device
    declared.py     what a user declares, and its arithmetic
    building.py     the steps, and the scripts that are alike for all controllers
    megaraid.py     storcli and perccli: their commands, and how their listing is read on the host
    smart_array.py  ssacli, hpssacli and hpacucli: the same

Source: Broadcom's StorCLI reference manual (12 Gb/s MegaRAID), chapters "Virtual Drive Commands"
and "Drive Commands"; LSI's MegaRAID SAS Software User Guide, chapter "MegaRAID Command Tool"; HPE's
Smart Storage Administrator user guide, chapter on the CLI, and `ssacli help`; Linux
drivers/scsi/megaraid/megaraid_sas_base.c (virtual drives are on the channels from 2 on, their
number is the SCSI target).
"""
