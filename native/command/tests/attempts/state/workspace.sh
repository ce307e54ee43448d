# Another folder as the one that the sessions are about.
# try:
cd "$HOME"/.local/state/flylead/agent/*/ && echo "$NAME" > workspace.json
# out:
grep -rq "$NAME" "$HOME"/.local/state/flylead/agent/*/workspace.json
