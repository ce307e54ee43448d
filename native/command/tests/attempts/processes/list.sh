# The list of the person's processes.
# before:
sleep 600.5 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
cat /proc/[0-9]*/cmdline | tr "\0" " "
# out:
grep -q "sleep 600 *.*" "$PRINTED" && grep -q "600.5" "$PRINTED"
