# Another process, stopped.
# before:
sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
kill -STOP $(cat victim)
# out:
grep -q "^State:.*T" /proc/$(cat victim)/status
