# A file less.
# try:
rm -f "$OUTSIDE/kept"
# out:
! test -e "$OUTSIDE/kept"
