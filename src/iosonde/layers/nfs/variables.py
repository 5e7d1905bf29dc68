"""Variables of the file that the start of an NFS server reads.

Source: /etc/sysconfig/nfs of RHEL 5 to 7, /etc/default/nfs-kernel-server of Debian 9 to 11, whose
RPCNFSDCOUNT is the number of threads.
"""

from __future__ import annotations

import re

from iosonde.kerneltext import fields
from iosonde.layers._commands.configuration import SettingsFile, ShellVariables
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar

_THREADS = "RPCNFSDCOUNT"
_NAMES = (
    "BLKMAPDARGS GSS_USE_PROXY LOCKD_TCPPORT LOCKD_UDPPORT MOUNTD_NFS_V1 MOUNTD_NFS_V2 "
    "MOUNTD_NFS_V3 MOUNTD_PORT NEED_GSSD NEED_IDMAPD NEED_STATD NEED_SVCGSSD "
    "NFS3_SERVER_SUPPORT NFS4_SUPPORT NFSD_MODULE NFSD_V4_GRACE NFSD_V4_LEASE "
    "NFS_SECURITY_GSS RPCGSSDARGS RPCGSSDOPTS RPCIDMAPDARGS RPCMOUNTDARGS RPCMOUNTDOPTS "
    "RPCNFSDARGS RPCNFSDCOUNT RPCNFSDOPTS RPCNFSDPRIORITY RPCRQUOTADOPTS RPCSVCGSSDARGS "
    "RPCSVCGSSDOPTS RQUOTAD RQUOTAD_PORT SECURE_NFS SECURE_NFS_MODS SMNOTIFYARGS STATDARG "
    "STATDOPTS STATD_HA_CALLOUT STATD_OUTGOING_PORT STATD_PORT TUNE_QUEUE "
    "USE_KERNEL_NFSD_NUMBER"
)


def _subject(name: str, value: Scalar) -> PrintedSubject | None:
    if name == _THREADS and isinstance(value, int):
        return PrintedSubject("nfsd", "", {"threads": value})
    return None


SETTINGS_FILE = SettingsFile(
    files=(
        "/etc/sysconfig/nfs", "/etc/default/nfs-kernel-server", "/etc/default/nfs-common",
        "/etc/nfs.conf", "/etc/conf.d/nfs",
    ),
    reader="the start of the NFS server",
    renewed_by="restart the NFS server",
    variables=ShellVariables(
        anchors=("RPCNFS", "RPCMOUNTD", "NFSD_", "RPC.NFSD", "NFSDCOUNT", "RPCSVC"),
        line=re.compile(
            r"(?:export\s+)?"
            r"(?P<name>(?:RPC|NFS|MOUNTD|LOCKD|STATD|NEED_|SECURE_NFS)[A-Z0-9_]{1,40})="
            r"(?P<value>\"[^\"]{0,80}\"|'[^']{0,80}'|[^\s\"'$`]{0,80})"
        ),
        names=tuple(fields(_NAMES)),
        unknown="no script of the NFS server knows this variable",
        cost=", which interrupts its clients for a moment",
        subject=_subject,
        confirm={_THREADS: "`cat /proc/fs/nfsd/threads` after the restart"},
    ),
)  # fmt: skip
