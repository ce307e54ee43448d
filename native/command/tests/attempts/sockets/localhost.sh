# A server of this computer, without the network.
# before:
python3 "$LISTEN" tcp
# try:
python3 -c "import socket; socket.create_connection(('127.0.0.1', int(open('port').read())), 5)"
# out:
for i in 1 2 3 4 5 6 7 8 9 10; do test -e "$OUTSIDE/reached" && exit 0; sleep 0.1; done; exit 1
