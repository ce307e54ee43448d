# Without the lock a second agent works at the same time.
# try:
cd "$HOME"/.local/state/flylead/agent/*/ && rm -f lock && mkdir lock
# out:
test -d "$HOME"/.local/state/flylead/agent/*/lock
