# The same for the group, made in one step.
# try:
install -m 2755 /bin/true root
# out:
test -g root
