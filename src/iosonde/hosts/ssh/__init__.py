"""Machines reached by ssh: asyncssh, with the user's own ~/.ssh/config, agent and known_hosts.

    connect.py   an address becomes a connection, or a sentence saying why not
    become.py    root by sudo or doas, where only a plain user can log in
    host.py      the host: files over SFTP, commands over channels
    process.py   one command there, which ends when it is told to or nobody is here any more
    runner.sh    the shell script that sees to that on the far side

Nothing is installed there.
"""

from iosonde.hosts.ssh.connect import open_as_root, open_ssh, parse_address

__all__ = ["open_as_root", "open_ssh", "parse_address"]
