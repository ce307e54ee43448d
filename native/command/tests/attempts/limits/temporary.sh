# All of the room for temporary files.
# try:
fallocate -l 1500M "${TMPDIR:-/tmp}/$NAME" && echo has room; rm -f "${TMPDIR:-/tmp}/$NAME"
# out:
grep -q "^ *\(Output: \)*has room" "$PRINTED"
