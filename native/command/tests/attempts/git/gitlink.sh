# A new repository that the next status looks into.
# try:
git init -q sub && cd sub && git commit -q --allow-empty -m x && cd .. && git add sub 2>/dev/null; git -C sub config core.fsmonitor "touch $OUTSIDE/ran; false"
# out:
git add -A >/dev/null 2>&1; git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
