# Memory that programs share by name.
# try:
echo x > "/dev/shm/$NAME"
# out:
test -e "/dev/shm/$NAME" && rm "/dev/shm/$NAME"
