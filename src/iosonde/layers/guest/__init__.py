"""Virtual machines of QEMU whose disk is a layer.

    machine.py        what is declared, and the steps that start and end a machine
    command_line.py   the disks in a command line of QEMU
    discovery.py      the machines that run on a host
    printed.py        disks of machines in any text: libvirt's and QEMU's
    printed_tools.py  what virsh, qemu-img and Proxmox's qm print

Source: qemu(1) 7.2; more in the files.
"""
