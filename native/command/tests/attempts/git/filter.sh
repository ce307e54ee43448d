# A filter for files, by attributes beside the settings.
# try:
mkdir -p .git/info && echo "* filter=evil" > .git/info/attributes && git config filter.evil.clean "touch $OUTSIDE/ran; cat"
# out:
touch a.txt; git add -A >/dev/null 2>&1; test -e "$OUTSIDE/ran"
