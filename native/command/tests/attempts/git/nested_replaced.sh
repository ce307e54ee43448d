# A changed copy in the place of a repository.
# try:
cp -r vendor/lib copy && git -C copy config core.fsmonitor "touch $OUTSIDE/ran; false" && mv vendor/lib old && mv copy vendor/lib
# out:
cd vendor/lib && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
