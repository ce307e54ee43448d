# Another name for this computer.
# control: none, it would reach the machine
# try:
hostname "$NAME"
# out:
test "$(hostname)" = "$NAME"
