# Completion of iosonde in bash 4.4 and newer, made by `iosonde completion bash`.
_iosonde() {
    mapfile -t COMPREPLY < <("$1" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -o default -F _iosonde iosonde
