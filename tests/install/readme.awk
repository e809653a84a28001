# README.md as a shell script: what a new user would do who reads it from top to bottom, in an empty
# folder. Comments above a block, which a reader does not see, say what to do with it:
#
#   <!-- follow -->                   the commands are run
#   <!-- follow in the clone -->      the commands are run in the folder of the sources
#   <!-- file NAME -->, <!-- file NAME: WHY -->      the block is that file
#   <!-- do not follow: WHY -->
#
# Every block of commands has one. In a block of `console` lines that begin with `$ ` are commands and
# the others what the command before them prints, `...` standing for any lines; in a block of `sh`
# every line is a command.

function quoted(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}

function finish() {
    if (command == "") return
    printf "step %s %d\n", quoted(FILENAME), at
    printf "printf '%%s\\n' %s\n", quoted("$ " command)
    printf "{\n%s\n} >\"$output\" 2>&1 || failed\n", command
    if (expected != "") printf "expect <<'END OF OUTPUT'\n%sEND OF OUTPUT\n", expected
    command = expected = ""
}

/^<!-- / { marker = $0; next }

!inside && /^```/ {
    inside = 1
    language = substr($0, 4)
    how = ""
    if (marker ~ /^<!-- follow -->/) how = "follow"
    if (marker ~ /^<!-- follow in the clone -->/) how = "clone"
    if (marker ~ /^<!-- do not follow: /) how = "not"
    if (marker ~ /^<!-- file /) {
        how = "file"
        split(marker, words, /:? /)
        printf "cat >%s <<'END OF FILE'\n", quoted(words[3])
    }
    if (how == "" && (language == "sh" || language == "console")) {
        printf "echo 'README.md:%d: no comment says whether to follow this block'\nexit 1\n", NR
    }
    if (how == "clone") print "cd \"$clone\""
    next
}

inside && /^```/ {
    finish()
    if (how == "file") print "END OF FILE"
    if (how == "clone") print "cd \"$empty\""
    inside = 0
    marker = ""
    next
}

inside && how == "file" { print }

inside && (how == "follow" || how == "clone") {
    if (language == "sh" || /^\$ /) {
        finish()
        command = $0
        sub(/^\$ /, "", command)
        at = NR
    } else {
        expected = expected $0 "\n"
    }
}

/./ && !inside && !/^<!-- / { marker = "" }
