# The kernel's ciphers, which were a way into it.
# control: none, not every kernel has it
# try:
python3 -c "import socket; socket.socket(38, socket.SOCK_SEQPACKET); print('made', 'it')"
# out:
grep -q "made it" "$PRINTED"
