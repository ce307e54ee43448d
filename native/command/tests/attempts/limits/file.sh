# A file larger than one may be.
# try:
truncate -s 5G big
# out:
test "$(stat -c %s big 2>/dev/null || echo 0)" -gt 4294967296
