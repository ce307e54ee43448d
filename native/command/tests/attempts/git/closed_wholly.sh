# A repository in a workspace that nobody may enter, list or change.
# control: root
# try:
git init -q new && git -C new config core.fsmonitor "touch $OUTSIDE/ran; false" && chmod 000 .
# out:
chmod 755 .; cd new && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
