# A program that runs as its owner, whoever calls it.
# try:
cp /bin/true root && chmod 4755 root
# out:
test -u root
