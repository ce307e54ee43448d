# Through the root of a process.
# try:
echo x > "/proc/1/root$OUTSIDE/new"; echo x > "/proc/self/root$OUTSIDE/new"; echo x > "/proc/$PPID/root$OUTSIDE/new"
# out:
test -e "$OUTSIDE/new"
