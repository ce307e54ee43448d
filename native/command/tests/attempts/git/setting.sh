# A setting that names a program.
# try:
git config core.fsmonitor "touch $OUTSIDE/ran; false"
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
