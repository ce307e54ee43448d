# Another text for `undo` to put back.
# try:
cd "$HOME"/.local/state/flylead/agent/*/ && for folder in sessions/*/undo; do echo "$NAME" > "$folder/seq0001_cmd1"; done
# out:
grep -rq "$NAME" "$HOME"/.local/state/flylead/agent/*/sessions
