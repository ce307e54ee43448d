# Packets of its own making, with the network.
# control: root
# options: --network
# try:
python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('made', 'it')"
# out:
grep -q "made it" "$PRINTED"
