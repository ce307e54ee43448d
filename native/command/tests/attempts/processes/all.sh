# All processes of the person's.
# control: none, it would end the tests
# before:
sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
kill -9 -1
# out:
! grep -q "^State:.*[RS]" /proc/$(cat victim)/status
