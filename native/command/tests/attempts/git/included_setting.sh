# The same, from a file that the settings include.
# before:
touch shared.cfg && git config include.path ../shared.cfg
# try:
printf "[core]\n\tfsmonitor = touch $OUTSIDE/ran; false\n" > shared.cfg
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
