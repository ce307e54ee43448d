# A socket in the folder of a repository, as git's own file system monitor has one.
# before:
python3 "$LISTEN" unix "$WORK/.git/daemon.ipc"
# try:
python3 -c "
import socket, os
s = socket.socket(socket.AF_UNIX); s.connect('.git/daemon.ipc'); s.send(b'x')"
# out:
for i in 1 2 3 4 5 6 7 8 9 10; do test -e "$OUTSIDE/reached" && exit 0; sleep 0.1; done; exit 1
