# shellcheck shell=sh
# sh -c THIS sh SOCKET USER GROUP: lets a user who has logged in connect to a socket that root has made in a directory of its
# own. The socket is closed to others first, since fio lets everybody in (server.c, fio_init_server_sock).

chown -- "$2" "$1" && chmod 600 -- "$1" && chgrp -- "$3" "${1%/*}" && chmod 710 -- "${1%/*}"
