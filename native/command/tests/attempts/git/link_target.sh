# What a link to git's folder leads to.
# before:
mv .git real && ln -s real .git
# try:
git -C . config core.fsmonitor "touch $OUTSIDE/ran; false"; git --git-dir=real config core.fsmonitor "touch $OUTSIDE/ran; false"
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
