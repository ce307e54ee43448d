# Writable again what is for reading.
# control: none, there is nothing to remount
# try:
mount -o remount,rw,bind "$WORK/.git" && echo evil > .git/evil
# out:
test -e .git/evil
