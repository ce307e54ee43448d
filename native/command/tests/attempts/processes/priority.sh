# Another process, slowed down.
# before:
sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
renice -n 19 -p $(cat victim)
# out:
test "$(ps -o ni= -p $(cat victim) | tr -d " ")" = 19
