# The person's own settings of git.
# try:
git config --global alias.st "!touch $OUTSIDE/ran"
# out:
git st >/dev/null 2>&1; test -e "$OUTSIDE/ran"
