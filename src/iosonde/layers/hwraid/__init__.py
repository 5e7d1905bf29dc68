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

OUTPUTS = {
    "arcconf": "iosonde.layers.hwraid.printed_arcconf:Arcconf",
    "areca": "iosonde.layers.hwraid.printed_areca:Areca",
    "cciss_proc": "iosonde.layers.hwraid.printed_cciss:CcissProc",
    "cciss_vol_status": "iosonde.layers.hwraid.printed_cciss:CcissVolStatus",
    "megacli": "iosonde.layers.hwraid.printed:MegaCli",
    "megacli_answers": "iosonde.layers.hwraid.printed_megacli_answers:MegaCliAnswers",
    "megacli_enclosures": "iosonde.layers.hwraid.printed_megacli_lines:MegaCliEnclosures",
    "megacli_lines": "iosonde.layers.hwraid.printed_megacli_lines:MegaCliLines",
    "megacli_policies": "iosonde.layers.hwraid.printed_megacli_lines:MegaCliPolicies",
    "megacli_progress": "iosonde.layers.hwraid.printed_megacli_lines:MegaCliProgress",
    "megarc": "iosonde.layers.hwraid.printed_megarc:Megarc",
    "mpt_status": "iosonde.layers.hwraid.printed_mpt_status:MptStatus",
    "mvcli": "iosonde.layers.hwraid.printed_mvcli:Mvcli",
    "omreport": "iosonde.layers.hwraid.printed_omreport:Omreport",
    "omreport_rows": "iosonde.layers.hwraid.printed_omreport:OmreportRows",
    "racadm": "iosonde.layers.hwraid.printed_racadm:Racadm",
    "sas_ircu": "iosonde.layers.hwraid.printed_sas_ircu:SasIrcu",
    "sas_ircu_list": "iosonde.layers.hwraid.printed_sas_ircu:SasIrcuList",
    "ssacli": "iosonde.layers.hwraid.printed:Ssacli",
    "ssacli_lines": "iosonde.layers.hwraid.printed_controller_rows:SsacliLines",
    "storcli": "iosonde.layers.hwraid.printed:Storcli",
    "storcli_progress": "iosonde.layers.hwraid.printed_controller_rows:StorcliProgress",
    "storcli_rows": "iosonde.layers.hwraid.printed_controller_rows:StorcliRows",
    "tw_cli": "iosonde.layers.hwraid.printed_tw_cli:TwCli",
    "tw_cli_enclosure": "iosonde.layers.hwraid.printed_tw_cli_enclosure:TwCliEnclosure",
}
RULES = {
    "controller": "iosonde.layers.hwraid.findings:RULES",
    "controller_drives": "iosonde.layers.hwraid.findings_drives:RULES",
}
