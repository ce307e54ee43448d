# The same by a datagram.
# before:
python3 "$LISTEN" udp
# try:
python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(open('port').read())))"
# out:
for i in 1 2 3 4 5 6 7 8 9 10; do test -e "$OUTSIDE/reached" && exit 0; sleep 0.1; done; exit 1
