# A repository where there was none.
# before:
rm -rf .git
# try:
git init -q . && git config core.fsmonitor "touch $OUTSIDE/ran; false"
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
