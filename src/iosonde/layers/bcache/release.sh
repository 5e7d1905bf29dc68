# Behind bcache.sh: DEVICE CACHE SET SECONDS. It may be dirty and not registered: the host was started
# again, and nobody called `up`.
# shellcheck shell=sh disable=SC2154

slow=$(value "$1" cset.uuid) fast=$(value "$2" cset.uuid)
if [ "$slow" = "$3" ] && [ "$fast" = "$3" ]; then
    case $(value "$1" dev.data.cache_state) in
        *dirty*|*inconsistent*) attach "$@" || exit;;
    esac
fi
detach "$4" && stop
