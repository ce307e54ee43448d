# A socket in the repository that the project is a part of.
# options: --workspace part
# before:
mkdir part; "$AGENT" agent new --task t --workspace part
cat > "$OUTSIDE/server.py" <<'END'
import os, socket, sys
kind, where, mark = sys.argv[1:]
family = {'unix': socket.AF_UNIX, 'tcp': socket.AF_INET, 'udp': socket.AF_INET}[kind]
server = socket.socket(family, socket.SOCK_DGRAM if kind == 'udp' else socket.SOCK_STREAM)
server.bind(where.replace('@', chr(0), 1) if kind == 'unix' else ('127.0.0.1', 0))
if kind != 'unix': open('port', 'w').write(str(server.getsockname()[1]))
if kind != 'udp': server.listen()
open('ready', 'w').close()
server.recvfrom(9) if kind == 'udp' else server.accept()
open(mark, 'w').close()
END
python3 "$OUTSIDE/server.py" unix "$WORK/dev.sock" "$OUTSIDE/reached" >/dev/null 2>&1 & echo $! >> "$HOME/started"
for i in $(seq 200); do test -e ready && break; sleep 0.05; done
# try:
python3 -c "
import socket, os
s = socket.socket(socket.AF_UNIX); s.connect('../dev.sock'); s.send(b'x')"
# out:
for i in 1 2 3 4 5 6 7 8 9 10; do test -e "$OUTSIDE/reached" && exit 0; sleep 0.1; done; exit 1
