# A file outside, through a link.
# try:
ln -s "$OUTSIDE" link && echo x > link/new
# out:
test -e "$OUTSIDE/new"
