# The machine that this virtual one runs on.
# control: none, not every kernel has it
# try:
python3 -c "import socket; socket.socket(40, socket.SOCK_STREAM); print('made', 'it')"
# out:
grep -q "made it" "$PRINTED"
