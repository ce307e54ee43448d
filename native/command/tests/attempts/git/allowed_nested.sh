# A new repository in a folder, there.
# options: --allow git
# try:
git init -q sub && git -C sub config core.fsmonitor "touch $OUTSIDE/ran; false"; git commit -q --allow-empty -m x
# out:
cd sub && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
