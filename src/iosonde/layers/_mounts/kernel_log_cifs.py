"""What the kernel's log says of SMB mounts: servers that do not answer, sessions, debug messages.

Source: Linux 6.12 fs/smb/client/cifs_debug.h, cifs_dbg(), cifs_server_dbg() and cifs_tcon_dbg()
    ("CIFS: VFS: ", before "CIFS VFS: "; of debugging "CIFS: FILE: ", before "FILE: "); connect.c,
    server_unresponsive() and cifs_get_smb_ses(); cifsfs.c, cifs_smb3_do_mount(); transport.c,
    smb_send_kvec(); smb2pdu.c, SMB2_tcon(); misc.c, cifs_autodisable_serverino();
    smb2maperror.c, map_smb2_to_linux_error(); Linux 4.19 fs/cifs/connect.c, server_unresponsive().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage
from iosonde.layers._mounts.kernel_log import filesystem_messages

_VFS = r"CIFS:? VFS: (?:\\\\(?P<name>[\w.:%-]{1,80})(?:\\\S{1,80})? )? ?"
_WAITED = r"has not responded in (?P<waited_seconds>\d{1,9}) seconds"

MESSAGES = (
    KernelMessage(
        "has not responded in ",
        rf"CIFS:? VFS: (?:Server |\\\\)(?P<name>[\w.:%-]{{1,80}})(?:\\\S{{1,80}})? {_WAITED}",
        "filesystem", "unanswered_calls", "unanswered",
    ),
    *(
        message
        for literal in ("CIFS: VFS: ", "CIFS VFS: ")
        for message in filesystem_messages(
            literal, _VFS,
            ("unanswered_calls", r"(?:sends on sock \S{1,20} stuck for \d{1,6} seconds"
             r"|wait timed out after \d{1,9} ms|Number of request timeouts exceeded).{0,60}"),
            ("failed_mounts", r"cifs_mount failed w/return code = (?P<errors>-\d{1,5})"),
            ("failed_sessions", r"(?:Send error in SessSetup|failed to connect to IPC)"
             r" (?:= |\(rc=)(?P<errors>-\d{1,5})"),
            ("unknown_shares", r"BAD_NETWORK_NAME: (?P<shares>\\\\\S{1,200})"),
            ("failed_sends", r"(?:Error (?P<send_errors>-\d{1,5}) sending data on socket to server"
             r"|Send error in \w{3,20} = (?P<call_errors>-\d{1,5}))"),
            ("serverino_turned_off", r"Autodisabling the use of server inode numbers on "
             r"(?P<shares>\S{1,200})"),
        )
    ),
    KernelMessage(
        "CIFS: Attempting to mount ",
        r"CIFS: Attempting to mount (?P<shares>(?:\\\\|//)\S{1,200})", "host", "begun_cifs_mounts",
    ),
    KernelMessage(
        "Status code returned 0x",
        r"(?:CIFS: )?Status code returned (?P<smb_statuses>0x[\da-f]{8}(?: \w{5,60})?)", "host",
        "smb_errors",
    ),
    *(
        KernelMessage(
            literal,
            rf"(?:\[\d+\] \w{{3,40}}:\d+: )?(?:CIFS: )?{literal}(?P<notices>\S.{{2,160}})",
            "host", "cifs_debug_messages",
        )
        for literal in ("fs/smb/client/", "fs/cifs/")
    ),
    KernelMessage(
        "CIFS: ", r"CIFS: (?!fs/|VFS\b)(?P<notices>[A-Za-z]\S{0,30} .{2,160})", "host",
        "cifs_messages",
    ),
)  # fmt: skip
