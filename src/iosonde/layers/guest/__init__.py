"""Virtual machines of QEMU whose disk is a layer.

    machine.py        what is declared, and the steps that start and end a machine
    command_line.py   the disks in a command line of QEMU
    discovery.py      the machines that run on a host
    printed.py        disks of machines in any text: libvirt's and QEMU's
    printed_tools.py  what virsh, qemu-img and Proxmox's qm print

Source: qemu(1) 7.2; more in the files.
"""

OUTPUTS = {
    "aws_volume_table": "iosonde.layers.guest.printed_cloud_tables:AwsVolumeTable",
    "aws_volumes": "iosonde.layers.guest.printed_cloud_volumes:AwsVolumes",
    "azure_disk_table": "iosonde.layers.guest.printed_cloud_tables:AzureDiskTable",
    "azure_disks": "iosonde.layers.guest.printed_cloud_volumes:AzureDisks",
    "docker_disk_use": "iosonde.layers.guest.printed_containers:DockerDiskUse",
    "docker_info": "iosonde.layers.guest.printed_containers:DockerInfo",
    "google_disk_table": "iosonde.layers.guest.printed_cloud_tables:GoogleDiskTable",
    "google_disks": "iosonde.layers.guest.printed_cloud_volumes:GoogleDisks",
    "kubectl_describe": "iosonde.layers.guest.printed_kubernetes:KubectlDescribe",
    "kubernetes_volumes": "iosonde.layers.guest.printed_containers:KubernetesVolumes",
    "libvirt_disks": "iosonde.layers.guest.printed:LibvirtDisks",
    "openstack_volumes": "iosonde.layers.guest.printed_cloud_volumes:OpenstackVolumes",
    "pct_config": "iosonde.layers.guest.printed_tools:PctConfig",
    "pvesm_status": "iosonde.layers.guest.printed_pvesm:PvesmStatus",
    "qemu_block_counts": "iosonde.layers.guest.printed_monitor:QemuBlockCounts",
    "qemu_blocks": "iosonde.layers.guest.printed_monitor:QemuBlocks",
    "qemu_check_json": "iosonde.layers.guest.printed_qemu_json:QemuCheckJson",
    "qemu_drives": "iosonde.layers.guest.printed:QemuDrives",
    "qemu_image": "iosonde.layers.guest.printed_tools:QemuImage",
    "qemu_image_json": "iosonde.layers.guest.printed_qemu_json:QemuImageJson",
    "qemu_image_made": "iosonde.layers.guest.printed_qemu_img:QemuImageMade",
    "qemu_image_resized": "iosonde.layers.guest.printed_qemu_img:QemuImageResized",
    "qemu_map_json": "iosonde.layers.guest.printed_qemu_json:QemuMapJson",
    "qm_config": "iosonde.layers.guest.printed_tools:QmConfig",
    "storage_cfg": "iosonde.layers.guest.printed_pvesm:StorageCfg",
    "virsh_counts": "iosonde.layers.guest.printed_virsh_counts:VirshCounts",
    "virsh_jobs": "iosonde.layers.guest.printed_virsh:VirshJobs",
    "virsh_labels": "iosonde.layers.guest.printed_virsh:VirshLabels",
    "virsh_stats": "iosonde.layers.guest.printed_virsh_counts:VirshStats",
    "virsh_tables": "iosonde.layers.guest.printed_virsh:VirshTable",
    "volume_events": "iosonde.layers.guest.printed_volume_events:VolumeEvents",
}
RULES = {
    "claims": "iosonde.layers.guest.findings_claims:RULES",
    "images": "iosonde.layers.guest.findings:RULES",
}
