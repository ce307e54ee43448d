# All of the room for shared memory.
# try:
fallocate -l 300M "/dev/shm/$NAME" && echo has room; rm -f "/dev/shm/$NAME"
# out:
grep -q "^ *\(Output: \)*has room" "$PRINTED"
