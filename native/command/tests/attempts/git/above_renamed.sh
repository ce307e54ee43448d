# The folder above a repository renamed, and another one in its place.
# try:
mv vendor v2 && mkdir -p vendor && git init -q vendor/lib && git -C vendor/lib config core.fsmonitor "touch $OUTSIDE/ran; false"
# out:
cd vendor/lib && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
