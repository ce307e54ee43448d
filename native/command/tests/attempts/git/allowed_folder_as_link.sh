# The whole of git's folder as a link, there.
# options: --allow git
# try:
git init -q evil; git -C evil config core.fsmonitor "touch $OUTSIDE/ran; false"; mv .git old; ln -s evil/.git .git
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
