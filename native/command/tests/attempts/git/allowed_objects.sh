# A history without its objects, there.
# options: --allow git
# try:
rm -rf .git/objects .git/objects-before
# out:
! git log -1 >/dev/null 2>&1
