# A session that the agent never began.
# try:
cd "$HOME"/.local/state/flylead/agent/*/ && cp sessions/*.json sessions/ffffffff.json
# out:
test -e "$HOME"/.local/state/flylead/agent/*/sessions/ffffffff.json
