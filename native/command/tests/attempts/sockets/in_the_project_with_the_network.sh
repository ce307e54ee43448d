# The same, with the network.
# options: --network
# before:
python3 "$LISTEN" unix "$WORK/dev.sock"
# try:
python3 -c "
import socket, os
s = socket.socket(socket.AF_UNIX); s.connect('dev.sock'); s.send(b'x')"
# out:
for i in 1 2 3 4 5 6 7 8 9 10; do test -e "$OUTSIDE/reached" && exit 0; sleep 0.1; done; exit 1
