# A new file outside, by its path.
# try:
echo x > "$OUTSIDE/new"
# out:
test -e "$OUTSIDE/new"
