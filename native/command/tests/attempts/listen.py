"""Listens as a program of the person's would: `python3 "$LISTEN" unix PATH`, where a path that begins with `@` has no file,
or `tcp` or `udp`, whose port is then in `port`. It goes on in the background, and leaves `$OUTSIDE/reached` behind when
somebody has reached it."""

import os, socket, sys

kind, where = sys.argv[1], sys.argv[2:]
family = socket.AF_UNIX if kind == 'unix' else socket.AF_INET
server = socket.socket(family, socket.SOCK_DGRAM if kind == 'udp' else socket.SOCK_STREAM)
server.bind(where[0].replace('@', chr(0), 1) if kind == 'unix' else ('127.0.0.1', 0))
if kind != 'unix':
    open('port', 'w').write(str(server.getsockname()[1]))
if kind != 'udp':
    server.listen()
child = os.fork()
if child:
    open(os.environ['HOME'] + '/started', 'a').write(f'{child}\n')
    sys.exit()
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1)
os.dup2(null, 2)
server.recvfrom(9) if kind == 'udp' else server.accept()
open(os.environ['OUTSIDE'] + '/reached', 'w').close()
