# Another folder for what working trees share.
# try:
mkdir common; cp -r .git/. common; git --git-dir=common config core.fsmonitor "touch $OUTSIDE/ran; false"; echo ../common > .git/commondir
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
