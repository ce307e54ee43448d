# A program of the system's.
# control: root
# try:
echo x > "/usr/local/bin/$NAME"
# out:
test -e "/usr/local/bin/$NAME" && rm "/usr/local/bin/$NAME"
