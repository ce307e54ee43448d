# A file from outside, moved in.
# try:
mv "$OUTSIDE/kept" here
# out:
! test -e "$OUTSIDE/kept"
