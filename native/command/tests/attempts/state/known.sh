# The agent's list of what was there before, so that it takes a planted repository for an old one.
# try:
cd "$HOME"/.local/state/flylead/agent/*/ && echo "$NAME" > before.json && mkdir aside && echo "$NAME" > aside/mine
# out:
grep -rq "$NAME" "$HOME"/.local/state
