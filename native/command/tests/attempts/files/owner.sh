# Another owner for a file outside.
# control: root
# try:
chown 1 "$OUTSIDE/kept"
# out:
test "$(stat -c %u "$OUTSIDE/kept")" = 1
