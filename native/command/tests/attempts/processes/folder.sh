# The folder of another process.
# before:
(cd "$OUTSIDE"; exec sleep 600 >/dev/null 2>&1) & echo $! > victim; echo $! >> "$HOME/started"
# try:
echo x > "/proc/$(cat victim)/cwd/new"
# out:
test -e "$OUTSIDE/new"
