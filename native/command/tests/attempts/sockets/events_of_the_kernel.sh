# What the kernel tells about devices.
# try:
python3 -c "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).bind((0, 1)); print('made', 'it')"
# out:
grep -q "made it" "$PRINTED"
