# Another process, on one processor.
# before:
sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
taskset -p 1 $(cat victim)
# out:
test "$(taskset -p $(cat victim) | sed "s/.*: //")" = 1
