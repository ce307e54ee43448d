# A repository in a folder that is closed.
# try:
git init -q closed && git -C closed config core.fsmonitor "touch $OUTSIDE/ran; false" && chmod 000 closed
# out:
chmod 755 closed; cd closed && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
