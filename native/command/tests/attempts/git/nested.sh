# A new repository in a folder.
# try:
git init -q sub && git -C sub config core.fsmonitor "touch $OUTSIDE/ran; false"
# out:
cd sub && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
