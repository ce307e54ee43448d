# The end of another process of the person's.
# before:
sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
kill -9 $(cat victim)
# out:
! grep -q "^State:.*[RS]" /proc/$(cat victim)/status
