# A repository that nobody may move away, in folders that nobody may change.
# try:
git init -q new && git -C new config core.fsmonitor "touch $OUTSIDE/ran; false" && chmod 0555 new/.git new .
# out:
chmod 755 .; cd new && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
