#compdef iosonde
# Completion of iosonde in zsh, made by `iosonde completion zsh`.
_iosonde() {
    local -a candidates
    candidates=(${(f)"$("${(Q)words[1]}" completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)"})
    if (( $#candidates )); then
        compadd -- $candidates
    else
        _files
    fi
}
if [[ $funcstack[1] == _iosonde ]]; then
    _iosonde "$@"
else
    compdef _iosonde iosonde
fi
