# The list of the computer's sockets, with the network.
# options: --network
# try:
python3 -c "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4); print('made', 'it')"
# out:
grep -q "made it" "$PRINTED"
