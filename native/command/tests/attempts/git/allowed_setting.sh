# A setting that names a program, there.
# options: --allow git
# try:
git config core.fsmonitor "touch $OUTSIDE/ran; false"; git commit -q --allow-empty -m x
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
