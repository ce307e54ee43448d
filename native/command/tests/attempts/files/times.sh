# Another time of change, which builds go by.
# try:
touch -d 2001-01-01 "$OUTSIDE/kept"
# out:
test "$(stat -c %Y "$OUTSIDE/kept")" -lt 1000000000
