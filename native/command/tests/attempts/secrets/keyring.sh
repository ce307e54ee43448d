# A key in the kernel's keyring of the person.
# try:
python3 -c "
import ctypes, os
libc = ctypes.CDLL(None)
libc.syscall(248, b'user', os.environ['NAME'].encode(), b'x', 1, -4)"
# out:
python3 -c "
import ctypes, os
libc = ctypes.CDLL(None)
name = os.environ['NAME'].encode()
key = libc.syscall(250, 10, -4, b'user', name, 0)
libc.syscall(250, 3, key) if key > 0 else None
raise SystemExit(key <= 0)"
