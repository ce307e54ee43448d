# A link in the place of a link to git's folder.
# before:
mv .git real && ln -s real .git
# try:
rm .git; git init -q other; git -C other config core.fsmonitor "touch $OUTSIDE/ran; false"; ln -s other/.git .git
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
