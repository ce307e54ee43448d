# The agent, without files.
# try:
prlimit --pid $PPID --nofile=3:3; true
# out:
test "$STATUS" -ne 0
