# The other temporary folder.
# try:
echo x > "/var/tmp/$NAME"
# out:
test -e "/var/tmp/$NAME" && rm "/var/tmp/$NAME"
