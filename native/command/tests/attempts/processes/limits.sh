# Another process, without files.
# before:
sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
prlimit --pid $(cat victim) --nofile=5:5
# out:
grep "open files" /proc/$(cat victim)/limits | grep -q " 5 "
