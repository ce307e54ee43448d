# Away with what is mounted over git's folder.
# try:
umount -l "$WORK/.git"; umount "$WORK/.git"; echo evil > .git/evil
# out:
test -e .git/evil
