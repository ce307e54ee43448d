# An empty file where there was one.
# try:
truncate -s 0 "$OUTSIDE/kept"
# out:
! test -s "$OUTSIDE/kept"
