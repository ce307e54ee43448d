# A repository and settings in a workspace that nobody may list.
# try:
mkdir -p new && git init -q new/lib && git -C new/lib config core.fsmonitor "touch $OUTSIDE/ran; false" && echo "touch $OUTSIDE/ran" > .envrc && chmod 0311 .
# out:
chmod 755 .; cat .envrc 2>/dev/null | sh; cd new/lib && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
