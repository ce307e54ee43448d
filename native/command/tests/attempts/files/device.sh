# A disk, as a file of the project.
# control: root
# try:
mknod disk b 254 0 && mknod memory c 1 1
# out:
test -b disk -o -c memory
