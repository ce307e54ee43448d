# A device of the kind by which an overlay knows what is gone, and the marks of an overlay.
# control: none, it means nothing without an overlay
# try:
mkdir made; mknod made/gone c 0 0; setfattr -n user.overlay.redirect -v /etc made 2>/dev/null; setfattr -n user.overlay.opaque -v y src
# out:
test -e made/gone || getfattr -d -m - -R . 2>/dev/null | grep -q overlay
