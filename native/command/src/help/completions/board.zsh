# What begins with a colon is on the board: flylead asks for its paths, which are whole words in lines.
_flylead() {
    local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" found
    local -a paths
    local behind_port='[[:space:]](-p|--port)[[:space:]]+[^[:space:]]*$'
    if [[ $line != *[[:space:]]*:* && ! $line =~ $behind_port ]] || ! found=$(command flylead board-paths -- "$line" 2>/dev/null); then
        _flylead_words "$@"
        return
    fi
    paths=("${(@f)found}")
    paths=("${(@)paths:#}")
    # A slash is not followed by a blank.
    compadd -S '' -- "${(@M)paths:#*/}"
    compadd -- "${(@)paths:#*/}"
}
