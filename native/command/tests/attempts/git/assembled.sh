# A repository without a .git, made in two commands: the parts of the first one are there when the second runs.
# before:
mkdir -p later/objects && printf 'ref: refs/heads/main\n' > later/HEAD
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch %s/ran; false\n' "$OUTSIDE" > later/config
# try:
mkdir -p later/refs/heads
# out:
git -C later status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
