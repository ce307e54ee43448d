# Up from the folder of a process.
# try:
cd -P "/proc/$PPID/cwd/../.." && echo x > outside/new
# out:
test -e "$OUTSIDE/new"
