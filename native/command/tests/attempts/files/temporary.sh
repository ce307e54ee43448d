# The computer's own temporary folder.
# try:
echo x > "/tmp/$NAME"
# out:
test -e "/tmp/$NAME" && rm "/tmp/$NAME"
