# A repository without a `.git`, in a folder that the person may enter.
# try:
mkdir -p docs/objects docs/refs docs/tree && cd docs && echo "ref: refs/heads/main" > HEAD
printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = $WORK\n\tfsmonitor = touch $OUTSIDE/ran; false\n" > config
# out:
cd docs && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
