# The end of the agent.
# try:
kill -9 $PPID
# out:
test "$STATUS" -gt 128
