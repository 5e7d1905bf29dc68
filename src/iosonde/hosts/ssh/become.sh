# shellcheck shell=sh
# Runs "$@" by sudo: hosts/ssh/become.py puts what is to run there. English is asked for, since refusals are read.

LC_ALL=C PATH=$PATH:/usr/bin:/run/wrappers/bin; export LC_ALL PATH
command -v sudo >/dev/null || { printf 'sudo: command not found\n' >&2; exit 127; }
exec sudo -n -- "$@"
