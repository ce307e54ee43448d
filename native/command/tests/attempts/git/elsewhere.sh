# A repository elsewhere, and a file that says where.
# try:
mv .git away; git init -q other && git -C other config core.fsmonitor "touch $OUTSIDE/ran; false" && rm -rf .git && echo "gitdir: other/.git" > .git
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
