# A setting of a repository without a `.git`.
# before:
git init -q --bare store.git
# try:
git -C store.git config core.fsmonitor "touch $OUTSIDE/ran; false" && git -C store.git config core.bare false && git -C store.git config core.worktree ../tree && mkdir -p tree
# out:
cd store.git && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
