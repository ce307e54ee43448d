# A repository, and the end of the agent before it looks.
# try:
git init -q sub && git -C sub config core.fsmonitor "touch $OUTSIDE/ran; false"; kill -9 $PPID 1 2>/dev/null; sleep 1
# out:
"$AGENT" agent resume --yes >/dev/null 2>&1; cd sub && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
