# The folder outside mounted into the project.
# control: none, a mount would outlive the test
# try:
mkdir m; mount --bind "$OUTSIDE" m || unshare -rm sh -c "mount --bind $OUTSIDE m && echo x > m/new"
# out:
umount m 2>/dev/null; test -e "$OUTSIDE/new" || grep -qs . m/kept
