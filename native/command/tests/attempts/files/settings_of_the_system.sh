# Settings of the system.
# control: root
# try:
echo x > "/etc/$NAME"
# out:
test -e "/etc/$NAME" && rm "/etc/$NAME"
