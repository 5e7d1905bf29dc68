# shellcheck shell=sh
# Prints HEAD-TAIL ($1 and $2), as runner.sh does, and becomes OpenSSH's SFTP server, which distributions keep in their
# own places: Debian; Fedora, RHEL; SUSE, Arch, Alpine; NixOS.

umask g-w,o-w
PATH=$PATH:/usr/lib/openssh:/usr/libexec/openssh:/usr/lib/ssh:/usr/libexec:/run/current-system/sw/libexec
command -v sftp-server >/dev/null || { printf 'sftp-server: command not found\n' >&2; exit 127; }
printf '%s-%s\n' "$1" "$2"
exec sftp-server
