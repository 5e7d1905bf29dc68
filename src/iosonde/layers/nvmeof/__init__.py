"""NVMe over Fabrics: a namespace exported by Linux's nvmet, and the controller that imports it.

    target.py      the exporting side: subsystem, namespace, port in configfs
    initiator.py   the importing side: `nvme connect`, and what sysfs says of it

Source: Linux drivers/nvme/target/configfs.c (6.1), Documentation/nvme (NVMe-oF transports);
drivers/nvme/host/sysfs.c; nvme-connect(1); NVM Express Base Specification 2.0, 4.5 (NQN).
"""

OUTPUTS = {
    "nvme_list": "iosonde.layers.nvmeof.printed:NvmeList",
    "nvme_subsystems": "iosonde.layers.nvmeof.printed_subsystems:NvmeSubsystems",
    "nvme_verbose_list": "iosonde.layers.nvmeof.printed_subsystems:NvmeVerboseList",
    "nvmet_config": "iosonde.layers.nvmeof.printed_config:NvmetConfig",
    "nvmetcli": "iosonde.layers.nvmeof.printed_nvmetcli:Nvmetcli",
}
RULES = {
    "capsules": "iosonde.layers.nvmeof.findings:RULES",
    "nvme_paths": "iosonde.layers.nvmeof.findings_paths:RULES",
}
KERNEL_MESSAGES = {
    "nvmeof": "iosonde.layers.nvmeof.kernel_log:MESSAGES",
}
