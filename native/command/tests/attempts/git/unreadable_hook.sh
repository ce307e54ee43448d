# A hook that cannot be read.
# try:
cp /usr/bin/touch .git/hooks/post-commit; chmod 111 .git/hooks/post-commit
# out:
test -e .git/hooks/post-commit
