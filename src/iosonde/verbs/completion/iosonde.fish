# Completion of iosonde in fish, made by `iosonde completion fish`.
complete -c iosonde -a '(iosonde completion fish -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null </dev/null)'
