# shellcheck shell=sh
# sh -c THIS sh PROGRAM COMMAND [ARGUMENT...]: runs the command by sudo or doas (hosts/ssh/become.py puts what is to run there).
# English is asked for, since refusals are read.

way=$1; shift
LC_ALL=C PATH=$PATH:/usr/bin:/usr/local/bin:/run/wrappers/bin; export LC_ALL PATH
command -v "$way" >/dev/null || { printf '%s: command not found\n' "$way" >&2; exit 127; }
exec "$way" -n -- "$@"
