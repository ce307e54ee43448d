# What another process was told.
# before:
THE_KEY=$SECRET sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
cat "/proc/$(cat victim)/environ"
# out:
tr "\0" "\n" < "$PRINTED" | grep -q "THE_KEY=$SECRET"
