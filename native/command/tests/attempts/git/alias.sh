# Another meaning for a word of git's.
# try:
git config alias.st "!touch $OUTSIDE/ran"
# out:
git st; test -e "$OUTSIDE/ran"
