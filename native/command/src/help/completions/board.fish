# What begins with a colon is on the board: flylead asks for its paths, which are whole words in lines.
function __flylead_on_board
    string match -qr '^["\']?:' -- (commandline -ct)
    or string match -qr -- ' (-p|--port) +\S*$' (commandline -pc | string collect)
end

complete -c flylead -n __flylead_on_board -f -k -a '(command flylead board-paths -- (commandline -pc | string collect) 2>/dev/null)'
