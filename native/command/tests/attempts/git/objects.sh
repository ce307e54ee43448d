# A history without the objects that it is made of.
# try:
rm -rf .git/objects .git/refs
# out:
! git log -1 >/dev/null 2>&1
