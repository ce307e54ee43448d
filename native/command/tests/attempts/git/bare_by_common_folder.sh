# The same, with objects and settings elsewhere.
# try:
mkdir -p store/objects store/refs docs && cd docs && echo "ref: refs/heads/main" > HEAD && echo ../store > commondir
printf "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n" > ../store/config
printf "[core]\n\tbare = false\n\tworktree = $WORK\n\tfsmonitor = touch $OUTSIDE/ran; false\n" > config.worktree
# out:
cd docs && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
