# The same, with the project itself as the repository.
# before:
rm -rf .git
# try:
mkdir -p objects refs tree && echo "ref: refs/heads/main" > HEAD
printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = $WORK\n\tfsmonitor = touch $OUTSIDE/ran; false\n" > config
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
