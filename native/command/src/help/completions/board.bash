# What begins with a colon is on the board: flylead asks for its paths, which are whole words in lines. Behind --port stand boards.
_flylead_or_board() {
    local line="${COMP_LINE:0:COMP_POINT}" found
    local behind_port='[[:space:]](-p|--port)[[:space:]]+[^[:space:]]*$'
    [[ $line == *[[:space:]]*:* || $line =~ $behind_port ]] && found=$(command flylead board-paths -- "$line" 2>/dev/null) || {
        _flylead "$@"
        return
    }
    # The files of this computer are not meant.
    compopt +o default +o bashdefault 2>/dev/null
    local candidate typed="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS= read -r candidate; do
        [[ -n $candidate ]] || continue
        [[ $candidate == */ ]] && compopt -o nospace 2>/dev/null
        case $typed in
            \"*)
                # Within quotes these would have to be marked, and a bang cannot be.
                [[ $candidate == *[\"\$\`\\!]* ]] && continue
                ;;
            \'*) [[ $candidate == *\'* ]] && continue ;;
            *)
                # What stands before a colon stays as it is, where that parts words.
                [[ $COMP_WORDBREAKS == *:* ]] && candidate="${candidate#:}"
                [[ -n $candidate ]] && printf -v candidate %q "$candidate"
                ;;
        esac
        COMPREPLY+=("$candidate")
    done <<<"$found"
}

complete -F _flylead_or_board -o bashdefault -o default flylead
